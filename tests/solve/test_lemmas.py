"""Each family of lemmas decides a query that the rest of the procedure leaves open."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from small import T1, T2, pair, private, shared

from hgrd.solve.decide import Budget, decide
from hgrd.solve.normal_form.lemmas import Lemmas
from hgrd.solve.query import Conflict, Proved, Query, Undecided
from hgrd.terms import (
    add,
    bit,
    conj,
    const,
    disj,
    div,
    eq,
    greatest_common_divisor,
    le,
    lt,
    mod,
    mul,
    ne,
    ones_below,
    shl,
    shr,
    sub,
    var,
)
from hgrd.terms.build import read_between

X1, Y1 = private("x1", 0, 1 << 20), private("y1", 0, 1 << 20)
X2, Y2 = private("x2", 0, 1 << 20), private("y2", 0, 1 << 20)
APART = disj(ne(X1, X2), ne(Y1, Y2))


def radix() -> Query:
    """y * (a * b) + x with x < a * b"""
    stride = mul(shared("a", 1, 1 << 20), shared("b", 1, 1 << 20))
    inside = conj(lt(X1, stride), lt(X2, stride))
    return pair(add(mul(Y1, stride), X1), add(mul(Y2, stride), X2), between=(inside, APART))


def pairs() -> Query:
    """z * stride + y * w + x with stride >= w * h, x < w, y < h"""
    w, h, stride = (shared(name, 1, 1 << 20) for name in ("w", "h", "stride"))
    z1, z2 = private("z1", 0, 1 << 20), private("z2", 0, 1 << 20)
    inside = conj(lt(X1, w), lt(X2, w), lt(Y1, h), lt(Y2, h))
    first, second = (add(mul(z, stride), mul(y, w), x) for z, y, x in ((z1, Y1, X1), (z2, Y2, X2)))
    return pair(first, second, facts=(le(mul(w, h), stride),), between=(inside, disj(APART, ne(z1, z2))))


def squares() -> Query:
    """A packed triangle: y * (y + 1) / 2 + x with x <= y"""
    triangle = [add(mul(y, add(y, const(1))), mul(x, const(2))) for x, y in ((X1, Y1), (X2, Y2))]
    return pair(triangle[0], triangle[1], between=(conj(le(X1, Y1), le(X2, Y2)), APART), scale=2)


def powers() -> Query:
    """1 << k for different k"""
    k1, k2 = private("k1", 0, 200), private("k2", 0, 200)
    return pair(shl(const(1), k1), shl(const(1), k2), between=(lt(k1, k2),))


def functions() -> Query:
    """b[i] + t and b[j] + t where i <= j <= i"""
    i, j = shared("i", 0, 100), shared("j", 0, 100)
    base = [read_between("b", (k,), 0, 1000) for k in (i, j)]
    return pair(add(base[0], var(T1)), add(base[1], var(T2)), facts=(le(i, j), le(j, i)))


def counts() -> Query:
    """The rank of a set bit among the set bits of a word too wide for bit-vectors: how many are below it"""
    word = shared("word", 0, (1 << 100) - 1)
    k1, k2 = private("k1", 0, 90), private("k2", 0, 90)
    return pair(ones_below(word, k1), ones_below(word, k2), between=(eq(bit(word, k1), const(1)), lt(k1, k2)))


def divisors() -> Query:
    """(x * f) % c with x < c, for c and f without a common divisor"""
    c, f = shared("c", 1, 1 << 20), shared("f", 1, 1 << 20)
    inside = conj(lt(X1, c), lt(X2, c), ne(X1, X2))
    first, second = (mod(mul(x, f), c) for x in (X1, X2))
    return pair(first, second, facts=(eq(greatest_common_divisor(c, f), const(1)),), between=(inside,))


def ends() -> Query:
    """y * stride + x with x < c * w, c <= 200, stride >= 200 * w"""
    w, c, stride = shared("w", 1, 1 << 20), shared("c", 1, 200), shared("stride", 1, 1 << 40)
    inside = conj(lt(X1, mul(w, c)), lt(X2, mul(w, c)))
    first, second = add(mul(Y1, stride), X1), add(mul(Y2, stride), X2)
    return pair(first, second, facts=(le(mul(w, const(200)), stride),), between=(inside, APART))


def values() -> Query:
    """A reduction over 96 >> s whose two rounds are the same by inequalities only"""
    s1, s2 = private("s1", 0, 64), private("s2", 0, 64)
    half1, half2 = shr(const(96), s1), shr(const(96), s2)
    same = conj(le(s1, s2), le(s2, s1), lt(const(0), half1), lt(var(T1), half1), lt(var(T2), half2))
    return pair(add(var(T1), half1), var(T2), between=(same,))


FAMILIES = {f.__name__: f for f in (radix, pairs, squares, powers, functions, counts, divisors, ends, values)}


@pytest.mark.parametrize("family", FAMILIES)
def test_family_is_needed(family: str) -> None:
    query = FAMILIES[family]()
    alone = Budget(launches=2, more_launches=0, fallback_effort=1)
    answer = decide(query, alone)
    assert isinstance(answer, Proved)
    assert answer.method == "lemmas"
    assert isinstance(decide(query, replace(alone, lemmas=Lemmas(**{family: False}))), Undecided)


LEMMAS_ONLY = Budget(launches=0, more_launches=0, fallback_effort=1, bit_effort=1)


def test_a_divisor_of_open_sign_is_taken_apart() -> None:
    """t / d * pitch + t % d with pitch >= |d|, whatever the sign of d"""
    d, pitch = shared("d", -(1 << 20), 1 << 20), shared("pitch", 1, 1 << 20)
    first, second = (add(mul(div(t, d), pitch), mod(t, d)) for t in (var(T1), var(T2)))
    answer = decide(pair(first, second, facts=(le(d, pitch), le(sub(const(0), d), pitch))), LEMMAS_ONLY)
    assert isinstance(answer, Proved)
    assert answer.method == "lemmas"


def test_near_a_false_model_is_a_conflict() -> None:
    """t1 * a == t2 * b + 97, found for fixed a and b"""
    a, b = shared("a", 0, 1 << 40), shared("b", 0, 1 << 40)
    query = pair(mul(var(T1), a), add(mul(var(T2), b), const(97)), facts=(lt(const(1000), a), lt(a, b)))
    answer = decide(query, LEMMAS_ONLY)
    assert isinstance(answer, Conflict)
    values = answer.model.values
    (a_,), (b_,) = (tuple(v for s, v in values.items() if s.name == name) for name in "ab")
    assert values[T1] * a_ == values[T2] * b_ + 97


def test_every_family_has_a_query() -> None:
    assert set(FAMILIES) == set(Lemmas.__slots__)
