// Tiles: two buffers, fronts, transposes, halos, private histograms; with twins that go wrong.
#include <assert.h>

// safe: 46 of 46 pairs
__global__ void ping_pong(const int *in, int *data, int n, int steps) {
  assert(blockDim.x == 256);
  __shared__ int a[2][258];
  int t = threadIdx.x + 1, i = blockIdx.x * 256 + threadIdx.x, now = 0;
  a[0][t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) { a[0][0] = a[1][0] = 0; a[0][257] = a[1][257] = 0; }
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    a[1 - now][t] = a[now][t - 1] + a[now][t] + a[now][t + 1];
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) data[i] = a[now][t];
}

// safe: 6 of 6 pairs
__global__ void double_buffer(const float *in, float *out, int tiles) {
  assert(blockDim.x == 256);
  __shared__ float buffer[2][256];
  int t = threadIdx.x;
  float sum = 0;
  buffer[0][t] = in[t];
  __syncthreads();
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles) buffer[(k + 1) & 1][t] = in[(k + 1) * 256 + t];
    for (int j = 0; j < 256; j++) sum += buffer[k & 1][j];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

// safe: 57 of 57 pairs
__global__ void wavefront(const int *reference, int *matrix, int cols, int penalty, int round) {
  assert(blockDim.x == 16 && cols > 0 && cols > 16 * gridDim.x);
  __shared__ int temp[17][17];
  __shared__ int ref[16][16];
  int bx = blockIdx.x, t = threadIdx.x;
  int bi = bx, bj = round - 1 - bx;
  int base = cols * 16 * bj + 16 * bi + cols + 1;
  for (int r = 0; r < 16; r++) ref[r][t] = reference[base + cols * r + t];
  if (t == 0) temp[0][0] = matrix[base - cols - 1];
  temp[t + 1][0] = matrix[base + cols * t - 1];
  temp[0][t + 1] = matrix[base - cols + t];
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (t <= m) {
      int x = t + 1, y = m - t + 1;
      temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; m--) {
    if (t <= m) {
      int x = t + 16 - m, y = 16 - t;
      temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int r = 0; r < 16; r++) matrix[base + cols * r + t] = temp[r + 1][t + 1];
}

// safe: 3 of 3 pairs
__global__ void transpose(const float *in, float *out, int width, int height) {
  assert(blockDim.x == 32 && blockDim.y == 8);
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// safe: 10 of 10 pairs
__global__ void stencil(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const int r = 3;
  if (i < n) s[t + r] = in[i];
  if (t < r) {
    s[t] = i >= r ? in[i - r] : 0;
    if (i + blockDim.x < n) s[t + r + blockDim.x] = in[i + blockDim.x];
  }
  __syncthreads();
  float v = 0;
  for (int k = -r; k <= r; k++) v += s[t + r + k];
  if (i < n) out[i] = v;
}

// safe: 4 of 4 pairs
__global__ void private_histogram(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

// safe: 8 of 8 pairs
__global__ void histogram_of_each_thread(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned char own[64 * 64];
  assert(blockDim.x == 64);
  int t = threadIdx.x;
  for (int b = 0; b < 64; b++) own[t + b * 64] = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) own[t + (data[i] >> 2) * 64]++;
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 64; k++) sum += own[t * 64 + k];
  bins[blockIdx.x * 64 + t] = sum;
}

// one buffer
// race: read before, write own; shared; warp block
__global__ void ping_without_pong(const int *in, int *out, int n, int steps) {
  __shared__ int a[258];
  assert(blockDim.x == 256);
  int t = threadIdx.x + 1, i = blockIdx.x * 256 + threadIdx.x;
  a[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) a[0] = a[257] = 0;
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    int v = a[t - 1];  // before
    a[t] = v;  // own
    __syncthreads();
  }
  if (i < n) out[i] = a[t];
}

// the tile that is read is overwritten
// race: read use, write fill; shared; warp block
__global__ void single_buffer(const float *in, float *out, int tiles) {
  __shared__ float buffer[256];
  assert(blockDim.x == 256);
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < tiles; k++) {
    buffer[t] = in[k * 256 + t];  // fill
    __syncthreads();
    for (int j = 0; j < 256; j++) sum += buffer[j];  // use
  }
  out[blockIdx.x * 256 + t] = sum;
}

// the front moves without a barrier
// race: read left, write front; shared; warp
__global__ void wavefront_without_barriers(const int *reference, int penalty) {
  __shared__ int temp[17][17];
  assert(blockDim.x == 16);
  int t = threadIdx.x;
  temp[t + 1][0] = reference[t];
  temp[0][t + 1] = reference[t + 16];
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (t <= m) {
      int x = t + 1, y = m - t + 1;
      int v = temp[y][x - 1];  // left
      temp[y][x] = v;  // front
    }
  }
}

// no barrier between filling the tile and reading it the other way
// race: read column, write row; shared; block
__global__ void transpose_at_once(const float *in, float *out, int width) {
  __shared__ float tile[32][33];
  assert(blockDim.x == 32 && blockDim.y == 32);
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];  // row
  float v = tile[threadIdx.x][threadIdx.y];  // column
  if (blockIdx.x == 0 && blockIdx.y == 0) out[threadIdx.y * 32 + threadIdx.x] = v;
}

// the rows of the result are too short
// race: write cell, write cell; global; warp block grid
__global__ void transpose_with_rows_too_short(const float *in, float *out, int width, int height) {
  assert(blockDim.x == 32 && blockDim.y == 32);
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) out[x * (height - 1) + y] = in[y * width + x];  // cell
}

// the halo is read before it is there
// race: read before, write own; shared; warp block
__global__ void stencil_at_once(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) s[t] = in[i];  // own
  if (t > 0 && i < n) out[i] = s[t - 1];  // before
}

// counted without atomics
// race: read old, write new; shared; warp block (data-dependent)
// race: write new, write new; shared; warp block (data-dependent)
__global__ void private_histogram_without_atomics(const unsigned char *data, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned c = own[data[i]];  // old
    own[data[i]] = c + i;  // new
  }
}
