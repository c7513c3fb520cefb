"""Overlaps: objects of a launch that may be the same memory, by what the host code says of them.

A pointer that the kernel declares `__restrict__` leads to memory that the kernel changes by way of no other pointer,
nor reads by another one if it changes it by this one (CUDA Programming Guide, "__restrict__"; ISO C, 6.7.3.1).  What
would be undefined is assumed not to happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from hgrd.host.model import Fact, FactKind, PossibleOverlap
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.protocol.inference.read_only_memory import found_by_key
from hgrd.protocol.model import Access, Gap
from hgrd.symbolic.values import Value, pointed_to
from hgrd.terms import TRUE

SAME_MEMORY: Final = "they may be the same memory"


class Overlaps(Struct, frozen=True):
    """The overlaps that are possible at a launch, and those that the kernel excludes by `__restrict__`.

    And those that functions exclude which are taken to copy what they get.
    """

    possible: tuple[PossibleOverlap, ...]
    excluded: tuple[PossibleOverlap, ...]
    copied: tuple[PossibleOverlap, ...]


def declared_apart(
    kernel: Function, given: Iterable[tuple[Variable, Value]], overlaps: Iterable[PossibleOverlap]
) -> Overlaps:
    """The overlaps of what a kernel is given, by what it says of them by `__restrict__`, and what they depend on."""
    leads = {parameter.key: frozenset(t.key for t in pointed_to(value)) for parameter, value in given}
    alone = [
        targets.difference(*(others for other, others in leads.items() if other != key))
        for key, targets in leads.items()
        if key in kernel.restrict
    ]
    found = tuple(overlaps)
    excluded = tuple(o for o in found if any(_parts(targets, o) for targets in alone))
    copied = tuple(o for o in found if o.copiers and o not in excluded)
    return Overlaps(tuple(o for o in found if o not in (*excluded, *copied)), excluded, copied)


def _parts(targets: frozenset[str], overlap: PossibleOverlap) -> bool:
    """Whether a pointer that alone leads to these targets leads to one of the two objects only."""
    if overlap.inside:
        return overlap.second in targets
    return (overlap.first in targets) != (overlap.second in targets)


def overlap_gaps(
    overlaps: Iterable[PossibleOverlap], accesses: Iterable[Access], fetched: Iterable[str], span: Span
) -> Iterator[Gap]:
    """Gaps where two objects are used that may be one, at least one of them to write; textures read the `fetched`."""
    for overlap in _that_matter(overlaps, accesses, fetched):
        yield Gap(f"{overlap.text}: {SAME_MEMORY}", (), span, False)


def overlap_assumptions(
    overlaps: Overlaps, accesses: Iterable[Access], fetched: Iterable[str], span: Span
) -> Iterator[Fact]:
    """The assumptions that two such objects do not overlap: the kernel declares it, or functions copy what they get."""
    used, read = tuple(accesses), tuple(fetched)
    for overlap in _that_matter(overlaps.excluded, used, read):
        text = f"{overlap.text} do not overlap, as the kernel declares by __restrict__"
        yield Fact(TRUE, FactKind.ASSUMPTION, text, span)
    for overlap in _that_matter(overlaps.copied, used, read):
        why = f"objects given by reference to const are copied, and no pointer is kept, by {', '.join(overlap.copiers)}"
        yield Fact(TRUE, FactKind.ASSUMPTION, f"{overlap.text} do not overlap: {why}", span)


def _that_matter(
    overlaps: Iterable[PossibleOverlap], accesses: Iterable[Access], fetched: Iterable[str]
) -> Iterator[PossibleOverlap]:
    """The overlaps of two objects that are used, at least one of them to write."""
    used = [*((a.target.key, a.changes) for a in accesses), *((key, False) for key in fetched)]
    keys, changed = {key for key, _ in used}, {key for key, changes in used if changes}
    for overlap in overlaps:
        inside = found_by_key(overlap.first)
        first = {key for key in keys if key.startswith(inside)} if overlap.inside else {overlap.first} & keys
        if first and overlap.second in keys and (overlap.second in changed or first & changed):
            yield overlap
