// Section: CUDA C++ Programming Guide: Cooperative Groups: invoke_one and invoke_one_broadcast
// Shows: it is any thread of the group that calls the function, not the first one
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; shared; warp
__global__ void starts(const int *in, int *out) {
  __shared__ int start[4];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::invoke_one(warp, [&] { start[warp.meta_group_rank()] = in[warp.meta_group_rank()]; });  // put
  if (warp.thread_rank() == 0) out[blockIdx.x * 4 + warp.meta_group_rank()] = start[warp.meta_group_rank()];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4 * sizeof(int));
  cudaMalloc(&out, 8 * 4 * sizeof(int));
  starts<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
