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
    {leave}
  }} while (++i < {end});
  s[128 + threadIdx.x * 3] = z;
}}
int main() {{ int *a; cudaMalloc(&a, 2048); k<<<1, 32>>>(a, 3); }}
"""


@pytest.mark.parametrize(
    ("step", "end", "leave", "confidence"),
    [
        (
            "a[i + 70]",
            "z",
            "",
            Confidence.DATA_DEPENDENT,
        ),  # the kernel writes `a`: what an iteration leaves is not known
        ("a[i + 70]", "200", "", Confidence.DEFINITE),
        ("i + 70", "200", "", Confidence.DEFINITE),
        ("a[i + 70]", "z", "if (i > 190 + n) break;", Confidence.DATA_DEPENDENT),  # another way out tells nothing of it
        ("a[i + 70]", "200", "if (i > 190 + n) break;", Confidence.DEFINITE),
        ("a[i + 70]", "200 && z", "", Confidence.DATA_DEPENDENT),  # nor does how often it runs at most
    ],
)
def test_what_an_iteration_reads_decides_about_the_next(
    tmp_path: Path, step: str, end: str, leave: str, confidence: Confidence
) -> None:
    (kernel,) = check(tmp_path, KERNEL.format(next=step, end=end, leave=leave)).kernels
    (launch,) = kernel.launches
    found = [(f.first.span.line, f.second.span.line, f.confidence) for f in launch.findings if f.first.array == "s"]
    assert found == [(7, 11, confidence)]
