// Reduction trees: the classic steps, each with a twin that goes wrong.
// safe: 10 of 10 pairs
__global__ void interleaved_modulo(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// safe: 10 of 10 pairs
__global__ void interleaved_strided(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    unsigned k = 2 * d * t;
    if (k < blockDim.x) s[k] += s[k + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// safe: 10 of 10 pairs
__global__ void sequential(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// safe: 6 of 6 pairs
__global__ void first_add(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  int sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  s[t] = sum;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] = sum = sum + s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum;
}

// safe: 101 of 101 pairs
__global__ void last_warp(const int *in, int *out, unsigned n) {
  extern __shared__ volatile int v[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  int sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  v[t] = sum;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 32; d >>= 1) {
    if (t < d) v[t] = sum = sum + v[t + d];
    __syncthreads();
  }
  if (t < 32) {
    int x = v[t + 32]; __syncwarp(); v[t] = sum = sum + x; __syncwarp();
    x = v[t + 16]; __syncwarp(); v[t] = sum = sum + x; __syncwarp();
    x = v[t + 8]; __syncwarp(); v[t] = sum = sum + x; __syncwarp();
    x = v[t + 4]; __syncwarp(); v[t] = sum = sum + x; __syncwarp();
    x = v[t + 2]; __syncwarp(); v[t] = sum = sum + x; __syncwarp();
    x = v[t + 1]; __syncwarp(); v[t] = sum = sum + x; __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = v[0];
}

// safe: 16 of 16 pairs
template <unsigned size> __global__ void unrolled(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * size * 2 + t;
  int sum = i < n ? in[i] : 0;
  if (i + size < n) sum += in[i + size];
  s[t] = sum;
  __syncthreads();
  if (size >= 512) { if (t < 256) s[t] = sum = sum + s[t + 256]; __syncthreads(); }
  if (size >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; __syncthreads(); }
  if (size >= 128) { if (t < 64) s[t] = sum = sum + s[t + 64]; __syncthreads(); }
  if (t < 32) {
    if (size >= 64) sum += s[t + 32];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  }
  if (t == 0) out[blockIdx.x] = sum;
}
template __global__ void unrolled<256>(const int *, int *, unsigned);

// safe: 6 of 6 pairs
template <unsigned size> __global__ void many_each(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * size * 2 + t, grid = size * 2 * gridDim.x;
  int sum = 0;
  while (i < n) {
    sum += in[i];
    if (i + size < n) sum += in[i + size];
    i += grid;
  }
  s[t] = sum;
  __syncthreads();
  for (unsigned d = size / 2; d > 0; d /= 2) {
    if (t < d) s[t] = sum = sum + s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum;
}
template __global__ void many_each<512>(const int *, int *, unsigned);

// one barrier for the whole tree
// race: read upper, write lower; shared; warp block
__global__ void sequential_without_barriers(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) {
      int v = s[t + d];  // upper
      s[t] = v;  // lower
    }
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = s[0];
}

// the halves overlap
// race: read upper, write lower; shared; warp block
__global__ void sequential_too_far(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t <= d) {
      int v = s[t + d];  // upper
      s[t] = v;  // lower
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// the stride is not twice the distance
// race: read upper, write lower; shared; warp block
__global__ void interleaved_too_close(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % d == 0) {
      int v = s[t + d];  // upper
      s[t] = v;  // lower
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// no barrier between the threads' own sums and the tree
// race: read upper, write own; shared; warp block
__global__ void first_add_at_once(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  int sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  s[t] = sum;  // own
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) {
      sum += s[t + d];  // upper
      s[t] = sum;
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum;
}

// the last warp relies on lockstep
// race: read second, write third; shared; warp
__global__ void last_warp_in_lockstep(const int *in, int *out) {
  __shared__ volatile int v[64];
  unsigned t = threadIdx.x;
  v[t] = in[t];
  __syncthreads();
  if (t < 32) {
    int x = v[t + 32];
    v[t] = x;  // first
    __syncwarp();
    x = v[t + 16];  // second
    v[t] = x;  // third
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = v[0];
}

// the last tree level that needs a barrier has none
// race: read quarter, write half; shared; block
template <unsigned size> __global__ void unrolled_without_a_barrier(const int *in, int *out, unsigned n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * size + t;
  int sum = i < n ? in[i] : 0;
  s[t] = sum;
  __syncthreads();
  if (size >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; __syncthreads(); }
  if (size >= 128) {
    if (t < 64) {
      sum += s[t + 64];
      s[t] = sum;  // half
    }
  }
  if (t < 32) {
    sum += s[t + 32];  // quarter
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  }
  if (t == 0) out[blockIdx.x] = sum;
}
template __global__ void unrolled_without_a_barrier<256>(const int *, int *, unsigned);

// every block writes its sum to the same place
// race: write total, write total; global; grid
template <unsigned size> __global__ void many_each_to_one_place(const int *in, int *out, unsigned n) {
  __shared__ int s[size];
  unsigned t = threadIdx.x;
  int sum = 0;
  for (unsigned i = blockIdx.x * size + t; i < n; i += size * gridDim.x) sum += in[i];
  s[t] = sum;
  __syncthreads();
  for (unsigned d = size / 2; d > 0; d /= 2) {
    if (t < d) s[t] = sum = sum + s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = sum;  // total
}
template __global__ void many_each_to_one_place<512>(const int *, int *, unsigned);
