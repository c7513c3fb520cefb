"""The conditions that users give as text."""

import pytest

from hgrd.engine.analysis.user_assumptions import AssumptionError, by_name, parse_assumption
from hgrd.terms import EvaluationError, Origin, Symbol, evaluate, show

N, M, DIMENSION, ELEMENT = (
    Symbol(name, -(1 << 31), (1 << 31) - 1, Origin.INPUT) for name in ("n", "m", "blockDim.x", "p.at[2]")
)
NAMES = by_name(frozenset({N, M, DIMENSION, ELEMENT}))
VALUES = {N: 12, M: 5, DIMENSION: 32, ELEMENT: -7}


def holds(text: str) -> bool:
    return bool(evaluate((parse_assumption(text, NAMES),), VALUES)[0])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n>=m", "m <= n"),
        ("n % 32 == 0 && m > 0", "n % 32 == 0 && 0 < m"),
        ("n == 1 || n == 2 && m == 3", "n == 1 || n == 2 && m == 3"),
        ("(n == 1 || n == 2) && m == 3", "(n == 1 || n == 2) && m == 3"),
        ("!(n < m)", "m <= n"),
        ("n - m - 1 > 0", "0 < n - m - 1"),
        ("n", "n != 0"),
        ("!n", "n == 0"),
        ("blockDim.x <= p.at[2]", "blockDim.x <= p.at[2]"),
        ("n == -3", "n == -3"),
    ],
)
def test_reads_as_c_does(text: str, shown: str):
    assert show(parse_assumption(text, NAMES)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "n == 12", "n != m", "n/m == 2", "-n/m == -2", "n % m == 2", "-n % m == -2", "n << 2 == 48", "n >> 2 == 3",
        "n & m == 5 | 1", "(n & m) == 4", "(n ^ m) == 9", "(n | m) == 13", "~n == -13", "n + 2 * m == 22",
        "(n + 2) * m == 70", "n - m - 1 == 6", "blockDim.x * 2u == 64UL", "p.at[2] == -7", "- -n == 12", "!!n == 1",
        "n > m == 1", "n % 2 == 0 && !(m % 2 == 0)",
    ],
)  # fmt: skip
def test_means_what_it_means_in_c(text: str):
    assert holds(text)


@pytest.mark.parametrize("text", ["n == 13", "n < m", "n % 5 == 0", "0", "n && 0", "n - (m - 1) == 6"])
def test_can_be_false(text: str):
    assert not holds(text)


def test_division_by_zero_has_no_value():
    with pytest.raises(EvaluationError, match="division by zero"):
        holds("n / (m - 5) == 1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends too early"),
        ("n <", "it ends too early"),
        ("n < q", "'q' is neither a number, an operator nor a known value"),
        ("n < m)", "')' is not expected"),
        ("(n < m", "a ')' is missing"),
        ("n = m", "'=' is not expected"),
        ("n $ m", "'$' is not expected"),
        ("n m", "'m' is not expected"),
        ("&& n", "'&&' is neither a number, an operator nor a known value"),
    ],
)
def test_says_what_is_wrong(text: str, message: str):
    with pytest.raises(AssumptionError) as error:
        parse_assumption(text, NAMES)
    assert str(error.value) == message
