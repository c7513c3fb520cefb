"""Words that bytes and halves are in: the address of one, without its last bits, is an address in the same memory."""

from pathlib import Path

from tests.checking import check, verdicts

SOURCE = """
#include <cuda_fp16.h>
#include <cstdint>

__device__ void max_by_mask(uint8_t *at, unsigned v) {
  uintptr_t address = reinterpret_cast<uintptr_t>(at);
  unsigned *word = reinterpret_cast<unsigned *>(address & ~uintptr_t(3));
  unsigned shift = unsigned(address & 3) * 8;
  unsigned seen = atomicOr(word, 0u), old;  // first
  do {
    old = seen;
    if ((old >> shift & 0xffu) >= v) return;
    seen = atomicCAS(word, old, (old & ~(0xffu << shift)) | v << shift);  // cas
  } while (seen != old);
}
__device__ void put_by_division(uint8_t *at, unsigned v) {
  size_t address = (size_t)at;
  unsigned *word = (unsigned *)(address / 4 * 4);
  atomicOr(word, v << address % 4 * 8);  // or
}
__device__ void add_by_difference(__half *at, unsigned short v) {
  unsigned *word = (unsigned *)((char *)at - ((size_t)at & 2));
  atomicAdd(word, (size_t)at & 2 ? (unsigned)v << 16 : v);  // add
}

// safe: 0 of 0 pairs
__global__ void masked(uint8_t *y, const int *at) { max_by_mask(&y[at[threadIdx.x]], threadIdx.x); }

// race: atomic cas, write plain; global; warp block grid (data-dependent)
// race: atomic first, write plain; global; warp block grid
__global__ void masked_beside_store(uint8_t *y) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  y[4 * t + 7] = 1;  // plain
  max_by_mask(&y[4 * t], 9);
}

// safe: 2 of 2 pairs
__global__ void divided(uint8_t *y) {
  int t = threadIdx.x + blockIdx.x * 64;
  y[8 * t + 7] = 1;
  put_by_division(y + 8 * t, t);
}

// race: atomic or, write plain_too; global; warp block grid
__global__ void divided_beside_store(uint8_t *y) {
  int t = threadIdx.x + blockIdx.x * 64;
  y[8 * t + 15] = 1;  // plain_too
  put_by_division(y + 8 * t + 4, t);
}

// safe: 0 of 0 pairs
__global__ void halves(__half *y, const int *at) { add_by_difference(y + at[threadIdx.x], threadIdx.x); }

// race: atomic add, write whole; global; warp block grid
__global__ void halves_beside_store(__half *y) {
  int t = threadIdx.x + blockIdx.x * 64;
  y[2 * t + 1] = __half();  // whole
  add_by_difference(y + 2 * t + 2, 1);
}

// safe: 7 of 7 pairs
__global__ void in_shared(const int *at, int *out) {
  __shared__ uint8_t s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  max_by_mask(&s[at[threadIdx.x] & 255], 7);
  __syncthreads();
  out[threadIdx.x + blockIdx.x * 256] = s[threadIdx.x];
}

// safe: 2 of 2 pairs
__global__ void aligned(uint8_t *y) {
  int t = threadIdx.x + blockIdx.x * 64;
  y[8 * t + 12] = 1;
  put_by_division(y + 8 * t + 3, t);
}

// race: write put, write rounded; global; warp block
__global__ void rounded_up(char *a) {
  int *to = (int *)((reinterpret_cast<size_t>(a) + 15) & ~static_cast<size_t>(15));
  to[threadIdx.x] = 1;  // rounded
  a[4 * threadIdx.x + 4] = 2;  // put
}

int main() {
  uint8_t *a, *b, *c, *d;
  __half *h, *g;
  int *at, *out;
  cudaMalloc(&a, 4096), cudaMalloc(&b, 4096), cudaMalloc(&c, 65536), cudaMalloc(&d, 65536);
  cudaMalloc(&h, 65536), cudaMalloc(&g, 65536), cudaMalloc(&at, 4096), cudaMalloc(&out, 65536);
  masked<<<4, 64>>>(a, at);
  masked_beside_store<<<4, 64>>>(b);
  divided<<<16, 64>>>(c);
  divided_beside_store<<<16, 64>>>(d);
  halves<<<4, 64>>>(h, at);
  halves_beside_store<<<16, 64>>>(g);
  in_shared<<<4, 256>>>(at, out);
  uint8_t *e;
  cudaMalloc(&e, 65536);
  aligned<<<16, 64>>>(e);
  char *f;
  cudaMalloc(&f, 65536);
  rounded_up<<<1, 64>>>(f);
}
"""

LIBRARY = """
// race: atomic or, write beside; global; warp block grid
__global__ void begins_within(unsigned char *y) {
  int t = threadIdx.x + blockIdx.x * 64;
  y[8 * t + 12] = 1;  // beside
  size_t address = (size_t)(y + 8 * t + 3);
  atomicOr((unsigned *)(address / 4 * 4), t << address % 4 * 8);  // or
}

// safe: 2 of 2 pairs
__global__ void begins_anywhere(unsigned char *y) {
  int t = threadIdx.x + blockIdx.x * 64;
  y[8 * t + 12] = 1;
  size_t address = (size_t)(y + 8 * t + 3);
  atomicOr((unsigned *)(address / 4 * 4), t << address % 4 * 8);
}

void call(unsigned char *y) {
  unsigned char *x;
  cudaMalloc(&x, 65536);
  begins_within<<<16, 64>>>(x + 1);
  begins_anywhere<<<16, 64>>>(y);
}
"""

test_words = verdicts(SOURCE)
test_words_in_library = verdicts(LIBRARY)


def test_alignment_is_assumed_where_nothing_says_it(tmp_path: Path) -> None:
    reports = {r.kernel: r.launches[0] for r in check(tmp_path, LIBRARY).kernels}
    listed = {kernel: [u.text for u in r.assumptions if "begins" in u.text] for kernel, r in reports.items()}
    assert listed == {"begins_within": [], "begins_anywhere": ["y begins at a multiple of 16 bytes"]}
