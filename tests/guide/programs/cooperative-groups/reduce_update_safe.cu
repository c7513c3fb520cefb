// Section: CUDA C++ Programming Guide: Cooperative Groups: reduce
// Shows: reduce_update_async adds the group's sum to an atomic object
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

// safe: 0 of 0 pairs
__global__ void total(const int *in, int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  cuda::atomic_ref<int, cuda::thread_scope_device> all(*out);
  cg::reduce_update_async(warp, all, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  total<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
