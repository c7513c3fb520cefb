"""Linear forms of terms, and how a value changes from one iteration to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hgrd.terms import Op, Symbol, Term, add, const, mul, sub, symbols_of, var

Linear: TypeAlias = tuple[int, dict[Term, int]]


def linear(term: Term) -> Linear:
    """`term` as constant + sum of coefficient * atom, soft wraps read through."""
    match term.op:
        case Op.CONST:
            return term.value, {}
        case Op.ADD:
            return _combine(linear(term.args[0]), linear(term.args[1]), 1)
        case Op.SUB:
            return _combine(linear(term.args[0]), linear(term.args[1]), -1)
        case Op.MUL if term.args[1].is_const:
            return _scale(linear(term.args[0]), term.args[1].value)
        case Op.WRAP if term.wrap_to[2]:
            return linear(term.args[0])
        case _:
            return 0, {term: 1}


def _combine(a: Linear, b: Linear, sign: int) -> Linear:
    total = dict(a[1])
    for atom, coefficient in b[1].items():
        value = total.get(atom, 0) + sign * coefficient
        if value:
            total[atom] = value
        else:
            total.pop(atom, None)
    return a[0] + sign * b[0], total


def _scale(a: Linear, factor: int) -> Linear:
    return (a[0] * factor, {t: c * factor for t, c in a[1].items()}) if factor else (0, {})


def congruent(term: Term, bits: int) -> Term:
    """A term that is equal modulo 2**bits, without the wraps to as many bits or more."""
    match term.op:
        case Op.WRAP if term.wrap_to[0] >= bits:
            return congruent(term.args[0], bits)
        case Op.ADD:
            return add(congruent(term.args[0], bits), congruent(term.args[1], bits))
        case Op.SUB:
            return sub(congruent(term.args[0], bits), congruent(term.args[1], bits))
        case Op.MUL:
            return mul(congruent(term.args[0], bits), congruent(term.args[1], bits))
        case _:
            return term


def from_linear(form: Linear) -> Term:
    total = const(form[0])
    for atom, coefficient in form[1].items():
        total = add(total, mul(atom, const(coefficient)))
    return total


def difference(after: Term, before: Term) -> Term:
    """`after - before`, simplified."""
    return from_linear(_combine(linear(after), linear(before), -1))


@dataclass(frozen=True, slots=True)
class Steady:
    """Adds the same amount every iteration."""

    delta: Term


@dataclass(frozen=True, slots=True)
class Scaling:
    """Is shifted left (`bits` > 0) or right (`bits` < 0) by |bits| bits every iteration.

    `truncates`: it is divided, which is the same only for values that are not negative.
    """

    bits: int
    truncates: bool = False


@dataclass(frozen=True, slots=True)
class Drifting:
    """Changes by an amount within [low, high] every iteration."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Flipping:
    """Becomes `total` minus itself every iteration (`k = 1 - k`)."""

    total: Term


Progress: TypeAlias = Steady | Scaling | Drifting | Flipping | None


def progress(after: Term, before: Symbol) -> Progress:
    """How the value of `before` changes in one iteration; None: in no known way."""
    start = var(before)
    core = _unwrapped(after)
    bits = _scaling(core, before)
    if bits is not None:
        return Scaling(bits, core.op is Op.DIV)
    delta = difference(core, start)
    if before not in symbols_of(delta):
        return Steady(delta)
    total = from_linear(_combine(linear(core), linear(start), 1))
    if before not in symbols_of(total):
        return Flipping(total)
    bounds = _change(core, start, before)
    return None if bounds is None else Drifting(*bounds)


def _unwrapped(term: Term) -> Term:
    while term.op is Op.WRAP and term.wrap_to[2]:
        term = term.args[0]
    return term


def _scaling(term: Term, symbol: Symbol) -> int | None:
    """k if term is symbol * 2**k, -k if it is symbol / 2**k (the symbol not negative)."""
    if len(term.args) != 2 or not term.args[1].is_const:
        return None
    base, factor = _unwrapped(term.args[0]), term.args[1].value
    if base.op is not Op.VAR or base.symbol != symbol:
        return None
    if term.op is Op.SHR and factor > 0:
        return -factor
    if factor > 1 and factor & (factor - 1) == 0:
        if term.op is Op.MUL:
            return factor.bit_length() - 1
        if term.op is Op.DIV:
            return 1 - factor.bit_length()
    return None


def _change(term: Term, start: Term, symbol: Symbol) -> tuple[int, int] | None:
    """Bounds of term - start, through choices."""
    low, high = 0, 0
    for position, arm in enumerate(_arms(term)):
        delta = difference(arm, start)
        if symbol in symbols_of(delta):
            return None
        low = delta.low if position == 0 else min(low, delta.low)
        high = delta.high if position == 0 else max(high, delta.high)
    return low, high


def _arms(term: Term) -> Iterator[Term]:
    """What a term may be: the arms of its choices, each once."""
    seen: set[Term] = set()
    todo = [term]
    while todo:
        current = _unwrapped(todo.pop())
        if current in seen:
            continue
        seen.add(current)
        if current.op is Op.ITE:
            todo.extend(current.args[1:])
        else:
            yield current
