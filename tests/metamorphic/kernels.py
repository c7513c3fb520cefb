"""Kernels in a plain style, so that `changes` can rewrite them as text.

One statement a line; blocks in braces; `either` marks two neighbouring lines that may change places.
"""

KERNELS = {
    "saxpy": """
__global__ void saxpy(float *y, float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i >= 0) {
    y[i] = a * x[i] + y[i];
  }
}
""",
    "shift": """
__global__ void shift(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = i + 1;
  if (i >= 0 && other < n) {
    int v = a[other];
    a[i] = v;
  }
}
""",
    "exchange": """
__global__ void exchange(int *out) {
  __shared__ int tile[256];
  int t = threadIdx.x;  // either
  int first = blockIdx.x * blockDim.x;  // either
  tile[t] = t;
  __syncthreads();
  if (t >= 0 && t < 256) {
    out[first + t] = tile[255 - t];
  }
}
""",
    "exchange_unordered": """
__global__ void exchange_unordered(int *out) {
  __shared__ int tile[256];
  int t = threadIdx.x;  // either
  int first = blockIdx.x * blockDim.x;  // either
  tile[t] = t;
  if (t >= 0 && t < 256) {
    out[first + t] = tile[255 - t];
  }
}
""",
    "stencil": """
__global__ void stencil(float *out, float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) {
    float left = in[i - 1];  // either
    float right = in[i + 1];  // either
    out[i] = left + right;
  } else {
    out[i] = 0;
  }
}
""",
    "stencil_in_place": """
__global__ void stencil_in_place(float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) {
    float left = in[i - 1];  // either
    float right = in[i + 1];  // either
    in[i] = left + right;
  } else {
    in[i] = 0;
  }
}
""",
    "four_each": """
__global__ void four_each(int *a) {
  int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; ++k) {
    a[first + k] = k;
  }
}
""",
    "four_of_three": """
__global__ void four_of_three(int *a) {
  int first = 3 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; ++k) {
    a[first + k] = k;
  }
}
""",
    "rounds": """
__global__ void rounds(int *out) {
  __shared__ int tile[1024];
  int sum = 0;  // either
  int t = threadIdx.x;  // either
  for (int r = 0; r < 3; ++r) {
    tile[t] = r;
    __syncthreads();
    sum += tile[blockDim.x - 1 - t];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
""",
    "rounds_with_one_barrier": """
__global__ void rounds_with_one_barrier(int *out) {
  __shared__ int tile[1024];
  int sum = 0;  // either
  int t = threadIdx.x;  // either
  for (int r = 0; r < 3; ++r) {
    tile[t] = r;
    __syncthreads();
    sum += tile[blockDim.x - 1 - t];
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
""",
    "reduction": """
__global__ void reduction(int *out, int *in) {
  __shared__ int tile[1024];
  int t = threadIdx.x;  // either
  int first = blockIdx.x * blockDim.x;  // either
  tile[t] = in[first + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s && t >= 0) {
      tile[t] = tile[t] + tile[t + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = tile[0];
  }
}
""",
    "reduction_unordered": """
__global__ void reduction_unordered(int *out, int *in) {
  __shared__ int tile[1024];
  int t = threadIdx.x;  // either
  int first = blockIdx.x * blockDim.x;  // either
  tile[t] = in[first + t];
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    __syncthreads();
    if (t < s && t >= 0) {
      tile[t] = tile[t] + tile[t + s];
    }
  }
  if (t == 1) {
    out[blockIdx.x] = tile[0];
  }
}
""",
    "histogram": """
__global__ void histogram(int *bins, int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] > 0) {
    atomicAdd(&bins[data[i]], 1);
  } else {
    atomicAdd(&bins[0], 1);
  }
}
""",
    "histogram_without_atomics": """
__global__ void histogram_without_atomics(int *bins, int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] > 0) {
    bins[data[i]] = bins[data[i]] + 1;
  } else {
    atomicAdd(&bins[0], 1);
  }
}
""",
    "parity": """
__global__ void parity(int *a, int *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // either
  int v = blockIdx.x;  // either
  if (i % 2 == 0) {
    a[i] = v;
    b[i] = v;
  } else {
    a[i - 1] = i;
  }
}
""",
    "flag": """
__global__ void flag(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n || i == 0) {
    a[0] = 1;  // either
    a[1] = i;  // either
  }
}
""",
}
