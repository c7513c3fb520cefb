"""Counts and strides: inputs that indexes are compared with from above, or are multiplied or divided by.

A kernel whose callers are not seen could be given any number for them, and one below 0 means nothing: there are no rows
of -1 elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hgrd.protocol.model import Barrier, Protocol, accesses
from hgrd.races.barriers.paths import control_points
from hgrd.terms import Op, Origin, Symbol, Term, symbols_of
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up

_INDEXES = (Origin.THREAD, Origin.BLOCK, Origin.LOOP)


def counts_and_strides(protocol: Protocol) -> frozenset[Symbol]:
    """The inputs that can be negative by their type and are used as counts or strides in a kernel's accesses."""
    return _measured_in([t for a in accesses(protocol.items) for t in (a.offset, *a.guards, *a.endings)])


def counts_at_barriers(protocol: Protocol) -> frozenset[Symbol]:
    """Those that are used so in the conditions under which threads come to barriers."""
    barriers = (point.item for point in control_points(protocol) if isinstance(point.item, Barrier))
    return _measured_in([t for barrier in barriers for t in barrier.guards])


def _measured_in(roots: Iterable[Term]) -> frozenset[Symbol]:
    used = (part for t in bottom_up(tuple(dict.fromkeys(roots))) for part in _measures(t))
    return frozenset(s for s in symbols_of(*used) if s.origin is Origin.INPUT and s.low < 0)


def _measures(term: Term) -> Iterator[Term]:
    """The parts of a term that say how many there are of something, or how far it is from one to the next."""
    match term.op:
        case Op.LT | Op.LE:
            yield from _bounds(*term.args)
        case Op.ITE if term.args[0].op in (Op.LT, Op.LE):
            yield from _bounds(*reversed(term.args[0].args))
        case Op.MIN if any(map(_is_index, term.args)):
            yield from (t for t in term.args if not _is_index(t))
        case Op.MUL if not any(t.is_const for t in term.args):
            yield from (t for t, other in zip(term.args, reversed(term.args), strict=True) if _is_index(other))
        case Op.DIV | Op.MOD if _is_index(term.args[0]):
            yield term.args[1]
        case _:
            pass


def _bounds(low: Term, high: Term) -> Iterator[Term]:
    """What an index is below: of `i < n + m`, n and m."""
    above, below = linear(high)[1], linear(low)[1]
    apart = {t: above.get(t, 0) - below.get(t, 0) for t in (*above, *below)}
    if any(c < 0 and _is_index(t) for t, c in apart.items()):
        yield from (t for t, c in apart.items() if c > 0 and not _is_index(t))


def _is_index(term: Term) -> bool:
    return any(s.origin in _INDEXES for s in symbols_of(term))
