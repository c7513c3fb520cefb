"""Counters that go down from the number of those who arrive: who finds 0 left comes after all of them."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, verdicts

SOURCE = """
#include <cuda/latch>
#include <new>
using Latch = cuda::latch<cuda::thread_scope_device>;

__device__ int left = 16, by_minus = 16, left_too_few = 15, left_at_two = 16, left_behind = 16;
__device__ unsigned left_unfenced = 16;

// safe: 10 of 10 pairs
__global__ void last_block(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicSub(&left, 1) == 1) {
    __threadfence();
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];
    *res = s;
    left = gridDim.x;
  }
}

// safe: 3 of 3 pairs
__global__ void minus_one(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicAdd(&by_minus, -1) <= 1) {
    __threadfence();
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];
    *res = s;
  }
}

// race: read all, write mine; global; grid (data-dependent)
__global__ void too_few(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];  // mine
  __threadfence();
  if (atomicSub(&left_too_few, 1) == 1) {
    __threadfence();
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];  // all
    *res = s;
  }
}

// race: read all, write mine; global; grid (data-dependent)
__global__ void at_two(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];  // mine
  __threadfence();
  if (atomicSub(&left_at_two, 1) == 2) {
    __threadfence();
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];  // all
    *res = s;
  }
}

// race: read all, write mine; global; grid (data-dependent)
__global__ void unfenced(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];  // mine
  if (atomicSub(&left_unfenced, 1) == 1) {
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];  // all
    *res = s;
  }
}

// safe: 0 of 0 pairs
__global__ void make(Latch *l, int n) { new (l) Latch(n); }

// safe: 3 of 3 pairs
__global__ void phases(float *part, float *out, Latch *l) {
  part[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) l->count_down();
  if (blockIdx.x != 0) return;
  if (threadIdx.x == 0) l->wait();
  __syncthreads();
  float s = 0;
  for (int b = 0; b < 16; b++) s += part[b * 32 + threadIdx.x];
  out[threadIdx.x] = s;
}

// open: read all, write mine; global; grid: a wait for m, set in line 93, may order them
__global__ void phases_of_fewer(float *part, float *out, Latch *l) {
  part[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;  // mine
  __syncthreads();
  if (threadIdx.x == 0) l->count_down();
  if (blockIdx.x != 0) return;
  if (threadIdx.x == 0) l->wait();
  __syncthreads();
  float s = 0;
  for (int b = 0; b < 16; b++) s += part[b * 32 + threadIdx.x];  // all
  out[threadIdx.x] = s;
}

int main() {
  float *x, *p, *r;
  Latch *l, *m;
  cudaMalloc(&x, 4096), cudaMalloc(&p, 4096), cudaMalloc(&r, 4096);
  cudaMalloc(&l, sizeof(Latch)), cudaMalloc(&m, sizeof(Latch));
  last_block<<<16, 32>>>(x, p, r);
  last_block<<<16, 32>>>(x, p, r);
  minus_one<<<16, 32>>>(x, p, r);
  too_few<<<16, 32>>>(x, p, r);
  at_two<<<16, 32>>>(x, p, r);
  unfenced<<<16, 32>>>(x, p, r);
  make<<<1, 1>>>(l, 16);
  phases<<<16, 32>>>(p, r, l);
  make<<<1, 1>>>(m, 15);
  phases_of_fewer<<<16, 32>>>(p, r, m);
}
"""

AGAIN = """
__device__ int left = 16;

__global__ void last_block(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicSub(&left, 1) == 1) {
    __threadfence();
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];
    *res = s;
  }
}

int main() {
  float *x, *p, *r;
  cudaMalloc(&x, 4096), cudaMalloc(&p, 4096), cudaMalloc(&r, 4096);
  last_block<<<16, 32>>>(x, p, r);
  last_block<<<16, 32>>>(x, p, r);
}
"""

test_counters = verdicts(SOURCE)


@pytest.mark.parametrize("launches", [1, 2])
def test_an_earlier_launch_leaves_nothing_to_count(launches: int, tmp_path: Path) -> None:
    once = "  last_block<<<16, 32>>>(x, p, r);\n"
    (kernel,) = check(tmp_path, AGAIN.replace(2 * once, launches * once)).kernels
    assert [r.outcome is Outcome.SAFE for r in kernel.launches] == [True, False][:launches]
    assert [r.pairs - r.discharged for r in kernel.launches] == [0, 1][:launches]


def test_what_a_counter_begins_with_is_listed(tmp_path: Path) -> None:
    library = AGAIN.partition("int main")[0].replace("float *res", "float *res, int *left").replace("&left", "left")
    (kernel,) = check(tmp_path, library).kernels
    texts = [use.text for use in kernel.launches[0].assumptions if "begins" in use.text]
    assert (kernel.outcome, texts) == (Outcome.SAFE, ["left is gridDim.x when the kernel begins"])
