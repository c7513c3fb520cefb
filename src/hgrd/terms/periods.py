"""Periods of terms: after how many steps of a symbol, which is not negative, a term has the same value again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import gcd, lcm

from hgrd.terms.evaluate import evaluate
from hgrd.terms.rewrite import symbols_of
from hgrd.terms.term import Op, Symbol, Term

_MOST = 4096  # values of all symbols together
_FEW = 64  # values of a symbol that are gone through where it has no period


def cases(terms: tuple[Term, ...]) -> Iterator[Mapping[Symbol, int]] | None:
    """Values of the symbols that stand for all: whatever holds of the terms at these holds at all.

    None where that is not known, or where they are too many.
    """
    symbols = sorted(symbols_of(*terms), key=lambda s: s.name)
    ranges: list[range] = []
    for symbol in symbols:
        found = [_period(t, symbol) for t in terms]
        known = [p for p in found if p is not None]
        if symbol.low == 0 and symbol.high < _FEW:
            ranges.append(range(symbol.high + 1))
        elif symbol.low == 0 and len(known) == len(found):
            ranges.append(range(min(lcm(*known), symbol.high + 1)))
        else:
            return None
    total = 1
    for r in ranges:
        total *= len(r)
    if total > _MOST:
        return None
    return (dict(zip(symbols, values, strict=True)) for values in product(*ranges))


def always(term: Term) -> bool:
    """Whether a condition is known to hold for all values of its symbols, each of which it repeats for."""
    values = cases((term,))
    return values is not None and all(evaluate((term,), known)[0] for known in values)


def _period(term: Term, symbol: Symbol) -> int | None:
    """A number of steps after which the term has the same value again; None: none is known."""
    if symbol not in symbols_of(term):
        return 1
    match term.op:
        case Op.MOD if term.args[1].is_const and term.args[1].value > 0 and _not_negative(term.args[0]):
            return _modulo(term.args[0], symbol, term.args[1].value)
        case Op.AND_BITS if term.args[1].is_const and _all_ones(term.args[1].value) and _not_negative(term.args[0]):
            return _modulo(term.args[0], symbol, term.args[1].value + 1)
        case Op.VAR | Op.READ:
            return None
        case _:
            parts = [_period(t, symbol) for t in term.args]
            return None if None in parts else lcm(*(p for p in parts if p is not None))


def _modulo(term: Term, symbol: Symbol, modulus: int) -> int | None:
    """A number of steps after which the term has the same rest again."""
    if modulus == 1 or symbol not in symbols_of(term):
        return 1
    args = term.args
    match term.op:
        case Op.VAR:
            return modulus
        case Op.ADD | Op.SUB:
            parts = [_modulo(t, symbol, modulus) for t in args]
            return None if None in parts else lcm(*(p for p in parts if p is not None))
        case Op.MUL if args[1].is_const and args[1].value:
            return _modulo(args[0], symbol, modulus // gcd(args[1].value, modulus))
        case Op.DIV if args[1].is_const and args[1].value > 0 and _not_negative(args[0]):
            return _modulo(args[0], symbol, modulus * args[1].value)
        case Op.SHR if args[1].is_const and _not_negative(args[0]):
            return _modulo(args[0], symbol, modulus << args[1].value)
        case Op.WRAP if term.wrap_to[2]:  # taken not to wrap around
            return _modulo(args[0], symbol, modulus)
        case Op.WRAP if not term.wrap_to[1] and (1 << term.wrap_to[0]) % modulus == 0:
            return _modulo(args[0], symbol, modulus)
        case _:
            return _period(term, symbol)


def _not_negative(term: Term) -> bool:
    """Whether a term is not negative, if it does not wrap around where it is taken not to."""
    while term.op is Op.WRAP and term.wrap_to[2]:
        term = term.args[0]
    return term.low >= 0


def _all_ones(value: int) -> bool:
    return value >= 0 and value & (value + 1) == 0
