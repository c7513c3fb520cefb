"""Launches that nothing is known of: what the kernel itself says of the extents that it is meant for."""

from tests.checking import verdicts

SOURCE = """
// race: write tile, write tile; global; grid (unless blockDim.x <= 64)
__global__ void tiles(int *out) {
  out[blockIdx.x * 64 + threadIdx.x] = blockIdx.x;  // tile
}

// race: write lower, write lower; global; grid (unless blockDim.x <= 64)
// race: write lower, write upper; global; warp block grid
// race: write upper, write upper; global; grid (unless blockDim.x <= 64)
__global__ void tiles_one_apart(int *out) {
  out[blockIdx.x * 64 + threadIdx.x] = blockIdx.x;  // lower
  out[blockIdx.x * 64 + threadIdx.x + 1] = threadIdx.x;  // upper
}

// race: write cell, write cell; global; warp block grid (unless blockDim.x == 32 && blockDim.y == 4 && WHOLE)
__global__ void cells(int *out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (y < height) out[y * width + x] = x;  // cell
}

// race: write near, write near; shared; warp block
__global__ void near_shares(float *out, int n) {
  __shared__ float own[1024];
  for (int k = 0; k < 4; ++k)
    if (k < n) own[threadIdx.x + k * 4] = threadIdx.x;  // near
}

// race: write share, write share; shared; block (unless blockDim.x <= 256)
__global__ void shares(float *out, int n) {
  __shared__ float own[1024];
  for (int k = 0; k < 4; ++k)
    if (k < n) own[threadIdx.x + k * 256] = threadIdx.x;  // share
}
"""

test_unseen_launch = verdicts(SOURCE.replace("WHOLE", "(blockDim.x * gridDim.x) <= width"))


test_unseen_launch_in_a_program = verdicts("""
// race: read entry, write total; global; grid (unless gridDim.x == 1)
// race: write total, write total; global; grid (unless gridDim.x == 1)
__global__ void one_block(float *out, int n) {
  float mine = threadIdx.x < n ? out[threadIdx.x] : 0;  // entry
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(~0u, mine, lane);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = mine;  // total
}

// race: write first, write first; global; grid
__global__ void first_of_each_block(int *out) {
  if (threadIdx.x == 0) out[0] = blockIdx.x;  // first
}

// safe: 1 of 1 pairs
__global__ void other(int *out) { out[threadIdx.x] = 1; }
void run(int *out) { other<<<1, 64>>>(out); }
""")

test_without_any_launch = verdicts("""
// race: write total, write total; global; grid
__global__ void one_block(int *out) {
  if (threadIdx.x == 0) out[0] = clock();  // total
}
""")
