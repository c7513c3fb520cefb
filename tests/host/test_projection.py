"""Projection of path conditions: facts say only what matters to the launch."""

from pathlib import Path

import pytest

from hgrd.host.execution.run_state import Projections
from hgrd.host.launches.projection import projected
from hgrd.program.span import NOWHERE
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import Origin, Symbol, conj, const, disj, eq, lt, symbols_of, var
from tests.host.programs import launch


def facts(tmp_path: Path, body: str) -> list[str]:
    return [f.text for f in launch(tmp_path, f"void run(int *d, int *p, int *q, int m, int n) {{ {body} }}").facts]


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("if (p == nullptr || n < 16) return; kernel<<<1, 32>>>(d, n);", ["16 <= n"]),
        ("if (p == q && n < 16) return; kernel<<<1, 32>>>(d, n);", []),
        ("if (p + m == q && n < 16) return; kernel<<<1, 32>>>(d, n);", []),
        ("if (p != q && n < 16) return; kernel<<<1, 32>>>(d, n);", []),
        ("if (p != q) return; if (p == q && n < 16) return; kernel<<<1, 32>>>(d, n);",
         ["q - p == 0", "q - p != 0 || 16 <= n"]),
        ("if (p && n < 16) return; if (!p && n < 32) return; kernel<<<1, 32>>>(d, n);",
         ["p is null != 0 || 16 <= n", "p is null == 0 || 32 <= n"]),
        ("if (p == q && n < 16) return; kernel<<<1, 32>>>(d, p == q ? n : 64);", ["q - p != 0 || 16 <= n"]),
    ],
)  # fmt: skip
def test_where_pointers_lead_is_no_fact_where_nothing_depends_on_it(tmp_path: Path, body: str, left: list[str]) -> None:
    assert facts(tmp_path, body) == left


def test_long_conditions_say_nothing_of_where_pointers_lead(tmp_path: Path) -> None:
    """They are left behind by ways that met again; what they say of all else is kept."""
    tests = " && ".join(f"p + {k} * m != q" for k in range(2, 40))
    body = f"if (!(({tests} && n > m) || (p == q && n > 2 * m))) return; kernel<<<m, 32>>>(d, n);"
    assert facts(tmp_path, body) == ["m < n || m * 2 < n"]


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("if (n > 64 && m != n / 2) return; kernel<<<1, 32>>>(d, n);", []),
        ("if (n > 64 && m != n / 2) return; kernel<<<m, 32>>>(d, n);", ["n <= 64 || m == n / 2"]),
        ("if (n > 64 && m == n / 2) return; kernel<<<1, 32>>>(d, n);", []),
        ("if (n > 64 && m < n / 2) return; kernel<<<1, 32>>>(d, n);", ["n <= 64 || n / 2 <= m"]),
        ("if (n > 64 && !(m == n / 2 && m % 3 == 0)) return; kernel<<<1, 32>>>(d, n);", ["n <= 64 || n / 2 % 3 == 0"]),
        ("if (n > 64 && m != n / 2) return; if (m < 8) return; kernel<<<1, 32>>>(d, n);",
         ["n <= 64 || m == n / 2", "8 <= m"]),
    ],
)  # fmt: skip
def test_what_only_one_way_speaks_of_may_be_as_it_needs(tmp_path: Path, body: str, left: list[str]) -> None:
    assert facts(tmp_path, body) == left


def test_a_value_that_the_symbol_cannot_have_stays(tmp_path: Path) -> None:
    body = "if (n > 64 && (unsigned char) m != n) return; kernel<<<1, 32>>>(d, n);"
    assert len(facts(tmp_path, body)) == 1


def test_parts_that_conditions_share_are_gone_through_once() -> None:
    """Ways that meet again and again: one by one, there were 2 ** 40 of them."""
    far = var(Symbol("q - p", -100, 100, Origin.ADDRESS))
    n, own = (var(Symbol(name, 0, 1000, Origin.INPUT)) for name in ("n", "m"))
    for spoken in (far, own):
        term = disj(eq(spoken, const(7)), lt(n, const(500)))
        for k in range(40):
            term = disj(conj(term, lt(const(k), n)), conj(term, lt(n, const(900 - k))))
        condition = Condition(term, ConditionKind.GUARD, NOWHERE)
        left, _ = projected((condition,), (n,), {}, Projections())
        assert all(symbols_of(c.term) <= symbols_of(n) for c in left)
