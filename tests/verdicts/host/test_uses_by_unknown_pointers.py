"""Uses of memory by the host through pointers of which nothing is known: it may be any that kernels use, too."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <vector>
struct Part { float *d; };
__global__ void put(float *a, float v) { a[blockIdx.x * blockDim.x + threadIdx.x] = v; }
int main(int argc, char **argv) {
  float *m[3], *b, sum = 0;
  for (int i = 0; i < 3; ++i) ALLOCATE(&m[i], 4096);
  int a = argc % 3;
  std::vector<float *> v(3);
  std::vector<Part> w(3);
  for (int i = 0; i < 3; i++) v[i] = w[i].d = m[i];
  put<<<4, 256>>>(GIVEN, 1);
  WAIT
  USE
  return sum > 1;
}
"""
WAIT = "cudaDeviceSynchronize();"
USES = ["sum = v[a][3];", "v[a][3] = 0;", "sum = w[a].d[3];", "w[a].d[3] += 1;"]


def _checked(folder: Path, given: str, use: str, *, wait: str = "", allocate: str = "cudaMallocManaged") -> Outcome:
    words = {"GIVEN": given, "USE": use, "WAIT": wait, "ALLOCATE": allocate}
    text = PROGRAM
    for word, by in words.items():
        text = text.replace(word, by)
    (kernel,) = check(folder, text).kernels
    (launch,) = kernel.launches
    assert launch.pairs == launch.discharged == 1
    reasons = {o.reason.partition(" at ")[0] for o in launch.open_pairs}
    assert all(reason.startswith(("the host reads", "the host writes")) for reason in reasons)
    return kernel.outcome


@pytest.mark.parametrize("given", ["m[1]", "v[a]", "w[a].d"])
@pytest.mark.parametrize("use", USES)
def test_a_use_while_the_kernel_may_run(tmp_path: Path, given: str, use: str) -> None:
    assert _checked(tmp_path, given, use) is Outcome.UNKNOWN


@pytest.mark.parametrize("use", USES)
def test_a_use_after_the_kernel(tmp_path: Path, use: str) -> None:
    assert _checked(tmp_path, "v[a]", use, wait=WAIT) is Outcome.SAFE


def test_memory_of_the_device_is_not_used_by_the_host(tmp_path: Path) -> None:
    assert _checked(tmp_path, "v[a]", "sum = v[a] == m[1];", allocate="cudaMalloc") is Outcome.SAFE
