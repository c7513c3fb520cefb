"""Small queries for tests: two threads t1 != t2 of one block, shared values, addresses of ints."""

from __future__ import annotations

from hgrd.solve.query import Axis, Party, Query
from hgrd.terms import Origin, Symbol, Term, const, mul, ne, symbols_of, var

T1 = Symbol("t1", 0, 1023, Origin.THREAD)
T2 = Symbol("t2", 0, 1023, Origin.THREAD)


def shared(name: str, low: int, high: int, origin: Origin = Origin.INPUT) -> Term:
    return var(Symbol(name, low, high, origin))


def private(name: str, low: int, high: int) -> Term:
    """Names that end in 1 or 2 are the first or second thread's own."""
    return var(Symbol(name, low, high, Origin.LOOP))


def pair(
    first: Term,
    second: Term,
    *,
    guards: tuple[Term, ...] = (),
    facts: tuple[Term, ...] = (),
    between: tuple[Term, ...] = (),
    threads: Term | int = 1024,
    sizes: tuple[int, int] = (4, 4),
    scale: int = 4,
) -> Query:
    """The accesses of `scale` times the indexes; all guards are put to the first party."""
    extent = const(threads) if isinstance(threads, int) else threads
    everything = symbols_of(first, second, *guards, *facts, *between, extent) | {T1, T2}
    own = [tuple(sorted((s for s in everything if s.name.endswith(k)), key=lambda s: s.name)) for k in "12"]
    rest = tuple(sorted(everything - {*own[0], *own[1]}, key=lambda s: s.name))
    parties = [
        Party(own[0], (Axis(T1, extent),), guards, mul(first, const(scale)), sizes[0]),
        Party(own[1], (Axis(T2, extent),), (), mul(second, const(scale)), sizes[1]),
    ]
    return Query(rest, (), facts, parties[0], parties[1], (ne(var(T1), var(T2)), *between))
