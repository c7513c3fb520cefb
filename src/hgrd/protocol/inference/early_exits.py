"""Early exits: a thread in an iteration, or after a loop, cannot have left in an earlier iteration."""

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

_FIRST = 64  # iterations that are examined one by one


def stayed(exits: Iterable[Term], binder: Symbol, local: frozenset[str], at: Term) -> tuple[Term, ...]:
    """Conditions at the start of iteration `at` of a loop that is left under `exits`.

    The thread did not leave in the first iteration, nor in the previous one (of inner loops, in their first one).  An
    exit that is possible in one iteration only, or that all threads take in one of the first, was not taken in that
    one.  Exits that depend on values of their iterations (`local`) or of memory give no condition.
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
    """Conditions after a loop that may end by one of `breaks` in iteration `count`; () if they are unknown."""
    if len(_told((*tests, *breaks), frozenset())) < len(tests) + len(breaks):
        return ()
    if any(s.name in local for s in symbols_of(*tests, *breaks)):
        return ()
    way_out = disj(negate(conj(*tests)), lt(const(binder.high), count), *breaks)
    return substitute((way_out,), {binder: count})


def _told(conditions: Iterable[Term], local: frozenset[str]) -> list[Term]:
    """Conditions that depend only on iterations and on what is known before the loop."""
    found: list[Term] = []
    for condition in conditions:
        inner = {s: const(0) for s in symbols_of(condition) if s.origin is Origin.LOOP and s.name in local}
        (first,) = substitute((condition,), inner)
        if not arrays_of(first) and not any(s.name in local or s.origin is Origin.UNKNOWN for s in symbols_of(first)):
            found.append(first)
    return found


def _once(condition: Term, binder: Symbol, at: Term) -> Iterator[Term]:
    """Bound by an exit under `binder == value`: `at` is at most this value."""
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
    """Bound by the first iteration in which all threads leave: `at` is at most its number."""
    if binder not in symbols_of(condition):
        return
    for number in map(const, range(min(binder.high, _FIRST) + 1)):
        if substitute((condition,), {binder: number})[0] is TRUE:
            yield le(at, number)
            return


def knowing(items: Iterable[Item], known: tuple[Term, ...]) -> tuple[Item, ...]:
    """Items with the `known` conditions added to the guards of each access."""
    return tuple(_knowing(item, known) for item in items) if known else tuple(items)


def _knowing(item: Item, known: tuple[Term, ...]) -> Item:
    match item:
        case Access(guards=guards):
            return replace(item, guards=tuple(dict.fromkeys((*guards, *known))))
        case ProtocolLoop(items=items):
            return replace(item, items=knowing(items, known))
        case _:
            return item
