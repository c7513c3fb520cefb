"""Pointers that are chosen from several, and stores and loads through them."""

import pytest

from tests.checking import cases, verdicts

KERNELS = """
// race: write here, write here; global; warp block
__global__ void third_of_three(int *out, int c) {
  int t = threadIdx.x, x = 0, y = 0, z = 0;
  int *p = c == 1 ? &x : c == 2 ? &y : &z;
  *p = t;
  if (blockIdx.x == 0) out[t - z] = t;  // here
}

// race: write here, write here; global; warp block
__global__ void second_of_three(int *out, int c) {
  int t = threadIdx.x, x = 0, y = 0, z = 0;
  int *p = c == 1 ? &x : c == 2 ? &y : &z;
  *p = t;
  if (blockIdx.x == 0) out[t - y] = t;  // here
}

// safe: 1 of 1 pairs
__global__ void none_of_three(int *out, int c) {
  int t = threadIdx.x, x = 0, y = 0, z = 0, w = 0;
  int *p = c == 1 ? &x : c == 2 ? &y : &z;
  *p = t;
  if (blockIdx.x == 0) out[t - w] = t;
}

// safe: 1 of 1 pairs
__global__ void chosen_and_read_back(int *out, int c) {
  int t = threadIdx.x, x = 0, y = 0, z = 0;
  int *p = c == 1 ? &x : c == 2 ? &y : &z;
  *p = t;
  if (blockIdx.x == 0) out[*p] = t;
}

// race: write here, write here; global; warp block
__global__ void set_by_a_chain(int *out, int c) {
  int t = threadIdx.x, x = 0, y = 0, z = 0;
  int *p = &x;
  if (c == 1) p = &y;
  if (c == 2) p = &z;
  *p = t;
  if (blockIdx.x == 0) out[t - x] = t;  // here
}

// race: write here, write here; shared; warp block
// race: write there, write there; shared; warp block
// race: write here, write there; shared; warp block
__global__ void shared_or_own(int c) {
  __shared__ int s[64];
  int t = threadIdx.x, x = 0, y = 0;
  int *p = c == 1 ? &x : c == 2 ? &y : &s[0];
  *p = t;  // here
  if (c > 2) s[y] = t;  // there
}
"""


@pytest.mark.parametrize("name", cases(KERNELS))
def test_kernel(name: str) -> None:
    verdicts(KERNELS)(name)


MANY = f"int *many[80] = {{{', '.join(['a, b'] * 40)}}};"
UNKNOWN = """
// open: memcpy at an unknown address
__global__ void copied(int *a, int *b, int i) {
  MANY
  int v = threadIdx.x;
  memcpy(many[i % 80], &v, 4);
}

// open: memcpy at an unknown address
__global__ void copied_to_one_or_another(int *a, int *b, int i) {
  MANY
  int v = threadIdx.x, *p = i > 3 ? many[i % 80] : a + threadIdx.x + blockDim.x * blockIdx.x;
  memcpy(p, &v, 4);
}

// open: an atomic at an unknown address
__global__ void counted(int *a, int *b, int i) {
  MANY
  int *p = i > 3 ? many[i % 80] : a + threadIdx.x + blockDim.x * blockIdx.x;
  atomicAdd_block(p, 1);
}

// open: a write through a pointer of unknown target
__global__ void stored(int *a, int *b, int i) {
  MANY
  int *p = i > 3 ? many[i % 80] : a + threadIdx.x + blockDim.x * blockIdx.x;
  *p = threadIdx.x;
}
""".replace("MANY", MANY)


@pytest.mark.parametrize("name", cases(UNKNOWN))
def test_one_of_many(name: str) -> None:
    verdicts(UNKNOWN)(name)
