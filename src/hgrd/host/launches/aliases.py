"""Aliases: pointers of unknown origin that the path says to be equal, or at a known distance, lead into one object.

    if (out == in) in_place<<<grid, block>>>(out, in, n);

Other pointers of unknown origin are assumed not to alias.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from msgspec.structs import replace

from hgrd.symbolic.pointers import distance, from_outside
from hgrd.symbolic.state import Condition
from hgrd.symbolic.values import Choice, Composite, FloatValue, MemoryObject, Pointer, PointerValue, Value, pointed_to
from hgrd.terms import Op, Symbol, Term, add, const, symbols_of, var
from hgrd.terms.linear import difference, from_linear, linear

Within: TypeAlias = Mapping[str, tuple[MemoryObject, Term]]
"""By key, the object that another one lies in, and its offset there in bytes."""
Equations: TypeAlias = Mapping[Symbol, list[tuple[int, dict[Term, int]]]]
"""By a variable, the sums that have it as a term and that are zero: a constant, and the factors of the terms."""


def found_equal(path: Iterable[Condition], arguments: Iterable[Value]) -> tuple[Value, ...]:
    """The arguments of a launch, with pointers into one object where `path` says that they lead there."""
    values = tuple(arguments)
    outside = tuple({t.key: t for value in values for t in pointed_to(value) if from_outside(t)}.values())
    if len(outside) < 2:
        return values
    equations = _equations(c.term for c in path)
    within: dict[str, tuple[MemoryObject, Term]] = {}
    for one, two in combinations(outside, 2):
        offset_in = _distance(equations, one, two)
        if offset_in is not None and two.key not in within:
            into, further = within.get(one.key, (one, const(0)))
            within[two.key] = (into, add(offset_in, further))
    return tuple(_moved(value, within, outside) for value in values)


def _distance(equations: Equations, one: MemoryObject, two: MemoryObject) -> Term | None:
    """The distance from the begin of `one` to that of `two`, if an equation gives it."""
    wanted = distance(one, two)
    (symbol,) = symbols_of(wanted)
    for constant, atoms in equations.get(symbol, ()):
        slope, others = atoms[var(symbol)], {a: n for a, n in atoms.items() if a is not var(symbol)}
        if abs(slope) == 1 and not any(symbol in symbols_of(atom) for atom in others):
            sign = -slope if wanted is var(symbol) else slope
            return from_linear((sign * constant, {atom: sign * n for atom, n in others.items()}))
    return None


def _equations(conditions: Iterable[Term]) -> Equations:
    """The equations among conditions that hold."""
    found: dict[Symbol, list[tuple[int, dict[Term, int]]]] = {}
    for equation in _equalities(conditions):
        constant, atoms = linear(difference(*equation.args))
        for atom in atoms:
            if atom.op is Op.VAR:
                found.setdefault(atom.symbol, []).append((constant, atoms))
    return found


def _equalities(conditions: Iterable[Term]) -> Iterator[Term]:
    for term in conditions:
        if term.op is Op.EQ:
            yield term
        elif term.op is Op.AND:
            yield from _equalities(term.args)


def _moved(value: Value, within: Within, outside: tuple[MemoryObject, ...]) -> Value:
    match value:
        case Composite(cells=cells):
            kept = {at: replace(c, value=_moved(c.value, within, outside)) for at, c in cells.items()}
            return replace(value, cells=kept)
        case Term() | FloatValue():
            return value
        case _:
            return _pointer(value, within, outside)


def _pointer(value: PointerValue, within: Within, outside: tuple[MemoryObject, ...]) -> PointerValue:
    match value:
        case Pointer(target=target, offset=offset) if target.key in within:
            into, offset_in = within[target.key]
            return Pointer(into, add(offset, offset_in))
        case Choice(condition=condition, then=a, otherwise=b):
            equal = _equations((condition,))
            pairs = ((t, o) for t in pointed_to(a) for o in outside if o != t)
            held = {t.key: (o, offset_in) for t, o in pairs if (offset_in := _distance(equal, o, t)) is not None}
            return Choice(condition, _pointer(a, {**within, **held}, outside), _pointer(b, within, outside))
        case _:
            return value
