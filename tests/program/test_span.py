"""Positions are ordered by what an editor shows; within a macro, by where the text stands in it, too."""

from random import Random

from hgrd.program.span import NOWHERE, Span

ORDERED = [
    NOWHERE,
    Span("a.cu", 3, 1),
    Span("a.cu", 3, 1, Span("a.cu", 1, 5)),
    Span("a.cu", 3, 1, Span("a.cu", 2, 5)),
    Span("a.cu", 3, 1, Span("a.cu", 2, 5, Span("b.cu", 1, 1))),
    Span("a.cu", 4, 1),
    Span("b.cu", 1, 1),
]


def test_spans_within_and_outside_of_macros_are_ordered():
    mixed = list(ORDERED)
    Random(1).shuffle(mixed)
    assert mixed != ORDERED
    assert sorted(mixed) == ORDERED
    assert ORDERED[2] <= ORDERED[2] < ORDERED[3] > ORDERED[1]
