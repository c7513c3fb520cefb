"""Inputs that the host checks: what passes the check is accepted, and a race that it allows is no caller's fault."""

from tests.checking import verdicts

KERNELS = """
#include <cuda_runtime.h>
#include <cstdlib>

// race: write checked, write checked; global; grid
__global__ void refused(int *out, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = blockIdx.x;  // checked
}

// race: write replaced, write replaced; global; grid
__global__ void put_right(int *out, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = blockIdx.x;  // replaced
}

// race: write bounded, write bounded; global; grid (unless 128 <= most)
__global__ void bounded_on_one_side(int *out, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = blockIdx.x;  // bounded
}

// race: write free, write free; global; grid (unless 128 <= free)
__global__ void not_checked(int *out, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = blockIdx.x;  // free
}

// race: write there, write there; global; warp block grid (unless distinct(index))
__global__ void of_contents(int *out, const int *index, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[index[i]] = i;  // there
}

int main(int argc, char **argv) {
  int *out, *index;
  cudaMalloc(&out, 1 << 24);
  cudaMalloc(&index, 1 << 20);
  int stride = atoi(argv[1]);
  if (stride < 1 || stride > 4096) return 1;
  refused<<<64, 128>>>(out, stride);
  int other = atoi(argv[2]);
  other = other < 1 || other > 4096 ? 64 : other;
  put_right<<<64, 128>>>(out, other);
  int most = atoi(argv[3]);
  if (most < 1) return 1;
  bounded_on_one_side<<<64, 128>>>(out, most);
  int free = atoi(argv[4]);
  not_checked<<<64, 128>>>(out, free);
  int n = atoi(argv[5]);
  if (n < 1 || n > 1024) return 1;
  of_contents<<<8, 128>>>(out, index, n);
}
"""

test_kernel = verdicts(KERNELS)
