"""One lane that sets a flag, or waits for one, for its whole warp: a barrier of the warp stands between."""

from tests.checking import verdicts

KERNELS = {
    "one_lane_for_its_warp": ("safe: 3 of 3 pairs", "__syncwarp()", "threadIdx.x == 0", "__syncwarp()"),
    "the_last_lane_releases": ("safe: 3 of 3 pairs", "__syncwarp()", "threadIdx.x == 31", "__syncwarp()"),
    "a_shuffle_is_no_barrier": ("", "__shfl_sync(~0u, 0, 0)", "threadIdx.x == 0", "__syncwarp()"),
    "the_others_do_not_wait": ("", "__syncwarp()", "threadIdx.x == 0", "__shfl_sync(~0u, 0, 0)"),
}
RACE = "race: read get, write put; global; grid"

SOURCE = """
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;
"""
for name, (verdict, before, lane, after) in KERNELS.items():
    SOURCE += f"""
// {verdict or RACE}
__global__ void {name}(int *data, int *flag, int *out) {{
  if (blockIdx.x == 0) {{
    data[threadIdx.x] = threadIdx.x;  // put
    {before};
    if ({lane}) Far(*flag).store(1, cuda::memory_order_release);
  }} else {{
    if (threadIdx.x == 0)
      while (Far(*flag).load(cuda::memory_order_acquire) == 0) {{}}
    {after};
    out[threadIdx.x] = data[31 - threadIdx.x];  // get
  }}
}}
"""

SOURCE += """
// safe: 6 of 6 pairs
__global__ void from_the_first_warp_to_others(const int *in, int *out) {
  __shared__ int value[32], ready;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (warp == 0) {
    value[lane] = in[lane];
    __syncwarp();
    if (lane == 0) Near(ready).store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (Near(ready).load(cuda::memory_order_acquire) == 0) {}
    __syncwarp();
    out[threadIdx.x] = value[31 - lane];
  }
}

// race: read get, write put; shared; block
__global__ void set_by_another_warp(const int *in, int *out) {
  __shared__ int value[64], ready;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (warp < 2) {
    value[threadIdx.x] = in[threadIdx.x];  // put
    __syncwarp();
    if (threadIdx.x == 0) Near(ready).store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (Near(ready).load(cuda::memory_order_acquire) == 0) {}
    __syncwarp();
    out[threadIdx.x] = value[63 - lane];  // get
  }
}

// race: read get, write put; shared; block
__global__ void half_of_the_warp_meets(const int *in, int *out) {
  __shared__ int value[32], ready;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (warp == 0) {
    value[lane] = in[lane];  // put
    __syncwarp(lane < 16 ? 0xffff : 0xffff0000);
    if (lane == 0) Near(ready).store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (Near(ready).load(cuda::memory_order_acquire) == 0) {}
    __syncwarp();
    out[threadIdx.x] = value[31 - lane];  // get
  }
}

// open: read get, write put; shared; block: a wait for ready, set in line 125, may order them
__global__ void four_rows_of_sixteen(const int *in, int *out) {
  __shared__ int value[64], ready;
  int t = threadIdx.y * 16 + threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (threadIdx.y < 4) {
    value[t] = in[t];  // put
    __syncwarp();
    if (t == 0) Near(ready).store(1, cuda::memory_order_release);
  } else {
    if (t % 32 == 0)
      while (Near(ready).load(cuda::memory_order_acquire) == 0) {}
    __syncwarp();
    out[t] = value[t % 64];  // get
  }
}

// race: read get, write put; global; grid
__global__ void relaxed(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;  // put
    __syncwarp();
    if (threadIdx.x == 0) Far(*flag).store(1, cuda::memory_order_relaxed);
  } else {
    if (threadIdx.x == 0)
      while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}
    __syncwarp();
    out[threadIdx.x] = data[31 - threadIdx.x];  // get
  }
}

int main() {
  int *data, *flag, *out;
  cudaMalloc(&data, 4096), cudaMalloc(&flag, 4), cudaMalloc(&out, 4096);
"""
for name in (*KERNELS, "relaxed"):
    SOURCE += f"  cudaMemset(flag, 0, 4), {name}<<<2, 32>>>(data, flag, out);\n"
SOURCE += """
  from_the_first_warp_to_others<<<1, 128>>>(data, out);
  set_by_another_warp<<<1, 128>>>(data, out);
  half_of_the_warp_meets<<<1, 64>>>(data, out);
  four_rows_of_sixteen<<<1, dim3(16, 8)>>>(data, out);
}
"""

test_kernel = verdicts(SOURCE)
