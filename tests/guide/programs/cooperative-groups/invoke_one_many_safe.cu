// Section: CUDA C++ Programming Guide: Cooperative Groups: invoke_one and invoke_one_broadcast
// Shows: one thread of the block is one
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void marks(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto group = block;
  cg::invoke_one(group, [&] { out[blockIdx.x] = threadIdx.x; });  // put
}

int main() {
  int *out;
  cudaMalloc(&out, 8 * sizeof(int));
  marks<<<8, 128>>>(out);
  cudaDeviceSynchronize();
}
