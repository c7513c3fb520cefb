"""Bounds of accesses: conditions that no access is outside of a known allocation, where it has no meaning.

A thread that makes one access also makes all others without further conditions; in a loop with a constant number
of iterations, those of the first and the last one.  And the reads that its index is computed from are in bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hgrd.cuda.memory_model import AccessKind
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Item, Protocol, ProtocolLoop, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.encoding.query_assembly import cone, query_of, with_extents
from hgrd.races.threads.two_threads import ThreadPair, abstract_floats
from hgrd.solve.query import Query
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, add, const, le, mul, substitute, symbols_of
from hgrd.terms.linear import difference
from hgrd.terms.rewrite import bottom_up

_MOST = 24
_STEADY = frozenset({Origin.INPUT, Origin.DIMENSION, Origin.THREAD, Origin.BLOCK})


def in_bounds(access: Access) -> tuple[Term, ...]:
    """The conditions under which an access stays in its object; () where the object's size is unknown."""
    if access.target.size is None:
        return ()
    return le(const(0), access.offset), le(add(access.offset, const(access.size)), access.target.size)


def own_bounds(access: Access) -> tuple[Term, ...]:
    """The bounds of an access, and of the subscripts that its thread has made before."""
    return tuple(t for t in dict.fromkeys((*in_bounds(access), *access.bounds)) if t is not TRUE)


def companion_bounds(protocol: Protocol, access: Access) -> tuple[Term, ...]:
    """The bounds of `access`, and of the other accesses that its thread makes for certain."""
    held = {*access.guards, TRUE}
    found: dict[Term, None] = dict.fromkeys(own_bounds(access))
    for other, binders in _in_constant_loops(protocol.items, ()):
        if other.number == access.number or len(found) > _MOST:
            continue
        for corner in ({b: const(0) for b in binders}, {b: const(b.high) for b in binders}):
            guards, bounds = substitute(other.guards, corner), substitute(in_bounds(other), corner)
            if held.issuperset(guards) and (not binders or _same_in_all_iterations((*guards, *bounds))):
                found.update(dict.fromkeys(bounds))
    found |= dict.fromkeys(t for r in _looked_up(protocol, access) for t in in_bounds(r) if held.issuperset(r.guards))
    found.pop(TRUE, None)
    return tuple(found)


def inside_query(protocol: Protocol, facts: tuple[Fact, ...], access: Access, bounds: tuple[Term, ...]) -> Query:
    """The query whether any thread makes an access under conditions (both parties are this thread)."""
    threads = ThreadPair(protocol.symbols.private, protocol.configuration, True)
    made = abstract_floats(threads.of((*access.guards, *bounds), Side.FIRST))
    conditions = tuple(dict.fromkeys(t for t in made if t is not TRUE))
    used = cone(facts, with_extents(threads, symbols_of(*conditions)))
    byte = const(0)
    return query_of(threads, used, (byte, conditions, 1), (byte, (), 1), ())


def _looked_up(protocol: Protocol, access: Access) -> Iterator[Access]:
    """The reads of filled arrays that the place of the access is computed from, in whatever iteration."""
    reads = [t for t in bottom_up((access.offset,)) if t.op is Op.READ and len(t.args) == 1][:_MOST]
    filled = {holding.target.key for holding in protocol.memory.contents}
    if reads and filled:
        sized = [a for a in accesses(protocol.items) if a.kind is AccessKind.READ and a.target.key in filled]
        for other, t in product(sized, reads):
            of_target = t.array == other.target.name or t.array.startswith(f"{other.target.name}.")
            if of_target and difference(mul(t.args[0], const(other.size)), other.offset) is const(0):
                yield other


def _same_in_all_iterations(terms: tuple[Term, ...]) -> bool:
    """Whether terms are the same in all iterations: nothing in them was read or computed on the way."""
    return all(s.origin in _STEADY for s in symbols_of(*terms))


def _in_constant_loops(items: tuple[Item, ...], binders: tuple[Symbol, ...]) -> list[tuple[Access, tuple[Symbol, ...]]]:
    """The accesses of objects of known size, all loops around which have a constant number of iterations."""
    found: list[tuple[Access, tuple[Symbol, ...]]] = []
    for item in items:
        match item:
            case Access():
                if item.target.size is not None and not item.again:
                    found.append((item, binders))
            case ProtocolLoop(binder=binder, count=count, items=inner):
                if count.low == binder.high + 1:
                    found += _in_constant_loops(inner, (*binders, binder))
            case _:
                pass
    return found
