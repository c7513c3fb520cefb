"""Reads of one place between the same two barriers agree, as long as nothing has raced."""

from tests.checking import verdicts

SOURCE = """
// safe: 13 of 13 pairs
__global__ void reachable(int *graph) {
  __shared__ int tile[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = graph[y * 16 + x];
  __syncthreads();
  for (int k = 0; k < 16; k++) {
    if (tile[y][x] == 0 && tile[y][k] != 0 && tile[k][x] != 0) tile[y][x] = k + 1;
    __syncthreads();
  }
  graph[y * 16 + x] = tile[y][x];
}

// race: read way, write way; shared; warp (data-dependent)
// race: read way, write way; shared; warp block (data-dependent)
__global__ void reachable_again(int *graph) {
  __shared__ int tile[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = graph[y * 16 + x];
  __syncthreads();
  for (int k = 0; k < 16; k++) {
    if (tile[y][k] != 0 && tile[k][x] != 0) tile[y][x] = k + 1;  // way
    __syncthreads();
  }
  graph[y * 16 + x] = tile[y][x];
}

// safe: 6 of 6 pairs
__global__ void same_decision(int *out, int *in) {
  __shared__ int turn[2];
  int t = threadIdx.x + 16 * threadIdx.y;
  if (t < 2) turn[t] = in[t];
  __syncthreads();
  int mine = turn[t % 2], other = turn[(t + 1) % 2];
  if (t == 0 && mine == 1 && other == 0) out[0] = 1;
  if (t == 1 && mine == 1 && other == 0) out[0] = 2;
}

// race: write even, write odd; global; warp (data-dependent)
__global__ void decision_in_between(int *out, int *in) {
  __shared__ int turn[2];
  int t = threadIdx.x + 16 * threadIdx.y;
  if (t < 2) turn[t] = in[t];
  __syncthreads();
  int mine = turn[t % 2];
  __syncthreads();
  if (t < 2) turn[t] = in[t + 2];
  __syncthreads();
  int other = turn[(t + 1) % 2];
  if (t == 0 && mine == 1 && other == 0) out[0] = 1;  // even
  if (t == 1 && mine == 1 && other == 0) out[0] = 2;  // odd
}

// race: write mark, write mark; global; warp block (data-dependent)
__global__ void own_write_in_between(int *out, int *in) {
  int t = threadIdx.x + 16 * threadIdx.y;
  int before = in[t];
  in[t] = before + 1;
  int after = in[t];
  if (before == 0 && after == 1) out[0] = t;  // mark
}

// note: write total, write total; global; warp block
// safe: 3 of 4 pairs
__global__ void every_thread_adds_up_the_same(float *out, const float *in) {
  __shared__ float part[256];
  int t = threadIdx.x + 16 * threadIdx.y;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int j = 0; j < 32; j++) {
    float sum = part[j] + part[j + 32];
    sum *= in[j];
    out[blockIdx.x * 32 + j] = sum;  // total
  }
}

// race: write total, write total; global; warp block
__global__ void every_thread_weighs_it_otherwise(float *out, const float *in) {
  __shared__ float part[256];
  int t = threadIdx.x + 16 * threadIdx.y;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int j = 0; j < 32; j++) {
    float sum = part[j] + part[j + 32];
    sum *= in[t];
    out[blockIdx.x * 32 + j] = sum;  // total
  }
}

// race: write total, write total; global; warp block
__global__ void every_thread_reads_where_it_is(float *out, const float *in) {
  __shared__ float part[256];
  int t = threadIdx.x + 16 * threadIdx.y;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int j = 0; j < 32; j++) {
    float sum = part[j] + part[(j + t) % 256];
    out[blockIdx.x * 32 + j] = sum;  // total
  }
}

// race: read next, write total; global; warp
// race: write total, write total; global; warp
__global__ void what_is_read_races_itself(float *out, const float *in) {
  int pair = (threadIdx.x + 16 * threadIdx.y) / 2;
  float sum = out[pair];  // next
  out[pair] = sum + in[pair];  // total
}

// race: write total, write total; global; warp block
__global__ void every_thread_has_read_it_before_and_after(float *out, const float *in) {
  __shared__ float part[256];
  int t = threadIdx.x + 16 * threadIdx.y;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  float sum = part[0];
  __syncthreads();
  part[t] = 0;
  __syncthreads();
  if (t % 2) sum = part[0];
  out[blockIdx.x] = sum;  // total
}
"""

test_kernel = verdicts(SOURCE, grid_dim=(1, 1, 1), block_dim=(16, 16, 1))
