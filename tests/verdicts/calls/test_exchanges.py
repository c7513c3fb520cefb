"""Votes and shuffles between two racing accesses: the finding says that they order no memory."""

from pathlib import Path

import pytest

from hgrd.findings.rules import DATA_RACE, EXCHANGE_IS_NO_BARRIER
from tests.checking import check, verdicts

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read mirror, write put; shared; warp
__global__ void vote(int *a) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = a[blockIdx.x * 32 + t];  // put
  unsigned some = __ballot_sync(0xffffffff, t > 3);
  a[blockIdx.x * 32 + t] = tile[31 - t] + some;  // mirror
}

// race: read around, write own; shared; warp
__global__ void shuffle_of_a_tile(int *a) {
  __shared__ int tile[32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  tile[t] = a[blockIdx.x * 32 + t];  // own
  int next = warp.shfl_down(t, 1);
  a[blockIdx.x * 32 + t] = tile[31 - t] + next;  // around
}

// race: read other, write one; shared; warp
__global__ void nothing_between(int *a) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  unsigned some = __ballot_sync(0xffffffff, t > 3);
  tile[t] = a[blockIdx.x * 32 + t];  // one
  a[blockIdx.x * 32 + t] = tile[31 - t] + some;  // other
}

// safe: 4 of 4 pairs
__global__ void barrier_besides(int *a) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = a[blockIdx.x * 32 + t];
  unsigned some = __ballot_sync(0xffffffff, t > 3);
  __syncwarp();
  a[blockIdx.x * 32 + t] = tile[31 - t] + some;
}

int main() {
  int *a;
  cudaMalloc(&a, 4096 * 4);
  vote<<<8, 32>>>(a);
  shuffle_of_a_tile<<<8, 32>>>(a);
  nothing_between<<<8, 32>>>(a);
  barrier_besides<<<8, 32>>>(a);
}
"""

test_kernel = verdicts(SOURCE)


@pytest.mark.parametrize(
    ("kernel", "rule", "begins"),
    [
        ("vote", EXCHANGE_IS_NO_BARRIER, "__ballot_sync() in line 10 exchanges values and orders no memory"),
        ("shuffle_of_a_tile", EXCHANGE_IS_NO_BARRIER, "shfl_down() in line 20 exchanges values and orders no memory"),
        ("nothing_between", DATA_RACE, ""),
    ],
)
def test_the_finding_says_so(tmp_path: Path, kernel: str, rule: object, begins: str):
    (of_kernel,) = [k for k in check(tmp_path, SOURCE).kernels if k.kernel == kernel]
    (finding,) = of_kernel.findings
    assert finding.rule == getattr(rule, "code", "")
    assert finding.cause.startswith(begins)
    assert bool(finding.cause) == bool(begins)
