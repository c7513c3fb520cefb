// Section: CUDA C++ Programming Guide: Cooperative Groups: reduce
// Shows: every warp stores its sum into a place of its own
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void sums(const int *in, int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(warp, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());
  if (warp.thread_rank() == 0) out[blockIdx.x * warp.meta_group_size() + warp.meta_group_rank()] = sum;  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 4 * sizeof(int));
  sums<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
