#include <cuda_runtime.h>
#include <cstdlib>

__device__ int count, other;
__global__ void ok_shfl0(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void ok_active(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, base;
    if (lane == leader) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, leader);
    out[base + __popc(active & below)] = i;
  }
}
__global__ void ok_rank0(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int rank = __popc(active & below), base = 0;
    if (rank == 0) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, __ffs(active) - 1);
    out[base + rank] = i;
  }
}
__global__ void ok_match(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  out[base + __popc(peers & below)] = i;
}
__global__ void ok_loop(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  for (int j = i; j < n; j += blockDim.x * gridDim.x) {
    bool keep = in[j] > 0;
    unsigned m = __ballot_sync(__activemask(), keep);
    if (keep) {
      int leader = __ffs(m) - 1, base;
      if (lane == leader) base = atomicAdd(&count, __popc(m));
      base = __shfl_sync(m, base, leader);
      out[base + __popc(m & below)] = j;
    }
  }
}
__global__ void ok_loop_full(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  for (int j = 0; j < 16; j++) {
    bool keep = in[i + 1024 * j] > 0;
    unsigned m = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 31) base = atomicAdd(&count, __popc(m));
    base = __shfl_sync(~0u, base, 31);
    if (keep) out[base + __popc(m & below)] = j;
  }
}
__global__ void ok_shared(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  __shared__ int top;
  __shared__ int list[256];
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&top, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) list[base + __popc(m & below)] = i;
  __syncthreads();
  if (threadIdx.x < top) out[i] = list[threadIdx.x];
}
__global__ void ok_gt(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m >> lane) - 1] = i;
}
__global__ void ok_else(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, 32);
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
  else out[base + __popc(m) + __popc(~m & below)] = i;
}
__global__ void ok_return(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i >= n) return;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  if (!keep) return;
  int leader = __ffs(m) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(m, base, leader);
  out[base + __popc(m & below)] = i;
}
__global__ void bad_pred(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (i < n && in[i] >= 0) out[base + __popc(m & below)] = i;
}
__global__ void bad_one(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, 1);
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_nobroadcast(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_lane(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 1);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_lane0_of_mask(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, base = 0;
    if (lane == leader) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, 0);
    out[base + __popc(active & below)] = i;
  }
}
__global__ void bad_stale(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  keep = i < n;
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_half(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(0xffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_reuse(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  for (int j = 0; j < 2; j++)
    if (keep) out[base + __popc(m & below) + j] = i + j;
}
__global__ void bad_other(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  m = __ballot_sync(~0u, !keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_rank(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  if (i < n && in[i] > 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, base;
    if (lane == leader) base = atomicAdd(&count, __popc(active));
    base = __shfl_sync(active, base, leader);
    out[base + __popc(active & (below >> 1))] = i;
  }
}
__global__ void bad_match_no_rank(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  out[base] = i;
}
__global__ void bad_match_one(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, 1);
  base = __shfl_sync(peers, base, leader);
  out[base + __popc(peers & below)] = i;
}
__global__ void bad_outside_loop(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  unsigned m = __ballot_sync(~0u, in[i] > 0);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  for (int j = 0; j < 4; j++) {
    bool keep = in[i + 1024 * j] > 0;
    unsigned now = __ballot_sync(~0u, keep);
    if (keep) out[base + __popc(now & below)] = j;
  }
}
__global__ void bad_two_counters(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(lane + i < n / 2 ? &count : &other, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below)] = i;
}
__global__ void bad_shared_no_reset_barrier(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  __shared__ int top;
  __shared__ int list[256];
  if (threadIdx.x == 0) top = 0;
  bool keep = in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&top, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) list[base + __popc(m & below)] = i;
  __syncthreads();
  if (threadIdx.x < top) out[i] = list[threadIdx.x];
}
__global__ void bad_div(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & below) / 2] = i;
}
__global__ void bad_match_key(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  int key = in[i];
  unsigned peers = __match_any_sync(~0u, key & 1);
  int leader = __ffs(peers) - 1, base = 0;
  if (lane == leader) base = atomicAdd(&count, __popc(peers));
  base = __shfl_sync(peers, base, leader);
  out[key + __popc(peers & below)] = i;
}
__global__ void bad_width(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned below = (1u << lane) - 1;
  bool keep = i < n && in[i] > 0;
  unsigned m = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(&count, __popc(m));
  base = __shfl_sync(~0u, base, 0, 16);
  if (keep) out[base + __popc(m & below)] = i;
}
int main(int argc, char **argv) {
  int *a, *b, n = atoi(argv[1]);
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  ok_shfl0<<<4, 256>>>(a, b, n);
  ok_active<<<4, 256>>>(a, b, n);
  ok_rank0<<<4, 256>>>(a, b, n);
  ok_match<<<4, 256>>>(a, b, n);
  ok_loop<<<4, 256>>>(a, b, n);
  ok_loop_full<<<4, 256>>>(a, b, n);
  ok_shared<<<4, 256>>>(a, b, n);
  ok_gt<<<4, 256>>>(a, b, n);
  ok_else<<<4, 256>>>(a, b, n);
  ok_return<<<4, 256>>>(a, b, n);
  bad_pred<<<4, 256>>>(a, b, n);
  bad_one<<<4, 256>>>(a, b, n);
  bad_nobroadcast<<<4, 256>>>(a, b, n);
  bad_lane<<<4, 256>>>(a, b, n);
  bad_lane0_of_mask<<<4, 256>>>(a, b, n);
  bad_stale<<<4, 256>>>(a, b, n);
  bad_half<<<4, 256>>>(a, b, n);
  bad_reuse<<<4, 256>>>(a, b, n);
  bad_other<<<4, 256>>>(a, b, n);
  bad_rank<<<4, 256>>>(a, b, n);
  bad_match_no_rank<<<4, 256>>>(a, b, n);
  bad_match_one<<<4, 256>>>(a, b, n);
  bad_outside_loop<<<4, 256>>>(a, b, n);
  bad_two_counters<<<4, 256>>>(a, b, n);
  bad_shared_no_reset_barrier<<<4, 256>>>(a, b, n);
  bad_div<<<4, 256>>>(a, b, n);
  bad_match_key<<<4, 256>>>(a, b, n);
  bad_width<<<4, 256>>>(a, b, n);
}
