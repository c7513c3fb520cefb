// Section: CUDA C++ Programming Guide: Cooperative Groups: invoke_one and invoke_one_broadcast
// Shows: behind sync of the group, all see what the one has stored
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__global__ void starts(const int *in, int *out) {
  __shared__ int start[4];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::invoke_one(warp, [&] { start[warp.meta_group_rank()] = in[warp.meta_group_rank()]; });  // put
  warp.sync();
  if (warp.thread_rank() == 0) out[blockIdx.x * 4 + warp.meta_group_rank()] = start[warp.meta_group_rank()];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4 * sizeof(int));
  cudaMalloc(&out, 8 * 4 * sizeof(int));
  starts<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
