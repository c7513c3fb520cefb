"""Pointer permutations: buffers that a loop swaps among variables, and which of them a kernel gets together."""

from tests.checking import verdicts

SOURCE = """
#include <cstdlib>
#include <utility>

// safe: 4 of 4 pairs
__global__ void swapped(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // swapped

// race: read overwritten, write overwritten; global; warp
__global__ void overwritten(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // overwritten

// safe: 8 of 8 pairs
__global__ void sometimes(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // sometimes

// safe: 6 of 6 pairs
__global__ void rotated(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // rotated

// race: read repeated, write repeated; global; warp
__global__ void repeated(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // repeated

// safe: 4 of 4 pairs
__global__ void indexed(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // indexed

// race: read misindexed, write misindexed; global; warp
__global__ void misindexed(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // misindexed

// race: read behind, write behind; global; warp
__global__ void behind(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // behind

// race: read started, write started; global; warp
__global__ void started(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // started

// safe: 4 of 4 pairs
__global__ void left(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // left

// race: read between, write between; global; warp
__global__ void left_between(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // between

// safe: 4 of 4 pairs
__global__ void in_a_method(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // method

// race: read copied, write copied; global; warp
__global__ void copied_in_a_method(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }  // copied

struct Pair {
  int *to, *from;
  int n;
  void swap() {
    for (int p = 1; p < n; p *= 2) { in_a_method<<<1, 64>>>(to, from); std::swap(to, from); }
  }
  void copy() {
    for (int p = 1; p < n; p *= 2) {
      copied_in_a_method<<<1, 64>>>(to, from);
      std::swap(to, from);
      if (p == 8) to = from;
    }
  }
};

int main(int argc, char **argv) {
  int *a, *b, *c, *t;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMalloc(&c, 4096);

  int *x = a, *y = b, *z = c;
  for (int i = 0; i < argc; ++i) { swapped<<<1, 64>>>(x, y); std::swap(x, y); }

  x = a, y = b;
  for (int i = 0; i < argc; ++i) { overwritten<<<1, 64>>>(x, y); if (argc > 4) x = y; std::swap(x, y); }

  x = a, y = b;
  for (int i = 0; i < argc; ++i) { sometimes<<<1, 64>>>(x, y); if (i % 3) std::swap(x, y); }

  x = a, y = b;
  for (int i = 0; i < argc; ++i) { rotated<<<1, 64>>>(x, z); t = x; x = y; y = z; z = t; }

  x = a, y = b, z = c;
  for (int i = 0; i < argc; ++i) { repeated<<<1, 64>>>(x, z); t = x; x = y; y = z; z = x; }

  int *p[2] = {a, b};
  for (int i = 0; i < argc; ++i) indexed<<<1, 64>>>(p[i % 2], p[(i + 1) % 2]);
  for (int i = 0; i < argc; ++i) misindexed<<<1, 64>>>(p[i % 2], p[3 * i % 2]);

  x = a, y = b;
  for (int i = 0; i < argc; ++i)
    if (atoi(argv[i]) == 3) { x = y; break; }
  behind<<<1, 64>>>(x, y);

  x = a, y = b;
  for (;;) { std::swap(x, y); if (atoi(argv[argc++]) == 3) break; }
  left<<<1, 64>>>(x, y);

  x = a, y = b;
  for (;;) { t = x; x = y; if (atoi(argv[argc++]) == 3) break; y = t; }
  left_between<<<1, 64>>>(x, y);

  x = a, y = nullptr;
  for (int i = 0; i < argc; ++i) { if (y) started<<<1, 64>>>(a, y); y = x; x = b; }

  Pair one{a, b, argc}, other{a, b, argc};
  one.swap();
  other.copy();
}
"""

test_kernel = verdicts(SOURCE)
