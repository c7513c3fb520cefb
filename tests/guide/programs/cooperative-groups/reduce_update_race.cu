// Section: CUDA C++ Programming Guide: Cooperative Groups: reduce
// Shows: the group's sum is added by a plain update
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

// race: read update, write update; global; block grid
// race: write update, write update; global; block grid
__global__ void total(const int *in, int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int sum = cg::reduce(warp, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());
  cg::invoke_one(warp, [&] { *out += sum; });  // update
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  total<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
