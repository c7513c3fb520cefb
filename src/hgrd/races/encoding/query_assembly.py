"""Assembly of queries: what holds of any two threads, the facts that matter, and the two parties."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from hgrd.host.model import Fact
from hgrd.protocol.model import Protocol
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.threads.two_threads import SUFFIX, ThreadPair, plain_name
from hgrd.solve.query import Axis, Party, Query
from hgrd.terms import Symbol, Term, conj, disj, ne, negate, symbols_of, var
from hgrd.terms.rewrite import substitute


def split(terms: tuple[Term, ...], lengths: Iterable[int]) -> list[tuple[Term, ...]]:
    """The consecutive parts of these lengths."""
    rest = iter(terms)
    return [tuple(islice(rest, length)) for length in lengths]


def across(protocol: Protocol, threads: ThreadPair) -> tuple[Term, ...]:
    """Conditions of the program on any two threads, stated for these two."""
    found: dict[Term, None] = {}
    for item in protocol.across:
        reached = conj(*item.guards)
        for side in Side:
            here, condition = threads.of((reached, item.condition), side)
            there, *values = threads.of((reached, *(value for _, value in item.others)), side.other)
            known = {threads.rename(s, side): v for (s, _), v in zip(item.others, values, strict=True)}
            apart = [ne(*(var(threads.rename(k, party)) for party in Side)) for k in item.loops]
            found[disj(negate(here), negate(there), *apart, *substitute((condition,), known))] = None
    return tuple(found)


def with_extents(threads: ThreadPair, symbols: frozenset[Symbol]) -> frozenset[Symbol]:
    """The symbols, and those that bound the indexes among them."""
    names = set(map(plain_name, symbols))
    return symbols | symbols_of(*(extent for s, extent in _axes(threads) if s.name in names))


def _axes(threads: ThreadPair) -> list[tuple[Symbol, Term]]:
    """The index symbols with their extents."""
    c = threads.configuration
    indexes, extents = (*c.thread, *c.block_index), (*c.block, *c.grid)
    return [(s, extent) for s, extent in zip(indexes, extents, strict=True) if s is not None]


def cone(facts: tuple[Fact, ...], symbols: frozenset[Symbol]) -> tuple[Fact, ...]:
    """The cone of influence: the facts that are connected to the symbols, directly or through other facts."""
    chosen: list[int] = []
    reach = set(symbols)
    free = {i: symbols_of(f.term) for i, f in enumerate(facts)}
    changed = True
    while changed:
        changed = False
        for i, mentioned in list(free.items()):
            if mentioned & reach:
                chosen.append(i)
                reach |= mentioned
                del free[i]
                changed = True
    return tuple(facts[i] for i in sorted(chosen))


def query_of(
    threads: ThreadPair,
    facts: tuple[Fact, ...],
    first: tuple[Term, tuple[Term, ...], int],
    second: tuple[Term, tuple[Term, ...], int],
    between: tuple[Term, ...],
) -> Query:
    """The query whether two threads touch the same bytes: address, guards and size of each, and what holds between."""
    everything = symbols_of(first[0], *first[1], second[0], *second[1], *between, *(f.term for f in facts))
    axes = _axes(threads)
    everything |= symbols_of(*(e for _, e in axes))
    shared_axes = tuple(Axis(s, e) for s, e in axes if not threads.is_private(s))
    parties: list[Party] = []
    taken: set[Symbol] = set()
    for side, (address, guards, size) in ((Side.FIRST, first), (Side.SECOND, second)):
        own = tuple(Axis(threads.rename(s, side), e) for s, e in axes if threads.is_private(s))
        names = {a.symbol for a in own} | {s for s in everything if s.name.endswith(SUFFIX[side])}
        taken |= names
        parties.append(Party(tuple(sorted(names, key=lambda s: s.name)), own, guards, address, size))
    shared = (everything | {a.symbol for a in shared_axes}) - taken
    ordered = tuple(sorted(shared, key=lambda s: s.name))
    return Query(ordered, shared_axes, tuple(f.term for f in facts), parties[0], parties[1], between)
