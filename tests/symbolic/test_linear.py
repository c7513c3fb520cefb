"""Linear forms, and how values change from one iteration to the next."""

import pytest

from hgrd.terms import Origin, Symbol, Term, add, const, div, ite, le, mul, read, shl, shr, sub, var, wrap
from hgrd.terms.linear import (
    Drifting,
    Flipping,
    Progress,
    Scaling,
    Steady,
    congruent,
    difference,
    from_linear,
    linear,
    progress,
)

X = Symbol("x", 0, 1000, Origin.UNKNOWN)
Y = Symbol("y", -5, 5, Origin.INPUT)
x, y = var(X), var(Y)


def soft(term: Term) -> Term:
    return wrap(term, 8, False, soft=True)


@pytest.mark.parametrize(
    ("term", "constant", "atoms"),
    [
        (const(7), 7, {}),
        (x, 0, {x: 1}),
        (add(x, mul(x, const(3)), const(2)), 2, {x: 4}),
        (sub(mul(add(x, const(1)), const(4)), x), 4, {x: 3}),
        (sub(add(x, y), x), 0, {y: 1}),
        (mul(x, y), 0, {mul(x, y): 1}),
        (mul(soft(add(x, const(1))), const(2)), 2, {x: 2}),
        (div(x, const(2)), 0, {div(x, const(2)): 1}),
        (wrap(x, 8, False, soft=False), 0, {wrap(x, 8, False, soft=False): 1}),
    ],
)
def test_linear(term: Term, constant: int, atoms: dict[Term, int]):
    assert linear(term) == (constant, atoms)


def test_what_occurs_again_and_again_is_looked_at_once():
    """As in the rounds of a hash function: written out, these terms have 2**200 leaves."""
    form, remainder = x, x
    for _ in range(200):
        form = soft(add(form, soft(form)))
        tripled = wrap(mul(remainder, const(3)), 32, False, soft=False)
        remainder = wrap(add(remainder, tripled), 32, False, soft=False)
    assert linear(form) == (0, {x: 2**200})
    assert linear(congruent(remainder, 32)) == (0, {x: 4**200})


def test_from_linear_gives_the_term_back():
    term = add(mul(x, const(4)), mul(y, const(-1)), const(3))
    assert linear(from_linear(linear(term))) == linear(term)
    assert from_linear((5, {})) is const(5)


def test_difference():
    assert difference(add(x, y, const(3)), add(x, const(1))) is add(y, const(2))
    assert difference(x, x) is const(0)


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (x, Steady(const(0))),
        (add(x, const(3)), Steady(const(3))),
        (soft(add(x, const(3))), Steady(const(3))),
        (sub(x, y), Steady(sub(const(0), y))),
        (add(y, x), Steady(y)),
        (shl(x, const(1)), Scaling(1)),
        (mul(x, const(8)), Scaling(3)),
        (div(x, const(2)), Scaling(-1, truncates=True)),
        (shr(x, const(2)), Scaling(-2, truncates=True)),  # as x is not negative
        (sub(const(1), x), Flipping(const(1))),
        (sub(y, x), Flipping(y)),
        (mul(x, const(3)), None),
        (div(x, const(3)), None),
        (y, None),
        (mul(x, x), None),
        (ite(le(y, const(0)), x, add(x, const(1))), Drifting(0, 1)),
        (ite(le(y, const(0)), sub(x, const(2)), add(x, const(1))), Drifting(-2, 1)),
        (ite(le(y, const(0)), x, const(0)), None),
        (read("a", x), None),
        (add(x, ite(le(y, const(0)), const(2), const(4))), Steady(ite(le(y, const(0)), const(2), const(4)))),
    ],
)
def test_progress(after: Term, change: Progress):
    found = progress(after, X)
    if isinstance(change, Steady):
        assert isinstance(found, Steady)
        assert linear(found.delta) == linear(change.delta)
    else:
        assert found == change
