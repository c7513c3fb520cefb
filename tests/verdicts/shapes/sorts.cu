// Sorting networks in shared memory, with twins that go wrong.
#include <assert.h>

// safe: 64 of 64 pairs
template <int n> __global__ void odd_even_merge(int *keys) {
  __shared__ int s[n];
  assert(blockDim.x == n / 2);
  int t = threadIdx.x;
  s[t] = keys[blockIdx.x * n + t];
  s[t + n / 2] = keys[blockIdx.x * n + t + n / 2];
  for (int size = 2; size <= n; size <<= 1) {
    int d = size / 2, offset = t & (d - 1);
    __syncthreads();
    int i = 2 * t - (t & (d - 1));
    int a = s[i], b = s[i + d];
    if (a > b) { s[i] = b; s[i + d] = a; }
    d >>= 1;
    for (; d > 0; d >>= 1) {
      __syncthreads();
      int k = 2 * t - (t & (d - 1));
      if (offset >= d) {
        int x = s[k - d], y = s[k];
        if (x > y) { s[k - d] = y; s[k] = x; }
      }
    }
  }
  __syncthreads();
  keys[blockIdx.x * n + t] = s[t];
  keys[blockIdx.x * n + t + n / 2] = s[t + n / 2];
}
template __global__ void odd_even_merge<512>(int *);

// safe: 17 of 17 pairs
__global__ void odd_even_rounds(int *keys, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  if (t < n) s[t] = keys[blockIdx.x * n + t];
  __syncthreads();
  for (int round = 0; round < n; round++) {
    int i = 2 * t + round % 2;
    if (i + 1 < n) {
      int a = s[i], b = s[i + 1];
      if (a > b) { s[i] = b; s[i + 1] = a; }
    }
    __syncthreads();
  }
  if (t < n) keys[blockIdx.x * n + t] = s[t];
}

// the barrier is behind the loop
// race: read low, write high; shared; warp block
// race: write high, write high; shared; warp block
template <int n> __global__ void odd_even_merge_without_barriers(int *keys) {
  __shared__ int s[n];
  assert(blockDim.x == n / 2);
  int t = threadIdx.x;
  s[2 * t] = keys[blockIdx.x * n + 2 * t];
  s[2 * t + 1] = keys[blockIdx.x * n + 2 * t + 1];
  __syncthreads();
  for (int d = n / 2; d > 0; d >>= 1) {
    int i = 2 * t - (t & (d - 1));
    int a = s[i];  // low
    s[i + d] = a;  // high
  }
}
template __global__ void odd_even_merge_without_barriers<512>(int *);

// the distance is not a power of two
// race: write high, write high; shared; warp
// race: write low, write low; shared; warp
template <int n> __global__ void bitonic_step_of_three(int *keys) {
  __shared__ int s[n];
  int t = threadIdx.x;
  const int d = 3;
  int i = 2 * t - (t & (d - 1));
  s[i] = t;  // low
  s[i + d] = t;  // high
}
template __global__ void bitonic_step_of_three<512>(int *);

// every thread exchanges with its neighbour
// race: read right, write left; shared; warp block
__global__ void odd_even_rounds_of_all(int *keys, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  if (t < n) s[t] = keys[t];
  __syncthreads();
  for (int round = 0; round < n; round++) {
    int i = t + round % 2;
    if (i + 1 < n) {
      int b = s[i + 1];  // right
      s[i] = b;  // left
    }
    __syncthreads();
  }
}
