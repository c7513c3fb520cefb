"""Variables that code from outside fills, and that are changed afterwards on some paths only."""

from tests.checking import verdicts

SOURCE = """
#include <cstdio>
struct Sizes { int rows, stride; };
void ask(int *n);
void ask(Sizes *s);
int counted();

// safe: 1 of 1 pairs
__global__ void clamped(int *a, int s) { a[blockIdx.x * s + threadIdx.x] = threadIdx.x; }

// race: write lower, write lower; global; grid (unless 128 <= s)
__global__ void clamped_lower(int *a, int s) { a[blockIdx.x * s + threadIdx.x] = threadIdx.x; }  // lower

// safe: 1 of 1 pairs
__global__ void member(int *a, int s) { a[blockIdx.x * s + threadIdx.x] = threadIdx.x; }

// race: write unclamped, write unclamped; global; grid (unless 128 <= sizes.stride)
__global__ void other_member(int *a, int s) { a[blockIdx.x * s + threadIdx.x] = threadIdx.x; }  // unclamped

// safe: 1 of 1 pairs
__global__ void zero_or_more(int *a, int s) { a[blockIdx.x * (s + 128) + threadIdx.x] = threadIdx.x; }

// race: write less, write less; global; grid (unless s >= 0)
__global__ void zero_or_less(int *a, int s) { a[blockIdx.x * (s + 128) + threadIdx.x] = threadIdx.x; }  // less

int main() {
  int *a, n = 256;
  cudaMalloc(&a, 1 << 28);

  scanf("%d", &n);
  if (n < 128) n = 128;
  clamped<<<64, 128>>>(a, n);

  ask(&n);
  if (n < 127) n = 127;
  clamped_lower<<<64, 128>>>(a, n);

  Sizes sizes;
  ask(&sizes);
  if (sizes.stride < 128) sizes.stride = 128;
  member<<<64, 128>>>(a, sizes.stride);
  ask(&sizes);
  if (sizes.rows < 128) sizes.rows = 128;
  other_member<<<64, 128>>>(a, sizes.stride);

  static int extra;
  if (counted() > 5) extra = 5;
  zero_or_more<<<64, 128>>>(a, extra);
  if (counted() > 5) extra = -5;
  zero_or_less<<<64, 128>>>(a, extra);
}
"""

test_kernel = verdicts(SOURCE)
