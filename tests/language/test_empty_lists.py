"""Initializer lists of classes without members: what they carry is in their type."""

import pytest

from tests.checking import cases, verdicts

KERNELS = """
#include <utility>

template <int... S> __device__ void steps(int *s, int t, std::integer_sequence<int, S...>) {
  ((s[t + S] = t), ...);
}
template <size_t... S> __device__ int last(std::index_sequence<S...>) { return (int(S), ...); }

// safe: 1 of 1 pairs
__global__ void one_step(int *a) {
  if (blockIdx.x == 0) steps(a, threadIdx.x, std::integer_sequence<int, 4>{});
}

// race: write here, write here; global; warp
__global__ void numbers_of_a_sequence(int *a) {
  if (blockIdx.x == 0) a[threadIdx.x / last(std::make_index_sequence<3>{})] = threadIdx.x;  // here
}

// safe: 1 of 1 pairs
__global__ void a_sequence_of_two(int *a) {
  if (blockIdx.x == 0) a[threadIdx.x / last(std::make_index_sequence<2>{})] = threadIdx.x;
}
"""


@pytest.mark.parametrize("name", cases(KERNELS))
def test_kernel(name: str) -> None:
    verdicts(KERNELS)(name)
