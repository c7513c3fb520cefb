"""Constructors keep the value; intervals contain it; substitution and evaluation commute."""

from __future__ import annotations

from math import gcd
from random import Random

import pytest

from hgrd import terms as t
from hgrd.terms import Op, Origin, Symbol, Term
from hgrd.terms.build import read_between
from hgrd.terms.interval import truncated_div, truncated_mod, wrapped
from hgrd.terms.rewrite import arrays_of, bottom_up, rebuild

X, Y, Z = (Symbol(name, low, high, Origin.INPUT) for name, low, high in (("x", -9, 9), ("y", 0, 70), ("z", -300, -2)))

BINARY = {
    t.add: lambda a, b: a + b,
    t.sub: lambda a, b: a - b,
    t.mul: lambda a, b: a * b,
    t.div: lambda a, b: truncated_div(a, b) if b else None,
    t.mod: lambda a, b: truncated_mod(a, b) if b else None,
    t.bit_and: lambda a, b: a & b,
    t.bit_or: lambda a, b: a | b,
    t.bit_xor: lambda a, b: a ^ b,
    t.shl: lambda a, b: a << b if 0 <= b < 64 else None,
    t.shr: lambda a, b: a >> b if 0 <= b < 64 else None,
    t.greatest_common_divisor: gcd,
    t.minimum: min,
    t.maximum: max,
    t.eq: lambda a, b: int(a == b),
    t.ne: lambda a, b: int(a != b),
    t.le: lambda a, b: int(a <= b),
    t.lt: lambda a, b: int(a < b),
    t.ge: lambda a, b: int(a >= b),
    t.gt: lambda a, b: int(a > b),
}


def contents(array: str, index: tuple[int, ...]) -> int:
    return (sum(index) * 7 + len(array)) % 11 - 3


class Grower:
    """Random terms together with their values, computed beside the constructors."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.symbols = {s: self.random.randint(s.low, s.high) for s in (X, Y, Z)}

    def grow(self, depth: int) -> tuple[Term, int | None]:
        random = self.random
        if depth == 0 or random.random() < 0.2:
            symbol = random.choice((X, Y, Z))
            number = random.choice((-2, -1, 0, 1, 2, 3, 7, 8, 31, 32))
            return random.choice(((t.var(symbol), self.symbols[symbol]), (t.const(number), number)))
        (a, x), (b, y), (c, z) = (self.grow(depth - 1) for _ in range(3))
        a, b = t.as_int(a), t.as_int(b)
        kind = random.randrange(24)
        if kind < 18:
            make, meaning = list(BINARY.items())[kind]
            return make(a, b), None if x is None or y is None else meaning(x, y)
        match kind:
            case 18 | 19:
                bits, signed = random.choice((4, 8, 32)), random.random() < 0.5
                soft = random.random() < 0.5
                return t.wrap(a, bits, signed, soft=soft), None if x is None else wrapped(x, bits, signed)
            case 20:
                chosen = y if z else x
                return t.ite(t.as_bool(c), b, a), None if z is None else chosen
            case 21:
                return read_between("ab", (a, b), -3, 7), None if None in (x, y) else contents("ab", (x, y))
            case 22:
                return t.negate(t.as_bool(a)), None if x is None else int(x == 0)
            case _:
                both = None if x is None or y is None else int(bool(x) and bool(y))
                return t.conj(t.as_bool(a), t.as_bool(b)), both


@pytest.mark.parametrize("seed", range(300))
def test_value_interval_and_substitution(seed: int) -> None:
    grower = Grower(seed)
    term, value = grower.grow(4)
    if value is None:
        return
    assert t.evaluate((term,), grower.symbols, contents) == (value,)
    assert term.low <= value <= term.high
    numbers = {s: t.const(v) for s, v in grower.symbols.items()}
    (closed,) = t.substitute((term,), numbers)
    assert t.evaluate((closed,), {}, contents) == (value,)
    shifted = {s: t.add(t.var(s), t.const(1)) for s in grower.symbols}
    (moved,) = t.substitute((term,), shifted)
    back = {s: v - 1 for s, v in grower.symbols.items()}
    assert t.evaluate((moved,), back, contents) == (value,)


@pytest.mark.parametrize("seed", range(300, 400))
def test_rebuilding_changes_nothing(seed: int) -> None:
    term, _ = Grower(seed).grow(4)
    for part in bottom_up((term,)):
        if part.op is not Op.VAR and part.args:
            assert rebuild(part, part.args) is part
            fresh = tuple(t.substitute((a,), {})[0] for a in part.args)
            assert fresh == part.args


def test_equal_terms_are_one_object() -> None:
    assert t.add(t.var(X), t.mul(t.var(Y), t.const(4))) is t.add(t.var(X), t.mul(t.var(Y), t.const(4)))
    assert t.add(t.var(X), t.var(Y)) is not t.add(t.var(X), t.var(Z))


def test_symbols_and_arrays() -> None:
    term = t.lt(read_between("a", (t.var(X),), 0, 9), t.add(t.var(Y), t.const(1)))
    assert t.symbols_of(term) == {X, Y}
    assert term.symbols == {X, Y}
    assert t.symbols_of() == frozenset()
    assert t.const(3).symbols == frozenset()
    assert arrays_of(term) == {"a"}


def test_deep_terms_have_symbols() -> None:
    term = t.var(X)
    for _ in range(5000):
        term = t.sub(t.var(Y), term)
    assert term.symbols == {X, Y}


def test_booleans_are_in_negation_normal_form() -> None:
    p, q = t.lt(t.var(X), t.var(Y)), t.eq(t.var(X), t.var(Z))
    assert t.negate(t.conj(p, q)) is t.disj(t.le(t.var(Y), t.var(X)), t.ne(t.var(X), t.var(Z)))
    assert t.conj(p, t.negate(p)) is t.FALSE
    assert t.disj(q, t.negate(q)) is t.TRUE
    assert t.negate(t.negate(q)) is q


def test_intervals_decide() -> None:
    assert t.le(t.var(Z), t.var(X)) is not t.TRUE
    assert t.lt(t.var(Z), t.const(0)) is t.TRUE
    assert t.eq(t.var(Z), t.var(Y)) is t.FALSE
    assert t.mod(t.var(Y), t.const(71)) is t.var(Y)
    assert t.wrap(t.var(Y), 8, False, soft=False) is t.var(Y)
    assert t.wrap(t.const(-1), 8, False, soft=True) is t.const(255)


def test_multiples_leave_no_remainder() -> None:
    rows = t.mul(t.var(Y), t.const(96))
    assert t.mod(rows, t.const(32)) is t.bit_and(rows, t.const(31)) is t.const(0)
    assert t.mod(t.add(rows, t.const(70)), t.const(32)) is t.const(6)
    assert t.bit_and(t.add(rows, t.var(X)), t.const(31)) is t.bit_and(t.var(X), t.const(31))
    assert t.mod(t.add(rows, t.var(X)), t.const(32)) is not t.mod(t.var(X), t.const(32))  # signs differ
    assert t.bit_and(rows, t.const(63)) is not t.const(0)


def test_what_a_choice_of_constants_equals() -> None:
    a, b, c = (t.lt(t.const(0), t.var(Symbol(name, -1, 1, Origin.INPUT))) for name in "abc")
    one, two, three = map(t.const, (1, 2, 3))
    chosen = t.ite(a, t.ite(b, one, two), t.ite(c, three, one))
    assert t.eq(chosen, one) is t.disj(t.conj(a, b), t.conj(t.negate(a), t.negate(c)))
    assert t.eq(chosen, three) is t.conj(t.negate(a), c)
    free = t.ite(a, t.ite(b, one, t.var(X)), t.ite(c, three, one))
    assert t.eq(free, one).op is Op.EQ


def test_undefined_parts_matter_only_where_they_decide() -> None:
    zero = t.sub(t.var(X), t.var(X))
    assert zero is t.const(0)
    d = Symbol("d", 0, 3, Origin.INPUT)
    broken = t.lt(t.const(2), t.div(t.const(5), t.var(d)))
    assert t.evaluate((t.disj(t.eq(t.var(d), t.const(0)), broken),), {d: 0}) == (1,)
    with pytest.raises(t.EvaluationError):
        t.evaluate((broken,), {d: 0})
    with pytest.raises(t.EvaluationError):
        t.evaluate((t.var(X),), {})


def test_text() -> None:
    index = t.add(t.mul(t.add(t.var(X), t.const(1)), t.var(Y)), t.var(Z))
    assert t.show(index) == "(x + 1) * y + z"
    assert t.show(t.wrap(t.mul(t.var(X), t.var(Y)), 8, False, soft=False)) == "u8!(x * y)"
    assert t.show(t.negate(t.eq(t.var(X), t.var(Y)))) == "x != y"


def test_a_vast_term_is_not_printed():
    term = t.var(Symbol("x", 0, 9, Origin.INPUT))
    for i in range(60):
        term = t.ite(t.lt(term, t.const(i)), t.add(term, t.const(1)), term)
    assert t.show(term) == "…"


TURNED = [(1, 1, True), (3, 3, True), (2, 3, True), (3, 1, False), (5, 5, False)]


@pytest.mark.parametrize(("high", "mask", "turned"), TURNED)
def test_all_bits_that_there_are_turned_round_are_a_difference(high: int, mask: int, turned: bool) -> None:
    symbol = Symbol("x", 0, high, Origin.INPUT)
    found = t.bit_xor(t.var(symbol), t.const(mask))
    assert (found is t.sub(t.const(mask), t.var(symbol))) is turned
    for value in range(high + 1):
        assert t.evaluate((found,), {symbol: value}) == (value ^ mask,)
