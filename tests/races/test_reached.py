"""Whether threads come to the iterations that a witness shows."""

from pathlib import Path

import pytest

from hgrd.races.findings import Confidence
from tests.checking import check

KERNEL = """
__global__ void k(int *a, int n) {{
  __shared__ int s[512];
  a[60] = 31;
  int i = 0, z;
  do {{
    z = s[i];
    z = {next};
  }} while (++i < {end});
  s[128 + threadIdx.x * 3] = z;
}}
int main() {{ int *a; cudaMalloc(&a, 2048); k<<<1, 32>>>(a, 3); }}
"""


@pytest.mark.parametrize(
    ("step", "end", "confidence"),
    [
        ("a[i + 70]", "z", Confidence.DATA_DEPENDENT),  # the kernel writes `a`: what an iteration leaves is not known
        ("a[i + 70]", "200", Confidence.DEFINITE),
        ("i + 70", "200", Confidence.DEFINITE),
    ],
)
def test_what_an_iteration_reads_decides_about_the_next(
    tmp_path: Path, step: str, end: str, confidence: Confidence
) -> None:
    (kernel,) = check(tmp_path, KERNEL.format(next=step, end=end)).kernels
    (launch,) = kernel.launches
    found = [(f.first.span.line, f.second.span.line, f.confidence) for f in launch.findings if f.first.array == "s"]
    assert found == [(7, 10, confidence)]
