// Section: CUDA C++ Programming Guide: Cooperative Groups: reduce
// Shows: every warp has a sum of its own, and all store into one place
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// race: write put, write put; global; block
__global__ void sums(const int *in, int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(warp, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());
  if (warp.thread_rank() == 0) out[blockIdx.x] = sum;  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 4 * sizeof(int));
  sums<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
