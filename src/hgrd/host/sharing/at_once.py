"""Work that surely runs at once, and its accesses of the same elements: those of which a race can be shown.

    kernel<<<4, 256, 0, a>>>(x);  kernel<<<4, 256, 0, b>>>(x);        // no path of the host orders the two

Left out is what may be ordered by means that are not followed: kernels that may wait for each other, threads of the
host, functions that the run has not surely called, one of several graphs, and work whose stream may be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hgrd.host.concurrency.addresses import ANYWHERE, Place
from hgrd.host.concurrency.order import Done
from hgrd.host.concurrency.rows import Rectangle, Row, meet
from hgrd.host.concurrency.trace import Event, Replay, Touch, Trace, Work
from hgrd.host.model import UsedBytes
from hgrd.program.span import Span
from hgrd.terms import Origin, Symbol, Term, add, const, le, lt, mul, var
from hgrd.terms.linear import difference, linear

_MOST: Final = (1 << 40) - 1
_KNOWN: Final = (Origin.INPUT, Origin.DIMENSION)


def never_ordered(one: Done, other: Done, number: int, *, performed: bool) -> bool:
    """Whether nothing may order two pieces of work, on any path; `number` is that of the first one.

    `performed`: what is captured surely is launched.
    """
    ordered = any(bits >> number & 1 for bits in other.known.values())
    plain = (_is_plain(d.work) and (performed or not d.work.captured) for d in (one, other))
    return not ordered and all(plain) and _follows(one.work, other.work)


def performs_graph(trace: Trace, events: Iterable[Event]) -> bool:
    """Whether the program makes one graph, the order in which is known, and launches it on all paths."""
    plain = trace.graphs == 1 and not (trace.nested or trace.linked)
    return plain and any(isinstance(event, Replay) and not event.choices for event in events)


def _is_plain(work: Work) -> bool:
    """Whether work is surely made where its choices hold, which the input and the number of the iteration decide."""
    iterations = {s for step in work.within if step.whole for s in step.number.symbols}
    choices = {s for term in work.choices for s in term.symbols} - iterations
    return work.sure and not work.early and all(s.origin in _KNOWN for s in choices)


def _follows(one: Work, other: Work) -> bool:
    """Whether the iterations that two pieces of work are made in surely come one after the other."""
    apart = {*one.within} ^ {*other.within}
    return all(step.number.is_const and (step.whole or step.number.value == 0) for step in apart)


def accesses_at_once(one: Work, other: Work) -> Iterator[tuple[str, UsedBytes, UsedBytes]]:
    """Accesses of the same elements of one object by two pieces of work, by the object's key; one of the two writes."""
    for a in one.touches:
        for b in other.touches:
            if not isinstance(a.at, Place) or not isinstance(b.at, Place) or a.at.key != b.at.key:
                continue
            if a.found or b.found or a.at.key.startswith(ANYWHERE) or not _are_told(a.at, b.at):
                continue
            if may_be_complete(a) or may_be_complete(b):
                continue
            for r, s in _meeting(a.rows, a.at.offset, b.rows, b.at.offset):
                if _conflict(one, r, other, s):
                    yield (
                        a.at.key,
                        bytes_of(one, a.at.offset, r, "of one"),
                        bytes_of(other, b.at.offset, s, "of the other"),
                    )


def may_be_complete(touch: Touch) -> bool:
    """Whether a copy may have used memory before its call returns, as it does with pageable memory."""
    return touch.locked and not (touch.reads or touch.stores)


def _are_told(one: Place, other: Place) -> bool:
    """Whether the input, and the numbers of iterations, say how far two places in an object are from each other."""
    _, atoms = linear(difference(one.offset, other.offset))
    return {s.origin for atom in atoms for s in atom.symbols} <= {*_KNOWN, Origin.LOOP}


def _meeting(rows: Iterable[Row], at: Term, others: Sequence[Row], there: Term) -> Iterator[tuple[Row, Row]]:
    for r in rows:
        for s in others:
            if not (r.maybe or s.maybe) and meet(r, at, s, there):
                yield r, s


def _conflict(one: Work, r: Row, other: Work, s: Row) -> bool:
    """Whether two accesses conflict; two writes do not where they may be of the same value."""
    if (r.stores and s.reads) or (r.reads and s.stores):
        return _known(one, r, other, s)
    same = _place(one, r) == _place(other, s) or (r.constant and s.constant)
    return r.stores and s.stores and not same and _known(one, r, other, s)


def _known(one: Work, r: Row, other: Work, s: Row) -> bool:
    """Whether the input alone says which elements they are."""
    symbols = {x for row in (r, s) for term in row.terms() for x in term.symbols}
    extents = {x for work in (one, other) for term in work.extents or () for x in term.symbols}
    return all(x.origin in _KNOWN for x in symbols | extents)


def _place(work: Work, row: Row) -> Span:
    return row.span or work.span


def bytes_in(work: Work, at: Term, rectangle: Rectangle, whose: str, *, stores: bool) -> UsedBytes:
    """The bytes of a rectangle at an offset in an object, which work uses; `whose` tells the work in names."""
    number, line = (Symbol(f"{what} {whose}", 0, _MOST, Origin.THREAD) for what in ("number", "line"))
    guards = (lt(var(number), rectangle.width), lt(var(line), rectangle.height))
    address = add(at, mul(var(line), rectangle.pitch), var(number))
    return UsedBytes(work.what, work.span, stores, address, 1, number, guards, line=line)


def bytes_of(work: Work, at: Term, row: Row, whose: str) -> UsedBytes:
    """The bytes of a row at an offset in an object, which work uses; `whose` tells the work in names."""
    number = Symbol(f"number {whose}", 0, _MOST, Origin.THREAD)
    address = add(at, row.start, mul(var(number), const(row.step)))
    guards = [le(row.low, var(number)), lt(var(number), row.high)]
    if work.extents is not None:  # what threads do for numbers further on depends on the steps of loops
        guards.append(lt(var(number), mul(*work.extents)))
    return UsedBytes(work.what, _place(work, row), row.stores, address, row.size, number, tuple(guards), work.extents)
