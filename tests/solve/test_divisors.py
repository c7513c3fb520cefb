"""Equations without a solution in integers."""

import pytest

from hgrd.solve.normal_form.bounds import Infeasible
from hgrd.solve.normal_form.divisors import check_divisors
from hgrd.solve.normal_form.formula import AtMost, Claim, Equal
from hgrd.solve.normal_form.poly import Poly

X, Y, Z, XY = (0,), (1,), (2,), (0, 1)


def facts_against(*polys: Poly) -> int | None:
    """The facts of a contradiction, the first equation being fact 1, the second fact 2, the third fact 4."""
    try:
        check_divisors(Claim(Equal(p), 1 << i) for i, p in enumerate(polys))
    except Infeasible as contradiction:
        return contradiction.facts
    return None


@pytest.mark.parametrize(
    ("polys", "facts"),
    [
        (({X: 6, Y: -4, (): 3},), 1),
        (({X: 6, Y: -4, (): 2},), None),
        (({XY: 6, Z: 4, (): 1},), 1),
        (({X: 40, Y: -(1 << 32), Z: -1}, {XY: 40, Z: -1, (): 4}), 3),
        (({X: 40, Y: -(1 << 32), Z: -1}, {XY: 40, Z: -1, (): 8}), None),
        (({X: 2, (): 1}, {Y: 3, (): 3}), 1),
        (({X: 2, Z: -1}, {Y: 2, Z: -1, X: 4, (): 1}, {Y: 5}), 3),
        (({X: 1, (): -3}, {X: 1, (): -4}), 3),
        (({},), None),
    ],
)
def test_divisors(polys: tuple[Poly, ...], facts: int | None):
    assert facts_against(*polys) == facts


def test_inequalities_have_no_say():
    check_divisors([Claim(AtMost({X: 2, (): 1})), Claim(Equal({X: 2, Y: 1, (): 1}))])
