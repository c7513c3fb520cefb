"""Recursive functions are entered as long as constants count their activations."""

from tests.checking import verdicts

SOURCE = """
__device__ void fold(int *s, int half) {
  if (half == 0) return;
  if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
  __syncthreads();
  fold(s, half / 2);
}

__device__ void fold_late(int *s, int half) {
  if (half == 0) return;
  if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];  // add
  if (half > 2) __syncthreads();
  fold_late(s, half / 2);
}

__device__ void up(int *s, int k, int n) {
  if (s[k] < n) up(s, k, n + 1);
}

// safe: 61 of 61 pairs
__global__ void counted_down(int *a, int *out) {
  __shared__ int s[16];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  fold(s, 8);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// race: read add, write add; shared; warp
__global__ void without_the_last_barrier(int *a, int *out) {
  __shared__ int s[16];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  fold_late(s, 8);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// open: a call of up, which calls itself too often
__global__ void ended_by_contents(int *a) {
  up(a, threadIdx.x, 0);
}

int main() {
  int *a, *out;
  cudaMalloc(&a, 64), cudaMalloc(&out, 64);
  counted_down<<<4, 16>>>(a, out);
  without_the_last_barrier<<<4, 16>>>(a, out);
  ended_by_contents<<<1, 16>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
