// Section: CUDA C++ Programming Guide: Cooperative Groups: tiled_partition
// Shows: the rank of the larger tile and that within it together name a tile of the block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__global__ void sums(const int *in, int *out) {
  __shared__ int part[64];
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  int v = in[blockIdx.x * 256 + block.thread_rank()];
  v += quad.shfl_down(v, 2);
  v += quad.shfl_down(v, 1);
  unsigned number = warp.meta_group_rank() * quad.meta_group_size() + quad.meta_group_rank();
  if (quad.thread_rank() == 0) part[number] = v;  // part
  block.sync();
  if (block.thread_rank() < 64) out[blockIdx.x * 64 + block.thread_rank()] = part[block.thread_rank()];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 10 * 256 * sizeof(int));
  cudaMalloc(&out, 10 * 64 * sizeof(int));
  sums<<<10, 256>>>(in, out);
  cudaDeviceSynchronize();
}
