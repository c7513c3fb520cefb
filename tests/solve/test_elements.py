"""Questions on elements: bytes are counted only where the accesses are of different sizes, or not aligned."""

import pytest
from msgspec.structs import replace
from small import T1, T2, pair, shared

from hgrd.solve.decide import decide
from hgrd.solve.normal_form.elements import in_elements
from hgrd.solve.query import Conflict, Proved, Query
from hgrd.terms import Term, add, const, ite, le, mul, sub, var

I, J = var(T1), var(T2)
N = shared("n", 0, 100)


def of(size: int, first: Term, second: Term) -> Query:
    return pair(first, second, sizes=(size, size), scale=1)


def test_arrays_of_any_type_are_one_question() -> None:
    def question(size: int) -> Query:
        base = add(mul(N, const(4 * size)), const(3 * size))
        return in_elements(of(size, add(base, mul(I, const(size))), sub(base, mul(J, const(size)))))

    assert question(4) == question(8) == question(1)


@pytest.mark.parametrize(
    ("sizes", "first", "kind"),
    [
        ((4, 4), mul(I, const(4)), Proved),
        ((4, 8), mul(I, const(4)), Conflict),
        ((8, 8), mul(I, const(4)), Conflict),
        ((4, 4), add(mul(I, const(4)), const(2)), Conflict),
        ((4, 4), ite(le(N, const(7)), mul(I, const(4)), mul(I, const(8))), Conflict),
    ],
)
def test_the_answer_is_that_of_the_bytes(sizes: tuple[int, int], first: Term, kind: type) -> None:
    query = pair(first, mul(J, const(4)), sizes=sizes, scale=1)
    assert isinstance(decide(query), kind)


def test_what_is_not_aligned_stays() -> None:
    for first in (add(mul(I, const(4)), const(2)), mul(I, const(2)), I):
        query = of(4, first, mul(J, const(4)))
        assert in_elements(query) is query
    uneven = replace(of(4, mul(I, const(4)), mul(J, const(4))))
    uneven = replace(uneven, second=replace(uneven.second, size=8))
    assert in_elements(uneven) is uneven
