// Scans: Hillis and Steele, Blelloch; with and without padding against bank conflicts; with twins that go wrong.
#include <assert.h>
#define PAD(i) ((i) + ((i) >> 5))

// safe: 10 of 10 pairs
__global__ void hillis_steele(const int *in, int *out) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  out[blockIdx.x * n + t] = s[t];
}

// safe: 19 of 19 pairs
__global__ void hillis_steele_twice(const int *in, int *out) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = blockDim.x, from = 0, to = 1;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    from = 1 - from; to = 1 - from;
    if (t >= d) s[from * n + t] = s[to * n + t] + s[to * n + t - d];
    else s[from * n + t] = s[to * n + t];
    __syncthreads();
  }
  out[blockIdx.x * n + t] = s[from * n + t];
}

// safe: 66 of 66 pairs
template <int n> __global__ void blelloch(const int *in, int *out) {
  __shared__ int s[n];
  assert(blockDim.x == n / 2);
  int t = threadIdx.x, offset = 1;
  s[2 * t] = in[blockIdx.x * n + 2 * t];
  s[2 * t + 1] = in[blockIdx.x * n + 2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      s[j] += s[i];
    }
    offset *= 2;
  }
  if (t == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      int v = s[i];
      s[i] = s[j];
      s[j] += v;
    }
  }
  __syncthreads();
  out[blockIdx.x * n + 2 * t] = s[2 * t];
  out[blockIdx.x * n + 2 * t + 1] = s[2 * t + 1];
}
template __global__ void blelloch<512>(const int *, int *);

// safe: 66 of 66 pairs
template <int n> __global__ void blelloch_padded(const int *in, int *out) {
  __shared__ int s[n + (n >> 5)];
  assert(blockDim.x == n / 2);
  int t = threadIdx.x, offset = 1;
  s[PAD(t)] = in[blockIdx.x * n + t];
  s[PAD(t + n / 2)] = in[blockIdx.x * n + t + n / 2];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      s[PAD(j)] += s[PAD(i)];
    }
    offset *= 2;
  }
  if (t == 0) s[PAD(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      int v = s[PAD(i)];
      s[PAD(i)] = s[PAD(j)];
      s[PAD(j)] += v;
    }
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[PAD(t)];
  out[blockIdx.x * n + t + n / 2] = s[PAD(t + n / 2)];
}
template __global__ void blelloch_padded<1024>(const int *, int *);

// no barrier between reading a neighbour and writing
// race: read far, write own; shared; warp block
__global__ void hillis_steele_in_place(const int *in, int *out) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    int v = t >= d ? s[t - d] : 0;  // far
    s[t] = v;  // own
    __syncthreads();
  }
  out[blockIdx.x * n + t] = s[t];
}

// both halves are the same
// race: read far, write own; shared; warp block
__global__ void hillis_steele_without_exchange(const int *in, int *out) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    int v = 0;
    if (t >= d) v = s[n + t - d];  // far
    s[n + t] = v;  // own
    __syncthreads();
  }
  out[blockIdx.x * n + t] = s[t];
}

// the way up without its barrier
// race: read left, write right; shared; warp block
// race: write right, write right; shared; warp block
template <int n> __global__ void blelloch_without_a_barrier(const int *in, int *out) {
  __shared__ int s[n];
  assert(blockDim.x == n / 2);
  int t = threadIdx.x, offset = 1;
  s[2 * t] = in[2 * t];
  s[2 * t + 1] = in[2 * t + 1];
  __syncthreads();
  for (int d = n >> 1; d > 0; d >>= 1) {
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      int v = s[i];  // left
      s[j] = v;  // right
    }
    offset *= 2;
  }
  __syncthreads();
  if (blockIdx.x == 0) out[t] = s[t];
}
template __global__ void blelloch_without_a_barrier<512>(const int *, int *);

// only one of the indexes is padded
// race: write high, write low; shared; block
template <int n> __global__ void padded_on_one_side(const int *in, int *out) {
  __shared__ int s[n + (n >> 5)];
  assert(blockDim.x == n / 2);
  int t = threadIdx.x;
  s[PAD(t)] = in[t];  // low
  s[t + n / 2] = in[t + n / 2];  // high
  __syncthreads();
  if (blockIdx.x == 0) out[t] = s[PAD(t)];
}
template __global__ void padded_on_one_side<1024>(const int *, int *);
