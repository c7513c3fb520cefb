"""Parities in one form: the same numbers, and what differs by 1 is seen to."""

from collections.abc import Callable

import pytest

from hgrd.terms import Origin, Symbol, Term, add, const, evaluate, mul, sub, var
from hgrd.terms.build import bit_and, bit_xor, mod, wrap
from hgrd.terms.linear import difference
from hgrd.terms.parity import with_parities

T = Symbol("t", 0, 1000, Origin.LOOP)
U = Symbol("u", -1000, 1000, Origin.INPUT)
ONE = const(1)
FORMS: dict[str, Callable[[Term], Term]] = {
    "t & 1": lambda t: bit_and(t, ONE),
    "(t + 1) & 1": lambda t: bit_and(add(t, ONE), ONE),
    "(t + 7) % 2": lambda t: mod(add(t, const(7)), const(2)),
    "(2 * u + t + 1) & 1": lambda t: bit_and(add(mul(const(2), var(U)), t, ONE), ONE),
    "(t & 1) ^ 1": lambda t: bit_xor(bit_and(t, ONE), ONE),
    "(u32)(t - 1) & 1": lambda t: bit_and(wrap(sub(t, ONE), 32, False, soft=False), ONE),
    "u % 2": lambda _: mod(var(U), const(2)),
    "t ^ 1": lambda t: bit_xor(t, ONE),
    "t & 3": lambda t: bit_and(t, const(3)),
}


@pytest.mark.parametrize("name", FORMS)
def test_numbers_stay_the_same(name: str) -> None:
    term = FORMS[name](var(T))
    for t in (0, 1, 2, 7, 1000):
        for u in (-3, -2, 0, 5):
            before, after = evaluate((term, with_parities(term)), {T: t, U: u})
            assert before == after


@pytest.mark.parametrize(
    "other", ["(t + 1) & 1", "(t + 7) % 2", "(2 * u + t + 1) & 1", "(t & 1) ^ 1", "(u32)(t - 1) & 1"]
)
def test_what_is_odd_where_another_number_is_even(other: str) -> None:
    one, two = (with_parities(FORMS[name](var(T))) for name in ("t & 1", other))
    assert add(one, two) is ONE or difference(add(one, two), ONE) is const(0)


@pytest.mark.parametrize("name", ["u % 2", "t ^ 1", "t & 3"])
def test_other_remainders_are_left(name: str) -> None:
    assert with_parities(FORMS[name](var(T))) is FORMS[name](var(T))
