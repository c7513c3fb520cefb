"""What a thread that is in an iteration, or behind a loop, cannot have done: leave in an iteration before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from hgrd.protocol.model import Access, Item, ProtocolLoop
from hgrd.terms import (
    TRUE,
    Op,
    Origin,
    Symbol,
    Term,
    add,
    conj,
    const,
    disj,
    le,
    lt,
    negate,
    substitute,
    symbols_of,
    var,
)
from hgrd.terms.linear import difference, from_linear, linear
from hgrd.terms.rewrite import arrays_of

_FIRST = 64  # iterations that are looked at one by one


def stayed(exits: Iterable[Term], binder: Symbol, local: frozenset[str], at: Term) -> tuple[Term, ...]:
    """What is known at the start of iteration `at`, if a loop is left under `exits`.

    That is: not in the first iteration nor in the one before (of inner loops, in their first one), and for an exit
    that one iteration alone can take, or that all threads take in one of the first, not in that one.  Exits that
    depend on values of their iterations (`local`) or of memory say nothing.
    """
    found: dict[Term, None] = {}
    for condition in _told(exits, local):
        for number in (const(0), add(at, const(-1))):
            (left,) = substitute((condition,), {binder: number})
            found[disj(le(at, const(0)), negate(left))] = None
        found.update(dict.fromkeys((*_once(condition, binder, at), *_for_all(condition, binder, at))))
    found.pop(TRUE, None)
    return tuple(found)


def ended(
    tests: tuple[Term, ...], breaks: tuple[Term, ...], binder: Symbol, local: frozenset[str], count: Term
) -> tuple[Term, ...]:
    """What is known behind a loop that may end by one of `breaks` in iteration `count`, if it can be told."""
    if len(_told((*tests, *breaks), frozenset())) < len(tests) + len(breaks):
        return ()
    if any(s.name in local for s in symbols_of(*tests, *breaks)):
        return ()
    way_out = disj(negate(conj(*tests)), lt(const(binder.high), count), *breaks)
    return substitute((way_out,), {binder: count})


def _told(conditions: Iterable[Term], local: frozenset[str]) -> list[Term]:
    """Those that depend on nothing but iterations and on what is known before the loop."""
    found: list[Term] = []
    for condition in conditions:
        inner = {s: const(0) for s in symbols_of(condition) if s.origin is Origin.LOOP and s.name in local}
        (first,) = substitute((condition,), inner)
        if not arrays_of(first) and not any(s.name in local or s.origin is Origin.UNKNOWN for s in symbols_of(first)):
            found.append(first)
    return found


def _once(condition: Term, binder: Symbol, at: Term) -> Iterator[Term]:
    """`binder == value` leads out: `at` is not beyond that."""
    parts = condition.args if condition.op is Op.AND else (condition,)
    for i, part in enumerate(parts):
        others = conj(*parts[:i], *parts[i + 1 :])
        if part.op is not Op.EQ or binder in symbols_of(others):
            continue
        constant, atoms = linear(difference(*part.args))
        slope = atoms.pop(var(binder), 0)
        if abs(slope) == 1 and all(binder not in symbols_of(t) for t in atoms):
            value = from_linear((-slope * constant, {t: -slope * c for t, c in atoms.items()}))
            yield disj(negate(others), lt(value, const(0)), le(at, value))


def _for_all(condition: Term, binder: Symbol, at: Term) -> Iterator[Term]:
    """The first iteration in which all threads leave, whatever else is known: `at` is not beyond that."""
    if binder not in symbols_of(condition):
        return
    for number in map(const, range(min(binder.high, _FIRST) + 1)):
        if substitute((condition,), {binder: number})[0] is TRUE:
            yield le(at, number)
            return


def knowing(items: Iterable[Item], known: tuple[Term, ...]) -> tuple[Item, ...]:
    """The items with more that is known of each access."""
    return tuple(_knowing(item, known) for item in items) if known else tuple(items)


def _knowing(item: Item, known: tuple[Term, ...]) -> Item:
    match item:
        case Access(guards=guards):
            return replace(item, guards=tuple(dict.fromkeys((*guards, *known))))
        case ProtocolLoop(items=items):
            return replace(item, items=knowing(items, known))
        case _:
            return item
