"""Counts that the host reads back from the device in a loop: what they are before the first iteration is an input."""

from tests.checking import verdicts

SOURCE = """
#include <cuda_runtime.h>

// safe: 1 of 1 pairs
__global__ void begin(int n, int *count) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *count = n;
}

// race: write mine, write mine; global; block grid
__global__ void many(int *label, const int *from, int active, int *to, int *more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < active) label[i & 63] = i;  // mine
  if (i < active) to[atomicAdd(more, 1)] = i;
}

// open: write own, write own; global; block grid: it depends on values that are not known: others
__global__ void many_after_one(int *label, int others, int *more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < others) label[i & 63] = i;  // own
  if (i < others) atomicAdd(more, i & 1);
}

int main(int argc, char **argv) {
  int n = argc * 1000;
  int *label, *a, *b, *na, *nb;
  cudaMalloc(&label, 4096);
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&na, 4);
  cudaMalloc(&nb, 4);
  int active;
  begin<<<1, 32>>>(n, na);
  cudaMemcpy(&active, na, 4, cudaMemcpyDeviceToHost);
  do {
    cudaMemset(nb, 0, 4);
    many<<<(active + 255) / 256, 256>>>(label, a, active, b, nb);
    cudaMemcpy(&active, nb, 4, cudaMemcpyDeviceToHost);
    int *t = a; a = b; b = t;
    t = na; na = nb; nb = t;
  } while (active > 0);

  int others = 64;
  for (int round = 0; others > 0 && round < 9; ++round) {
    cudaMemset(nb, 0, 4);
    many_after_one<<<(others + 255) / 256, 256>>>(label, others, nb);
    cudaMemcpy(&others, nb, 4, cudaMemcpyDeviceToHost);
  }
}
"""

test_kernel = verdicts(SOURCE)
