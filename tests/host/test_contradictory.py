"""Conditions that leave no value for a number, against trying all its values."""

from random import Random

import pytest

from hgrd.host.launches.contradictory import contradictory
from hgrd.terms import Origin, Symbol, Term, add, conj, const, eq, evaluate, le, lt, mul, negate, var

NUMBER = Symbol("n", -100, 100, Origin.INPUT)


def comparison(random: Random) -> Term:
    side = add(mul(var(NUMBER), const(random.choice((-8, -3, -1, 1, 2, 3, 8)))), const(random.randint(-20, 20)))
    sides = (side, const(random.randint(-20, 20)))
    made = random.choice((lt, le, eq))(*random.sample(sides, 2))
    return random.choice((made, negate(made)))


@pytest.mark.parametrize("seed", range(400))
def test_conditions_on_one_number(seed: int) -> None:
    random = Random(seed)
    conditions = [comparison(random) for _ in range(random.randint(1, 5))]
    some = any(all(evaluate(tuple(conditions), {NUMBER: n})) for n in range(-100, 101))
    assert contradictory(conditions) is not some
    assert contradictory([conj(*conditions)]) is not some


def test_conditions_on_several_numbers_are_left_open() -> None:
    other = var(Symbol("m", -100, 100, Origin.INPUT))
    assert not contradictory([lt(var(NUMBER), other), lt(other, var(NUMBER))])
