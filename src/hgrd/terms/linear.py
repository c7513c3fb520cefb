"""Linear forms of terms, and how a value changes from one iteration to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from hgrd.terms import Op, Symbol, Term, add, const, mul, symbols_of, var
from hgrd.terms.rewrite import bottom_up, rebuild

Linear: TypeAlias = tuple[int, dict[Term, int]]

_MOST_ARMS = 64  # of choices that are taken apart


def linear(term: Term) -> Linear:
    """`term` as constant + sum of coefficient * atom, soft wraps read through."""
    forms: dict[Term, Linear] = {}
    for t in bottom_up((term,), _summands):
        a, *rest = [forms[x] for x in _summands(t)] or [(0, {t: 1})]
        match t.op:
            case Op.CONST:
                forms[t] = t.value, {}
            case Op.ADD | Op.SUB:
                forms[t] = _combine(a, rest[0], 1 if t.op is Op.ADD else -1)
            case Op.MUL if t.args[1].is_const:
                forms[t] = _scale(a, t.args[1].value)
            case _:
                forms[t] = a
    return forms[term]


def _summands(term: Term) -> tuple[Term, ...]:
    """What the linear form of a term is made of; () of an atom."""
    match term.op:
        case Op.ADD | Op.SUB:
            return term.args
        case Op.MUL if term.args[1].is_const:
            return term.args[:1]
        case Op.WRAP if term.wrap_to[2]:
            return term.args
        case _:
            return ()


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

    def parts(t: Term) -> tuple[Term, ...]:
        wraps = t.op is Op.WRAP and t.wrap_to[0] >= bits
        return t.args if wraps or t.op in (Op.ADD, Op.SUB, Op.MUL) else ()

    done: dict[Term, Term] = {}
    for t in bottom_up((term,), parts):
        seen = tuple(done[x] for x in parts(t))
        done[t] = t if not seen else seen[0] if t.op is Op.WRAP else rebuild(t, seen)
    return done[term]


def from_linear(form: Linear) -> Term:
    total = const(form[0])
    for atom, coefficient in form[1].items():
        total = add(total, mul(atom, const(coefficient)))
    return total


def difference(after: Term, before: Term) -> Term:
    """`after - before`, simplified."""
    return from_linear(_combine(linear(after), linear(before), -1))


class Steady(Struct, frozen=True):
    """Adds the same amount every iteration."""

    delta: Term


class Scaling(Struct, frozen=True):
    """Is shifted left (`bits` > 0) or right (`bits` < 0) by |bits| bits every iteration.

    `truncates`: it is divided, which is the same only for values that are not negative.
    """

    bits: int
    truncates: bool = False


class Drifting(Struct, frozen=True):
    """Changes by an amount within [low, high] every iteration."""

    low: int
    high: int


class Flipping(Struct, frozen=True):
    """Becomes `total` minus itself every iteration (`k = 1 - k`)."""

    total: Term


Progress: TypeAlias = Steady | Scaling | Drifting | Flipping | None


def progress(after: Term, before: Symbol) -> Progress:
    """How the value of `before` changes in one iteration; None: in no known way."""
    start = var(before)
    core = _without_soft_wraps(after)
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


def _without_soft_wraps(term: Term) -> Term:
    while term.op is Op.WRAP and term.wrap_to[2]:
        term = term.args[0]
    return term


def _scaling(term: Term, symbol: Symbol) -> int | None:
    """k if term is symbol * 2**k, -k if it is symbol / 2**k (the symbol not negative)."""
    if len(term.args) != 2 or not term.args[1].is_const:
        return None
    base, factor = _without_soft_wraps(term.args[0]), term.args[1].value
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
    for position, arm in enumerate(_arms(term, symbol)):
        delta = difference(arm, start)
        if symbol in symbols_of(delta):
            return None
        low = delta.low if position == 0 else min(low, delta.low)
        high = delta.high if position == 0 else max(high, delta.high)
    return low, high


def _arms(term: Term, symbol: Symbol) -> Iterator[Term]:
    """What a term may be: the arms of its choices, each once, also of choices to which something is added.

    Of these, only those in which the symbol is.
    """
    seen: set[Term] = set()
    todo = [term]
    while todo:
        current = _without_soft_wraps(todo.pop())
        if current in seen:
            continue
        seen.add(current)
        if current.op is Op.ITE:
            todo.extend(current.args[1:])
            continue
        constant, atoms = linear(current)
        choice = next((t for t in atoms if t.op is Op.ITE and symbol in symbols_of(t)), None)
        if choice is None or len(seen) > _MOST_ARMS:
            yield current
        else:
            times = atoms.pop(choice)
            rest = from_linear((constant, atoms))
            todo.extend(add(rest, mul(arm, const(times))) for arm in choice.args[1:])
