"""Pointers that a kernel stores and finds again: they lead to the objects that they were made of."""

from tests.checking import verdicts

SOURCE = """
#include <cstdlib>

struct Buffers { int *here; int *there; };

// open: pointers to a, b that are stored in to and found there
__global__ void one_of_two(int *a, int *b, int n) {
  __shared__ int *to;
  if (threadIdx.x == 0) to = n > 1 ? a : b;
  __syncthreads();
  to[threadIdx.x] = 1;
  a[threadIdx.x + 1] = 2;
}

// open: pointers to a, b that are stored in both and found there
__global__ void members(int *a, int *b) {
  __shared__ Buffers both;
  if (threadIdx.x == 0) {
    both.here = a;
    both.there = b;
  }
  __syncthreads();
  both.here[threadIdx.x] = 1;
  a[threadIdx.x + 1] = 2;
}

// safe: 7 of 7 pairs
__global__ void nothing_else_there(int *a, int *b, int *c) {
  __shared__ Buffers both;
  if (threadIdx.x == 0) {
    both.here = a;
    both.there = b;
  }
  __syncthreads();
  both.here[threadIdx.x] = 1;
  c[threadIdx.x] = 2;
}

// open: pointers to a, b that are stored in one and found there
// open: pointers to b, a that are stored in other and found there
__global__ void two_variables(int *a, int *b, int n) {
  __shared__ int *one, *other;
  if (threadIdx.x == 0) {
    one = n > 1 ? a : b;
    other = n > 2 ? b : a;
  }
  __syncthreads();
  one[threadIdx.x] = 1;
  other[threadIdx.x + 1] = 2;
}

__device__ int *kept;

// open: *kept and a: they may be the same memory
// open: pointers to a that are stored in kept and found there
__global__ void in_global_memory(int *a) {
  if (threadIdx.x == 0) kept = a;
  __syncthreads();
  kept[threadIdx.x] = 1;
  a[threadIdx.x + 1] = 2;
}

// open: pointers to an unknown place that are stored in to and found there
__global__ void flipped(char *a) {
  __shared__ int *to;
  if (threadIdx.x == 0) to = (int *)(reinterpret_cast<size_t>(a) ^ 64);
  __syncthreads();
  to[threadIdx.x] = 1;
  a[4 * threadIdx.x + 4] = 2;
}

// open: pointers to new that are stored in to and found there
__global__ void of_the_heap() {
  __shared__ int *to;
  if (threadIdx.x == 0) to = new int[128];
  __syncthreads();
  to[threadIdx.x] = 1;
}

// open: a write through a pointer of unknown target
__global__ void in_an_array_of_the_thread(int *a, int n) {
  int *rows[200];
  for (int i = 0; i < 200; i++) rows[i] = a + i;
  rows[n][threadIdx.x] = 1;
  rows[0][threadIdx.x] = 2;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *a, *b, *c;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMalloc(&c, 4096);
  one_of_two<<<1, 64>>>(a, b, n);
  members<<<1, 64>>>(a, b);
  nothing_else_there<<<1, 64>>>(a, b, c);
  two_variables<<<1, 64>>>(a, b, n);
  in_global_memory<<<1, 64>>>(a);
  flipped<<<1, 64>>>((char *)a);
  of_the_heap<<<1, 64>>>();
  in_an_array_of_the_thread<<<1, 64>>>(a, n);
}
"""

test_verdict = verdicts(SOURCE)
