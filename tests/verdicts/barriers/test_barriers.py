"""Barriers: what they order, where they stand, and who passes them."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__global__ void exchange(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
}

// race: read other, write own; shared; block
__global__ void exchange_without_barrier(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
}

// race: read after, write before; global; grid
__global__ void blocks_do_not_wait(int *out, int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;  // before
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = a[blockIdx.x * blockDim.x + blockDim.x];  // after
}

// race: read early, write late; shared; warp block
__global__ void across_iterations(float *out, int n) {
  __shared__ float tile[1024];
  float sum = 0;
  for (int r = 0; r < n; ++r) {
    tile[threadIdx.x] = r;  // late
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) sum += tile[j];  // early
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// safe: 3 of 3 pairs
__global__ void across_iterations_with_two_barriers(float *out, int n) {
  __shared__ float tile[1024];
  float sum = 0;
  for (int r = 0; r < n; ++r) {
    tile[threadIdx.x] = r;
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) sum += tile[j];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// safe: 10 of 10 pairs
__global__ void tree(int *out) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

// race: read step, write step; shared; warp block
__global__ void tree_without_barrier(int *out) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1)
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];  // step
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

// race: read result, write step; shared; warp block
__global__ void tree_read_too_early(int *out) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = threadIdx.x;
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];  // step
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[0];  // result
}

// safe: 3 of 3 pairs
__global__ void __launch_bounds__(256) double_buffer(int *out, int n) {
  __shared__ int tile[2][256];
  int sum = 0;
  for (int r = 0; r < n; ++r) {
    tile[r % 2][threadIdx.x] = r;
    __syncthreads();
    sum += tile[r % 2][255 - threadIdx.x];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// race: read other, write own; shared; block
__global__ void __launch_bounds__(256) single_buffer(int *out, int n) {
  __shared__ int tile[2][256];
  int sum = 0;
  for (int r = 0; r < n; ++r) {
    tile[0][threadIdx.x] = r;  // own
    __syncthreads();
    sum += tile[0][255 - threadIdx.x];  // other
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// safe: 10 of 10 pairs
__global__ void __launch_bounds__(256) scan(int *out) {
  __shared__ int tile[2][256];
  int t = threadIdx.x, from = 0;
  tile[from][t] = t;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int sum = tile[from][t];
    if (t >= d) sum += tile[from][t - d];
    tile[1 - from][t] = sum;
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = tile[from][255 - t];
}

// race: read before, write step; shared; warp block
__global__ void __launch_bounds__(256) scan_in_place(int *out) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int sum = tile[t];
    if (t >= d) sum += tile[t - d];  // before
    tile[t] = sum;  // step
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = tile[255 - t];
}

// safe: 3 of 3 pairs
__global__ void uniform_condition(int *out, int n) {
  __shared__ int tile[256];
  if (n > 3) {
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
  }
}

// safe: 3 of 3 pairs
__global__ void early_return_of_all(int *out, int n) {
  __shared__ int tile[256];
  if (n < 3) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
}

// race: read other, write own; shared; block
__global__ void barrier_under_another_condition(int *out, int n) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  if (n > 3) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
}

// safe: 3 of 3 pairs
__global__ void early_return_of_some(int *out, int n) {
  __shared__ int tile[256];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// race: read other, write own; shared; block
__global__ void barrier_for_some(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  if (threadIdx.x < 16) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
}

// safe: 3 of 3 pairs
__global__ void barrier_unless_one_block(int *out, int n) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  if (n > 3) __syncthreads();
  tile[t] = t;
  if (n > 3) __syncthreads();
  if (n > 4) out[blockIdx.x * blockDim.x + t] = tile[255 - t];
}

// safe: 3 of 3 pairs
__global__ void barrier_in_both_arms(int *out, int n) {
  __shared__ int tile[256];
  if (n > 3) {
    tile[threadIdx.x] = n;
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
}

__device__ void wait_for_all() { __syncthreads(); }

// safe: 3 of 3 pairs
__global__ void barrier_in_a_function(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  wait_for_all();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
}

// safe: 3 of 3 pairs
__global__ void do_while(int *out, int n) {
  __shared__ int tile[256];
  int sum = 0, r = 0;
  do {
    tile[threadIdx.x] = r;
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  } while (++r < n);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// race: read other, write own; shared; block
__global__ void do_while_with_one_barrier(int *out, int n) {
  __shared__ int tile[256];
  int sum = 0, r = 0;
  do {
    tile[threadIdx.x] = r;  // own
    __syncthreads();
    sum += tile[255 - threadIdx.x];  // other
  } while (++r < n);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// race: write place, write place; global; warp block grid
__global__ void do_while_of_each_thread(int *out, int n) {
  int i = 0;
  do {
    out[blockIdx.x * blockDim.x + threadIdx.x + i] = threadIdx.x;  // place
  } while (++i < n);
}

// safe: 8 of 8 pairs
__global__ void rounds_of_rounds(int *out, int n) {
  __shared__ int a[257];
  int t = threadIdx.x;
  a[t] = t;
  for (int i = n; i > 0; i -= 32)
    for (int k = 31; k >= 0; k -= 2) {
      __syncthreads();
      int next = a[t + 1];
      __syncthreads();
      a[t] = next;
    }
  out[blockIdx.x * blockDim.x + t] = a[t];
}

// race: read other, write first; shared; warp block
// race: read other, write own; shared; warp block
__global__ void rounds_of_rounds_with_one_barrier(int *out, int n) {
  __shared__ int a[257];
  int t = threadIdx.x;
  a[t] = t;  // first
  for (int i = n; i > 0; i -= 32)
    for (int k = 31; k >= 0; k -= 2) {
      int next = a[t + 1];  // other
      __syncthreads();
      a[t] = next;  // own
    }
  out[blockIdx.x * blockDim.x + t] = a[t];
}

// safe: 3 of 3 pairs
__global__ void group_barrier(int *out) {
  __shared__ int tile[256];
  cg::thread_block block = cg::this_thread_block();
  tile[threadIdx.x] = threadIdx.x;
  block.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
}

// safe: 2 of 2 pairs
__global__ void grid_barrier(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  a[i] = i;
  cg::this_grid().sync();
  int v = a[n - 1 - i];
}

// race: read there, write here; global; warp block grid
__global__ void grid_without_barrier(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  a[i] = i;  // here
  int v = a[n - 1 - i];  // there
}

// race: read other, write own; shared; block
__global__ void warp_barrier(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  __syncwarp();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % 256];  // other
}

// safe: 3 of 3 pairs
__global__ void warp_barrier_within_a_warp(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x / 32 * 32];
}

// race: read first, write own; shared; warp
__global__ void no_warp_barrier_within_a_warp(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x / 32 * 32];  // first
}

// safe: 3 of 3 pairs
__global__ void warp_barrier_of_half(int *out) {
  __shared__ int tile[256];
  int lane = threadIdx.x % 32;
  if (lane >= 16) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp(0xffff);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 1];
}

// race: read neighbour, write behind; shared; warp
__global__ void who_returns_before_a_warp_barrier(int *out, int n) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (blockDim.x > 32) return;
  out[blockIdx.x * blockDim.x + t] = tile[t ^ 1];  // neighbour
  if (t >= n) return;
  __syncwarp();
  tile[t] = 1;  // behind
}

// safe: 3 of 3 pairs
__global__ void who_has_returned_before_the_access(int *out, int n) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (blockDim.x > 32 || t >= n) return;
  out[blockIdx.x * blockDim.x + t] = tile[t ^ 1];
  __syncwarp();
  tile[t] = 1;
}

// safe: 3 of 3 pairs
__global__ void who_returns_behind_the_warp_barrier(int *out, int n) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (blockDim.x > 32) return;
  out[blockIdx.x * blockDim.x + t] = tile[t ^ 1];
  __syncwarp();
  if (t >= n) return;
  tile[t] = 1;
}

// safe: 3 of 3 pairs
__global__ void who_returns_before_a_barrier_of_the_block(int *out, int n) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (blockDim.x > 32) return;
  out[blockIdx.x * blockDim.x + t] = tile[t ^ 1];
  if (t >= n) return;
  __syncthreads();
  tile[t] = 1;
}

// open: read neighbour, write behind; shared; warp: a thread may have returned before a warp barrier between them
__global__ void who_returns_in_a_loop_with_warp_barriers(int *out, const int *stop, int n) {
  __shared__ int tile[32];
  int t = threadIdx.x, x = 0;
  if (blockDim.x > 32) return;
  for (int r = 0; r < n; ++r) {
    x += tile[t ^ 1];  // neighbour
    if (stop[r] == t) return;
    __syncwarp();
    tile[t] = x;  // behind
    __syncwarp();
  }
  out[blockIdx.x * blockDim.x + t] = x;
}

// race: read other, write own; shared; warp
__global__ void warp_barrier_of_too_few(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  __syncwarp(0x7fff);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 1];  // other
}

// open: read other, write own; shared; warp: a warp barrier whose mask is not known may order the two accesses
__global__ void warp_barrier_of_the_active(int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  __syncwarp(__activemask());
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 1];  // other
}

// safe: 3 of 3 pairs
__global__ void barrier_of_a_tile(int *out) {
  __shared__ int tile[256];
  cg::thread_block_tile<8> group = cg::tiled_partition<8>(cg::this_thread_block());
  tile[threadIdx.x] = threadIdx.x;
  group.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 7];
}

// race: read other, write own; shared; warp
__global__ void barrier_of_a_tile_that_is_too_small(int *out) {
  __shared__ int tile[256];
  cg::thread_block_tile<4> group = cg::tiled_partition<4>(cg::this_thread_block());
  tile[threadIdx.x] = threadIdx.x;  // own
  group.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 7];  // other
}

// safe: 3 of 3 pairs
__global__ void barrier_of_two_warps(int *out) {
  __shared__ int tile[256];
  cg::thread_block_tile<64> group = cg::tiled_partition<64>(cg::this_thread_block());
  tile[threadIdx.x] = threadIdx.x;
  group.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 63];
}

// race: read other, write own; shared; block
__global__ void barrier_of_two_warps_is_none_of_four(int *out) {
  __shared__ int tile[256];
  cg::thread_block_tile<64> group = cg::tiled_partition<64>(cg::this_thread_block());
  tile[threadIdx.x] = threadIdx.x;  // own
  group.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 127];  // other
}

// safe: 3 of 3 pairs
__global__ void threads_that_have_ended_do_not_count(int *out, int n) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
}

// open: read other, write own; shared; block: a barrier that some threads do not reach may order the two accesses
__global__ void threads_that_go_elsewhere_do(int *out, int n) {
  __shared__ int tile[256];
  tile[threadIdx.x] = threadIdx.x;  // own
  if (threadIdx.x < n) {
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
  }
}

// race: read early, write late; shared; warp block
__global__ void barriers_in_an_inner_loop_that_may_not_run(int *out, int n, int m) {
  __shared__ int tile[256];
  for (int r = 0; r < n; ++r) {
    tile[threadIdx.x] = r;  // late
    for (int i = 0; i < m; ++i) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % 256];  // early
  }
}

// race: read early, write late; shared; warp block
__global__ void barriers_in_an_inner_loop_that_always_runs(int *out, int n, int m) {
  __shared__ int tile[256];
  for (int r = 0; r < n; ++r) {
    tile[threadIdx.x] = r;  // late
    for (int i = 0; i <= m * m; ++i) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % 256];  // early
  }
}

// safe: 3 of 3 pairs
__global__ void barriers_in_inner_loops_before_and_behind(int *out, int n) {
  __shared__ int tile[256];
  for (int r = 0; r < n; ++r) {
    tile[threadIdx.x] = r;
    for (int i = 0; i < 3; ++i) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % 256];
    for (int i = 0; i <= r; ++i) __syncthreads();
  }
}

// safe: 3 of 3 pairs
__global__ void barrier_in_every_second_iteration(int *out, int n) {
  __shared__ int tile[256];
  for (int r = 0; r < n; ++r) {
    if (r % 2 == 0) tile[threadIdx.x] = r;
    __syncwarp();
    if (r % 2 == 0) __syncthreads();
    if (r % 2 == 1) out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
    if (r % 2 == 1) __syncthreads();
  }
}

// race: read other, write own; shared; block
__global__ void barrier_in_every_third_iteration(int *out, int n) {
  __shared__ int tile[256];
  for (int r = 0; r < n; ++r) {
    if (r % 2 == 0) tile[threadIdx.x] = r;  // own
    __syncwarp();
    if (r % 3 == 0) __syncthreads();
    if (r % 2 == 1) out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
  }
}

// safe: 3 of 3 pairs
__global__ void tiled(float *c, const float *a, int n) {
  __shared__ float tile[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  if (blockDim.x != 16 || blockDim.y != 16 || blockDim.z != 1) return;
  for (int t = 0; t < n; ++t) {
    tile[y][x] = a[t * 256 + y * 16 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile[k][x];
    __syncthreads();
  }
  c[(blockIdx.x * 16 + y) * 16 + x] = sum;
}

// open: read other, write own; shared; warp block: it depends on values that are not known: iteration
__global__ void list_that_may_be_empty(int *out, const int *next, int first) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = 1;  // own
  for (int k = first; k != 0; k = next[k]) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // other
}

// safe: 3 of 3 pairs
__global__ void list_that_is_not_empty(int *out, const int *next, int first) {
  __shared__ int tile[1024];
  int k = first;
  tile[threadIdx.x] = 1;
  do { __syncthreads(); k = next[k]; } while (k != 0);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// safe: 3 of 3 pairs
__global__ void list_that_was_not_empty(int *out, const int *next, int first) {
  __shared__ int tile[1024];
  int n = 0;
  tile[threadIdx.x] = 1;
  for (int k = first; k != 0; k = next[k]) { __syncthreads(); n++; }
  if (n > 0) out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// open: read other, write own; shared; warp block: a barrier in iterations between them may order the two accesses
__global__ void barrier_in_the_third_iteration(int *out, int n) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = 0;  // own
  for (int i = 0; i < n; ++i)
    if (i == 2) __syncthreads();
  if (n > 5) out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // other
}

// safe: 3 of 3 pairs
__global__ void barrier_in_the_first_iteration(int *out, int n) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = 0;
  for (int i = 0; i < n; ++i)
    if (i == 0) __syncthreads();
  if (n > 5) out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// safe: 6 of 6 pairs
__global__ void written_and_broken_out_of(int *out, const int *c, int n) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (c[i] > 3) tile[threadIdx.x] = i;
    if (c[i] > 3) break;
  }
}

// race: read other, write own; shared; warp block (data-dependent)
__global__ void written_and_gone_on_with(int *out, const int *c, int n) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // other
    __syncthreads();
    if (c[i] > 2) tile[threadIdx.x] = i;  // own
    if (c[i] > 3) break;
  }
}

// race: read other, write own; shared; warp block (data-dependent)
__global__ void broken_out_of_behind_the_barrier(int *out, const int *c, int n) {
  __shared__ int tile[1024];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (i + 1 < n) tile[threadIdx.x] = i;  // own
    if (c[i] > 3) break;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // other
}

// safe: 3 of 3 pairs
__global__ void not_written_where_it_is_broken_out(int *out, const int *c, int n) {
  __shared__ int tile[1024];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (i + 1 < n && c[i] <= 3) tile[threadIdx.x] = i;
    if (c[i] > 3) break;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// race: read other, write own; shared; warp block (data-dependent)
__global__ void written_in_the_last_iteration(int *out, const int *c, int n) {
  __shared__ int tile[1024];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (c[i] <= 3) tile[threadIdx.x] = i;  // own
    if (c[i] > 3) break;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // other
}

// safe: 3 of 3 pairs
__global__ void only_broken_out_of(int *out, const int *c) {
  __shared__ int tile[1024];
  for (int i = 0;; ++i) {
    __syncthreads();
    if (c[i] <= 3) tile[threadIdx.x] = i;
    if (c[i] > 3) break;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
"""

test_kernel = verdicts(SOURCE)
