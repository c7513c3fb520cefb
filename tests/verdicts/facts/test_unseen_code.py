"""Functions without a body may change all that their arguments lead to, const or not, and nothing else."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

TEXT = """
struct Given {{ int *p; void use() const; }};
struct Told {{ int n; }};
__global__ void fill(float *a, int columns) {{ a[blockIdx.x * columns + threadIdx.x] = blockIdx.x; }}
void use({parameter});
int main() {{
  float *a;
  cudaMalloc(&a, 4096);
  int n = 64, other = 0;
  Given given{{&n}}, others{{&other}};
  Told told{{64}};
  {call};
  fill<<<4, 64>>>(a, {columns});
}}
"""


@pytest.mark.parametrize(
    ("parameter", "call", "columns", "expected"),
    [
        ("int *p", "use(&n)", "n", Outcome.RACE),
        ("int *p", "use(&other)", "n", Outcome.SAFE),
        ("const int *p", "use(&n)", "n", Outcome.SAFE),
        ("int &n", "use(n)", "n", Outcome.RACE),
        ("const int &n", "use(n)", "n", Outcome.SAFE),
        ("Given given", "use(given)", "n", Outcome.RACE),
        ("Given given", "use(others)", "n", Outcome.SAFE),
        ("const Given &given", "use(given)", "n", Outcome.RACE),
        ("const Given &given", "use(others)", "n", Outcome.SAFE),
        ("const Given *given", "use(&given)", "n", Outcome.RACE),
        ("", "given.use()", "n", Outcome.RACE),
        ("", "others.use()", "n", Outcome.SAFE),
        ("const Told &told", "use(told)", "told.n", Outcome.SAFE),
        ("Told told", "use(told)", "told.n", Outcome.SAFE),
        ("Told &told", "use(told)", "told.n", Outcome.RACE),
    ],
)
def test_what_it_is_given(tmp_path: Path, parameter: str, call: str, columns: str, expected: Outcome) -> None:
    (kernel,) = check(tmp_path, TEXT.format(parameter=parameter, call=call, columns=columns)).kernels
    assert kernel.outcome is expected
