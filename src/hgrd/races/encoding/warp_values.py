"""Conditions on the values that the threads of a warp make together: votes, matches, shuffles, active lanes.

CUDA Programming Guide, "Warp Vote Functions", "Warp Match Functions", "Warp Shuffle Functions".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hgrd.protocol.alike import LaneMask, LaneScan, Peers, UniformGroup
from hgrd.protocol.model import Protocol
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import Symbol, Term, add, as_int, bit, conj, const, disj, eq, le, ne, negate, symbols_of, var


def made_together(protocol: Protocol, threads: ThreadPair, terms: Iterable[Term]) -> tuple[Term, ...]:
    """Conditions on the values in the terms, and on those that these conditions speak of in turn."""
    known = protocol.uniform
    values = {s.name: s for s in (*known.groups, *known.masks, *known.scans, *known.told)}
    found: dict[Term, None] = {}
    done: set[Symbol] = set()
    new = symbols_of(*terms)
    while new and values:
        done |= new
        more: list[Term] = []
        here = {s.name for s in done}
        for name, symbol in values.items():
            parties = [party for party in Side if threads.rename(symbol, party).name in here]
            if parties and not here.isdisjoint(s.name for s in new if s.name.startswith(name)):
                more += _conditions(protocol, threads, symbol, parties)
        found |= dict.fromkeys(more)
        new = symbols_of(*more) - done
    return tuple(found)


def _conditions(protocol: Protocol, threads: ThreadPair, symbol: Symbol, parties: list[Side]) -> Iterator[Term]:
    """Conditions on the value `symbol` of these parties."""
    known = protocol.uniform
    mask, group, scan = known.masks.get(symbol), known.groups.get(symbol), known.scans.get(symbol)
    for party in parties:
        yield from threads.of(known.told.get(symbol, ()), party)
        if mask is not None:
            yield from threads.of((_own_bit(mask, symbol),), party)
    if len(parties) == 2 and threads.same_block:
        if group is not None:
            yield disj(*_apart(group.agreed, group, threads), eq(*_both(symbol, threads)))
        if mask is not None:
            for party in Side:
                yield _bit_of_other(mask, symbol, threads, party)
        if scan is not None:
            for party in Side:
                yield _sum_behind(scan, symbol, threads, party)


def _own_bit(mask: LaneMask, symbol: Symbol) -> Term:
    return disj(*map(negate, _takes_part(mask)), eq(bit(var(symbol), mask.lane), as_int(mask.own)))


def _takes_part(together: UniformGroup | LaneMask | LaneScan) -> tuple[Term, ...]:
    """The conditions under which a thread takes part in the call."""
    return (together.member, *together.guards)


def _apart(
    terms: tuple[Term, ...], together: UniformGroup | LaneMask | LaneScan, threads: ThreadPair
) -> Iterator[Term]:
    """The ways in which the two have nothing to do with each other at this call."""
    yield from (negate(t) for party in Side for t in threads.of(_takes_part(together), party))
    yield from _differences((*terms, *map(var, together.loops)), threads)


def _differences(terms: tuple[Term, ...], threads: ThreadPair) -> Iterator[Term]:
    for one, two in zip(*(threads.of(terms, party) for party in Side), strict=True):
        yield ne(one, two)


def _both(symbol: Symbol, threads: ThreadPair) -> tuple[Term, Term]:
    first, second = (var(threads.rename(symbol, party)) for party in Side)
    return first, second


def _bit_of_other(mask: LaneMask, symbol: Symbol, threads: ThreadPair, party: Side) -> Term:
    """What the bit of the other's lane in the party's mask says of the other: that it is there, and what it has."""
    (other,) = threads.of((mask.lane,), party.other)
    is_set = eq(bit(var(threads.rename(symbol, party)), other), const(1))
    there = conj(*threads.of(_takes_part(mask), party.other))
    alike = eq(*_both(symbol, threads))
    match mask.peers:
        case Peers.VOTED | Peers.ACTIVE:
            said = disj(negate(is_set), conj(alike, there, *threads.of((mask.own,), party.other)))
        case Peers.EQUAL:
            assert mask.key is not None
            same_key = eq(*(threads.of((mask.key,), side)[0] for side in Side))
            said = disj(conj(is_set, alike, there, same_key), conj(negate(is_set), negate(conj(there, same_key))))
    own = (negate(t) for t in threads.of(_takes_part(mask), party))
    return disj(*own, *_differences((*mask.terms, *map(var, mask.loops)), threads), said)


def _sum_behind(scan: LaneScan, symbol: Symbol, threads: ThreadPair, party: Side) -> Term:
    """The party's running sum is at most that of the other, less what lies between, if its lane is the lower one."""
    lower, own = threads.of((scan.lane, scan.own), party)
    higher, others = threads.of((scan.lane, scan.own), party.other)
    sums = var(threads.rename(symbol, party)), var(threads.rename(symbol, party.other))
    between = others if scan.inclusive else own
    return disj(*_apart(scan.terms, scan, threads), le(higher, lower), le(add(sums[0], between), sums[1]))
