"""Exact evaluation of terms on Python integers: the judge of every witness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd
from typing import TypeAlias

from hgrd.terms import interval
from hgrd.terms.rewrite import bottom_up
from hgrd.terms.term import Op, Symbol, Term

ReadFunction: TypeAlias = Callable[[str, tuple[int, ...]], int]


class EvaluationError(ValueError):
    """The term has no value here: division by zero, a negative shift, an unknown symbol."""


def _no_reads(array: str, _: tuple[int, ...]) -> int:
    raise EvaluationError(f"no contents known for {array}")


def evaluate(
    roots: tuple[Term, ...], symbols: Mapping[Symbol, int], reads: ReadFunction = _no_reads
) -> tuple[int, ...]:
    """The values of `roots` (Booleans as 0 or 1).

    Only the chosen arm of an ITE and the needed prefix of AND/OR must have a value: an undefined
    subterm raises EvaluationError only where it decides the result.
    """
    values: dict[Term, int | EvaluationError] = {}
    for term in bottom_up(roots):
        try:
            values[term] = _step(term, values, symbols, reads)
        except EvaluationError as error:
            values[term] = error
    return tuple(_get(values, root) for root in roots)


def _get(values: Mapping[Term, int | EvaluationError], term: Term) -> int:
    value = values[term]
    if isinstance(value, EvaluationError):
        raise value
    return value


def _step(
    term: Term, values: Mapping[Term, int | EvaluationError], symbols: Mapping[Symbol, int], reads: ReadFunction
) -> int:
    match term.op:
        case Op.CONST:
            return term.value
        case Op.VAR:
            if term.symbol not in symbols:
                raise EvaluationError(f"no value for {term.symbol.name}")
            return symbols[term.symbol]
        case Op.TRUE:
            return 1
        case Op.FALSE:
            return 0
        case Op.ITE:
            return _get(values, term.args[1] if _get(values, term.args[0]) else term.args[2])
        case Op.AND:
            return int(all(_get(values, a) for a in term.args))
        case Op.OR:
            return int(any(_get(values, a) for a in term.args))
        case _:
            arguments = [_get(values, a) for a in term.args]
            if term.op is Op.READ:
                return reads(term.array, tuple(arguments))
            return _apply(term, arguments)


def _apply(term: Term, a: list[int]) -> int:
    match term.op:
        case Op.ADD:
            return a[0] + a[1]
        case Op.SUB:
            return a[0] - a[1]
        case Op.MUL:
            return a[0] * a[1]
        case Op.DIV | Op.MOD if a[1] == 0:
            raise EvaluationError("division by zero")
        case Op.DIV:
            return interval.truncated_div(a[0], a[1])
        case Op.MOD:
            return interval.truncated_mod(a[0], a[1])
        case Op.AND_BITS:
            return a[0] & a[1]
        case Op.OR_BITS:
            return a[0] | a[1]
        case Op.XOR_BITS:
            return a[0] ^ a[1]
        case Op.SHL | Op.SHR if not 0 <= a[1] < 4096:
            raise EvaluationError("shift count out of range")
        case Op.SHL:
            return a[0] << a[1]
        case Op.SHR:
            return a[0] >> a[1]
        case Op.ONES_BELOW if not 0 <= a[1] < 4096:
            raise EvaluationError("number of bits out of range")
        case Op.ONES_BELOW:
            return (a[0] & ((1 << a[1]) - 1)).bit_count()
        case Op.BIT_LENGTH if a[0] < 0:
            raise EvaluationError("length of a negative number")
        case Op.BIT_LENGTH:
            return a[0].bit_length()
        case Op.LOWEST_ONE:
            return (a[0] & -a[0]).bit_length()
        case Op.GCD:
            return gcd(*a)
        case Op.MIN:
            return min(a)
        case Op.MAX:
            return max(a)
        case Op.WRAP:
            bits, signed, _ = term.wrap_to
            return interval.wrapped(a[0], bits, signed)
        case Op.EQ:
            return int(a[0] == a[1])
        case Op.LE:
            return int(a[0] <= a[1])
        case Op.LT:
            return int(a[0] < a[1])
        case Op.NOT:
            return 1 - a[0]
        case _:
            raise EvaluationError(f"cannot evaluate {term.op}")
