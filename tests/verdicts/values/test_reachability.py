"""Whether threads come to the iterations that a witness shows."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence
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


ASSERTED = """
#include <cassert>
__global__ void k(int *a, const unsigned char *w, short c) {
  int t = threadIdx.x, x = w[33 + 3 * (c & 31)], once[2] = {0, 1};
  for (int i = 0; i < once[1]; i++) {
    for (int j = 0; j < 3; j++) a[3 * t + j * 40] = 0;
    if (x > 16) return;
  }
  a[t + 200] = a[t];
}
void run(int e, int p, int q) {
  int *a;
  unsigned char *w;
  cudaMalloc(&a, 4096);
  cudaMalloc(&w, 4096);
  assert(3 <= e && e <= 3);
  assert(5 <= p && p <= 6);
  assert(-4 <= q && q <= 9);
  k<<<1, 64>>>(a, w, max(e, 4) == q ? e : p);
}
"""


def test_what_the_host_says_of_a_way_out_holds_in_the_witness(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, ASSERTED).kernels
    found = [
        f for launch in kernel.launches for f in launch.findings if f.second.span.line == 9 or f.first.span.line == 9
    ]
    assert found
    for inputs in (dict(f.witness.inputs) for f in found):
        assert inputs.get("e", 3) == 3 and inputs.get("p", 5) in (5, 6)
