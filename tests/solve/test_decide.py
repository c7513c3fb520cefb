"""Answers to small queries, exactly."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from small import T1, T2, pair, private, shared

from hgrd.solve.decide import Budget, decide, decide_all
from hgrd.solve.query import Answer, Conflict, Proved, Query, Undecided
from hgrd.solve.session import Session
from hgrd.terms import (
    FALSE,
    Origin,
    Term,
    add,
    bit_xor,
    const,
    disj,
    div,
    eq,
    evaluate,
    ge,
    ite,
    le,
    lt,
    mod,
    mul,
    ne,
    negate,
    shl,
    shr,
    sub,
    substitute,
    symbols_of,
    var,
    wrap,
)
from hgrd.terms.build import read_between
from hgrd.terms.rewrite import bottom_up

I, J = var(T1), var(T2)
N = shared("n", -(1 << 31), (1 << 31) - 1)


def int_(term: Term) -> Term:
    return wrap(term, 32, True, soft=True)


def unsigned(term: Term, *, soft: bool = True) -> Term:
    return wrap(term, 32, False, soft=soft)


def holds(query: Query, answer: Answer) -> bool:
    """The model makes everything true, with exact semantics."""
    assert isinstance(answer, Conflict)
    reads = answer.model.reads
    guards = (*query.facts, *query.first.guards, *query.second.guards, *query.between)
    roots = (*guards, query.first.address, query.second.address)
    *truths, a, b = evaluate(roots, answer.model.values, lambda array, index: reads[array, index])
    return all(truths) and a < b + query.second.size and b < a + query.first.size


# ---------------------------------------------------------------- overlap of bytes


def test_own_elements() -> None:
    assert decide(pair(I, J)) == Proved(frozenset(), "bounds")


def test_neighbours() -> None:
    query = pair(I, add(J, const(1)))
    assert holds(query, decide(query))


@pytest.mark.parametrize(
    ("sizes", "offset", "meet"),
    [
        ((4, 4), 4, False),
        ((4, 4), 3, True),
        ((4, 1), 3, True),
        ((4, 1), 4, False),
        ((1, 4), 4, False),
        ((8, 4), 4, True),
    ],
)
def test_bytes_at_an_offset(sizes: tuple[int, int], offset: int, meet: bool) -> None:
    """Elements of 64 bytes, the second access `offset` bytes into one."""
    query = pair(
        mul(I, const(64)), add(mul(const(64), const(5)), const(offset)), guards=(eq(I, const(5)),), sizes=sizes, scale=1
    )
    assert isinstance(decide(query), Conflict if meet else Proved)


def test_stride_smaller_than_the_access() -> None:
    query = pair(mul(I, const(4)), mul(J, const(4)), sizes=(8, 8), scale=1)
    assert holds(query, decide(query))


def test_fields_of_records() -> None:
    query = pair(mul(I, const(12)), add(mul(J, const(12)), const(8)), scale=1)
    assert decide(query) == Proved(frozenset(), "bounds")


def test_indexes_stay_below_their_extent() -> None:
    extent = shared("blockDim", 1, 1024, Origin.DIMENSION)
    query = pair(I, add(J, const(64)), threads=extent, facts=(le(extent, const(64)),))
    assert decide(query) == Proved(frozenset({0}), "bounds")
    assert isinstance(decide(replace(query, facts=())), Conflict)


# ---------------------------------------------------------------- facts


def test_used_names_the_fact_needed() -> None:
    stride, m = shared("stride", -(1 << 31), (1 << 31) - 1), shared("m", 1, 100)
    x1, x2 = private("x1", 0, 99), private("x2", 0, 99)
    inside = disj(FALSE, le(add(x2, const(1)), m))
    query = pair(
        add(mul(I, stride), x1),
        add(mul(J, stride), x2),
        guards=(lt(x1, m),),
        facts=(le(N, const(7)), ge(stride, m), lt(const(0), N)),
        between=(inside,),
    )
    answer = decide(query)
    assert isinstance(answer, Proved)
    assert answer.used == {1}
    assert isinstance(decide(replace(query, facts=(query.facts[0], query.facts[2]))), Conflict)


def test_facts_that_contradict_each_other() -> None:
    query = pair(const(0), const(0), facts=(le(N, const(3)), le(const(0), N), le(const(5), N)))
    assert decide(query) == Proved(frozenset({0, 2}), "infeasible")


def test_false_fact() -> None:
    assert decide(pair(const(0), const(0), facts=(FALSE,))) == Proved(frozenset({0}), "infeasible")


# ---------------------------------------------------------------- definedness, reads


def test_a_divisor_is_not_zero() -> None:
    d = shared("d", 0, 1)
    assert isinstance(decide(pair(div(I, d), J, guards=(eq(d, const(0)),))), Proved)
    query = pair(const(0), const(0), between=(disj(eq(d, const(0)), lt(div(I, d), const(0))),))
    assert holds(query, decide(query))


def test_reads_of_one_index_agree() -> None:
    at = [read_between("b", (x,), 0, 7) for x in (const(3), add(N, const(0)))]
    query = pair(at[0], add(at[1], const(1)), facts=(eq(N, const(3)),))
    assert isinstance(decide(query), Proved)


def test_reads_of_different_indexes_may_agree() -> None:
    query = pair(read_between("b", (I,), 0, 7), read_between("b", (J,), 0, 7))
    answer = decide(query)
    assert holds(query, answer)
    assert isinstance(answer, Conflict)
    assert {array for array, _ in answer.model.reads} == {"b"}


def test_contents_stay_in_their_range() -> None:
    query = pair(read_between("b", (I,), 5, 7), const(8))
    assert decide(query) == Proved(frozenset(), "bounds")


# ---------------------------------------------------------------- divisions and choices


def test_a_divisor_of_either_sign() -> None:
    """Partners in blocks of `d`: each block's lower half writes, and reads from the upper half."""
    d = shared("d", -(1 << 31), (1 << 31) - 1)
    half = div(d, const(2))
    low = [lt(x, add(mul(d, div(x, d)), half)) for x in (I, J)]
    query = pair(I, add(J, half), guards=(low[0],), between=(low[1],))
    assert isinstance(decide(query), Proved)


def test_a_system_without_a_solution_in_integers() -> None:
    """6 * x + n == 4 * y + m with n == m + 2 * i + 1: what is left is odd on one side alone.  No solver is asked."""
    x, y = (shared(name, -(1 << 31), (1 << 31) - 1) for name in "xy")
    n, m = (shared(name, 1, 1 << 30) for name in "nm")
    index = add(mul(const(6), x), n), add(mul(const(4), y), m)
    odd = eq(n, add(m, mul(const(2), I), const(1)))
    assert decide(pair(*index, between=(odd,))) == Proved(frozenset(), "bounds")
    even = eq(n, add(m, mul(const(2), I)))
    assert isinstance(decide(pair(*index, between=(even,))), Conflict)


def test_a_division_by_a_product_is_one_by_its_factors() -> None:
    """Rows of planes: z = x / (w * h), y = x / w % h."""
    n, w, h = shared("n", 0, 1 << 20), shared("w", 1, 1 << 10), shared("h", 1, 1 << 10)

    def place(x: Term, rows: Term) -> Term:
        return add(mul(div(x, mul(w, h)), w, h), mul(mod(div(x, w), rows), w), mod(x, w))

    first, second = add(I, n), add(J, n)
    assert decide(pair(place(first, h), place(second, h)), Budget(fallback_effort=0)) == Proved(frozenset(), "lemmas")
    query = pair(place(first, w), place(second, w))
    assert holds(query, decide(query))


def test_what_is_left_of_a_multiple() -> None:
    """(x - x % m) / m is x / m."""
    m = shared("m", 1, 1 << 20)
    index = [add(mul(div(sub(x, mod(x, m)), m), m), mod(x, m)) for x in (I, J)]
    assert isinstance(decide(pair(index[0], index[1])), Proved)


def test_a_divisor_that_asks_for_a_remainder() -> None:
    """`c = n % m == 0 ? m : 16; a[x / c * c + x % c]`, with n / c and n % c among the facts."""
    m, n = shared("m", 1, 64), shared("n", 0, 4096)
    c = ite(eq(mod(n, m), const(0)), m, const(16))
    fact = le(add(div(n, c), mod(n, c)), const(1 << 20))
    index = [add(mul(div(x, c), c), mod(x, c)) for x in (I, J)]
    assert isinstance(decide(replace(pair(index[0], index[1]), facts=(fact,))), Proved)


def test_a_guard_settles_a_choice() -> None:
    """`k = t < n ? t : -1; if (k != -1) a[k]`"""
    m = shared("m", 0, 1 << 20)
    chosen = [ite(lt(x, m), x, const(-1)) for x in (I, J)]
    query = pair(chosen[0], chosen[1], guards=(ne(chosen[0], const(-1)),), between=(ne(chosen[1], const(-1)),))
    assert decide(query) == Proved(frozenset(), "bounds")
    query = pair(chosen[0], chosen[1], between=(le(const(2), sub(const(1024), m)),))
    assert holds(query, decide(query))


def test_strides_that_differ_by_a_factor() -> None:
    """Tiles of 16 rows of `n + 1` elements: 16 * (n + 1) * b + (n + 1) * r + x"""
    m = shared("m", 32, 1 << 20)
    row = add(m, const(1))
    b1, b2, r1, r2, x1, x2 = (
        private(n, 0, 15 if n[0] == "r" else 1 << 20) for n in ("b1", "b2", "r1", "r2", "x1", "x2")
    )
    first = add(mul(mul(row, const(16)), b1), mul(row, r1), x1)
    second = add(mul(mul(row, const(16)), b2), mul(row, r2), x2)
    between = (lt(x1, row), lt(x2, row), disj(ne(b1, b2), ne(r1, r2), ne(x1, x2)))
    assert decide(pair(first, second, between=between)) == Proved(frozenset(), "lemmas")


# ---------------------------------------------------------------- wraps


def test_bounded_arithmetic_does_not_wrap() -> None:
    m = shared("m", 1, 1 << 20)
    answer = decide(pair(int_(mul(int_(add(I, const(1))), m)), int_(mul(int_(add(J, const(1))), m))))
    assert isinstance(answer, Proved)
    assert answer.no_wrap == ()


def test_a_wrap_at_huge_sizes_is_a_note() -> None:
    m = shared("m", 1, (1 << 31) - 1)
    x1, x2 = private("x1", 0, (1 << 31) - 1), private("x2", 0, (1 << 31) - 1)
    between = (lt(x1, m), lt(x2, m), ne(x1, x2))
    query = pair(int_(mul(x1, const(4))), int_(mul(x2, const(4))), between=between)
    answer = decide(query)
    assert isinstance(answer, Proved)
    assert set(answer.no_wrap) == {int_(mul(x1, const(4))), int_(mul(x2, const(4)))}
    assert answer.wraps_at is not None
    assert holds(query, Conflict(answer.wraps_at, ""))


@pytest.mark.parametrize(("divides", "proved"), [(4, True), (8, True), (2, False), (3, False)])
def test_rows_of_whole_vectors(divides: int, proved: bool) -> None:
    """Element (y*w + 4*x) / 4 with 4*x < w: rows of w elements meet where 4 does not divide w."""
    w = shared("w", 1, 1 << 12)
    x1, x2 = private("x1", 0, 1 << 10), private("x2", 0, 1 << 10)
    index = [div(add(mul(y, w), mul(x, const(4))), const(4)) for y, x in ((I, x1), (J, x2))]
    within = tuple(lt(mul(x, const(4)), w) for x in (x1, x2))
    query = pair(index[0], index[1], facts=(eq(mod(w, const(divides)), const(0)),), between=within, threads=64)
    answer = decide(query)
    assert isinstance(answer, Proved) if proved else holds(query, answer)


@pytest.mark.parametrize("divides", [2, 1])
def test_rows_of_pairs_in_batches(divides: int) -> None:
    """Element (b*w*h + x*w + 2*y) / 2 with 2*y < w and x < h: pairs of a row do not meet others where 2 divides w."""
    w, h = shared("w", 1, 1 << 12), shared("h", 1, 1 << 12)
    threads = [tuple(private(f"{name}{k}", 0, 1 << 10) for name in "bxy") for k in "12"]
    index = [div(add(add(mul(mul(b, w), h), mul(x, w)), mul(y, const(2))), const(2)) for b, x, y in threads]
    within = [c for _, x, y in threads for c in (lt(mul(y, const(2)), w), lt(x, h))]
    apart = disj(*(ne(one, two) for one, two in zip(*threads, strict=True)))
    facts = (eq(mod(w, const(divides)), const(0)),)
    query = pair(index[0], index[1], facts=facts, between=(*within, apart), threads=2)
    answer = decide(query)
    assert isinstance(answer, Proved) if divides == 2 else holds(query, answer)


def test_multiples_say_what_they_rest_on() -> None:
    w = shared("w", 1, 1 << 12)
    index = [mul(div(add(mul(t, w), const(2)), const(4)), const(4)) for t in (I, J)]
    facts = (lt(const(0), w), eq(mod(w, const(4)), const(0)))
    answer = decide(pair(index[0], index[1], facts=facts))
    assert isinstance(answer, Proved)
    assert 1 in answer.used


def test_a_wrap_in_a_hash_is_a_race() -> None:
    """Multiples of 2**31: as integers all different, as unsigned two values."""
    index = [div(unsigned(mul(x, const(1 << 31))), const(1 << 31)) for x in (I, J)]
    query = pair(index[0], index[1])
    answer = decide(query, Budget(launches=0))
    assert holds(query, answer)
    assert isinstance(answer, Conflict)
    assert answer.method == "wrap"


def test_a_hard_wrap_is_part_of_the_meaning() -> None:
    query = pair(wrap(I, 8, False, soft=False), wrap(J, 8, False, soft=False))
    assert holds(query, decide(query))
    small = pair(wrap(I, 8, False, soft=False), wrap(J, 8, False, soft=False), threads=256)
    assert isinstance(decide(small), Proved)


def test_a_negative_number_as_unsigned() -> None:
    """`t < (unsigned)n` holds for n < 0 too."""
    query = pair(I, const(5), guards=(lt(I, unsigned(N, soft=False)),), facts=(lt(N, const(0)),))
    assert holds(query, decide(query))


def test_inner_wraps_fall_away() -> None:
    """u32(u32(a + b) - b) is a."""
    m = shared("m", 0, (1 << 32) - 1)
    index = [unsigned(sub(unsigned(add(x, m)), m)) for x in (I, J)]
    assert decide(pair(index[0], index[1])) == Proved(frozenset(), "bounds")


# ---------------------------------------------------------------- bits


def test_xor_with_a_common_value() -> None:
    mask = shared("mask", 0, 1023)
    answer = decide(pair(bit_xor(I, mask), bit_xor(J, mask)))
    assert answer == Proved(frozenset(), "bits")


def test_shifts_by_a_variable() -> None:
    k = shared("k", 0, 20)
    assert isinstance(decide(pair(shl(I, k), shl(J, k))), Proved)
    query = pair(shr(I, k), shr(J, k))
    assert holds(query, decide(query))


def test_shifts_that_need_not_have_a_value() -> None:
    """Below 0 a shift has none: what depends on it there is not decided, and the rest is."""
    k, mask = shared("k", -1, 20), shared("mask", 0, 1023)
    shifted = bit_xor(I, shr(mask, k)), bit_xor(J, shr(mask, k))
    known = (disj(lt(k, const(0)), eq(mod(shr(mask, k), const(2)), const(0))),)
    assert isinstance(decide(pair(*shifted, facts=known)), Proved)
    query = pair(ite(lt(k, const(0)), const(0), shifted[0]), J, facts=known)
    assert holds(query, decide(query))


# ---------------------------------------------------------------- sessions


def renamed(query: Query, suffix: str) -> Query:
    symbols = symbols_of(*query.facts, query.first.address, query.second.address, *query.between)
    names = {s: s.renamed(suffix) for s in symbols}
    terms = {s: var(n) for s, n in names.items()}

    def put(t: Term) -> Term:
        return substitute((t,), terms)[0]

    parties = [
        replace(
            p,
            private=tuple(names[s] for s in p.private),
            axes=tuple(replace(a, symbol=names[a.symbol], extent=put(a.extent)) for a in p.axes),
            guards=tuple(map(put, p.guards)),
            address=put(p.address),
        )
        for p in (query.first, query.second)
    ]
    facts, between = tuple(map(put, query.facts)), tuple(map(put, query.between))
    return Query(tuple(names[s] for s in query.shared), (), facts, parties[0], parties[1], between)


def test_names_do_not_matter() -> None:
    m = shared("m", 1, 1 << 20)
    query = pair(mod(mul(I, const(7)), m), J, facts=(le(const(3), m),))
    other = renamed(query, "'")
    with Session() as session:
        first, second = decide_all((query, other), session)
    assert isinstance(first, Conflict)
    assert isinstance(second, Conflict)
    assert {s.name + "'": v for s, v in first.model.values.items()} == {
        s.name: v for s, v in second.model.values.items()
    }
    assert holds(other, second)
    assert decide(other) == second


def test_qualified_proofs_are_renamed_too() -> None:
    m = shared("m", 1, (1 << 31) - 1)
    query = pair(int_(mul(I, m)), int_(mul(J, m)))
    other = renamed(query, "'")
    with Session() as session:
        _, answer = decide_all((query, other), session, Budget(wrap_rounds=0))
    assert isinstance(answer, Proved)
    assert set(answer.no_wrap) <= set(bottom_up((other.first.address, other.second.address)))
    assert len(answer.no_wrap) == 2


def test_different_sizes_are_different_queries() -> None:
    query = pair(mul(I, const(4)), mul(J, const(4)), scale=1)
    wide = pair(mul(I, const(4)), mul(J, const(4)), sizes=(8, 4), scale=1)
    with Session() as session:
        answers = decide_all((query, wide), session)
    assert [type(a) for a in answers] == [Proved, Conflict]


def test_odd_queries_do_not_raise() -> None:
    """A party that speaks of the other's index; a huge number."""
    assert isinstance(decide(pair(add(I, J), J, guards=(eq(I, const(0)),))), Conflict)
    query = pair(mul(I, const(1 << 300)), const(5), guards=(ne(I, const(0)),))
    assert isinstance(decide(query), Proved)


def test_out_of_effort_is_undecided() -> None:
    x, y, z = (shared(name, 2, 1 << 40) for name in "xyz")
    cubes = add(mul(x, x, x), mul(y, y, y))
    query = pair(cubes, mul(z, z, z))
    answer = decide(query, Budget(first_effort=100_000, effort=100_000, fallback_effort=1000, more_launches=3))
    assert isinstance(answer, Undecided)
    assert answer.launches_tried > 0


def test_negated_conditions() -> None:
    query = pair(
        I, J, between=(negate(eq(I, J)), eq(div(I, const(2)), div(J, const(2))), eq(mod(I, const(2)), mod(J, const(2))))
    )
    assert isinstance(decide(query), Proved)


def test_a_conflict_that_is_expected_is_the_same():
    """Small launches come first once there has been a conflict: that changes the time, not the answer."""
    queries = [pair(I, mul(J, const(k)), between=(ne(J, const(5)),)) for k in range(1, 5)]
    alone = [decide(query) for query in queries]
    with Session() as session:
        decide(pair(I, add(J, const(1))), session=session)
        assert decide_all(queries, session) == alone
    assert {type(answer) for answer in alone} == {Proved, Conflict}
