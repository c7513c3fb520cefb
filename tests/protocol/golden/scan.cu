#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __launch_bounds__(512) scan(int *out, const int *in, volatile int *ready) {
  __shared__ int buffer[2][512];
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank(), from = 0;
  buffer[0][t] = in[blockIdx.x * 512 + t];
  block.sync();
  for (int d = 1; d < 512; d *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    block.sync();
  }
  out[blockIdx.x * 512 + t] = buffer[from][t];
  if (t == 0) {
    __threadfence();
    ready[blockIdx.x] = 1;
  }
}
