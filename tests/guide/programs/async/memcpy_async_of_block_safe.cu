// Section: CUDA C++ Programming Guide: Cooperative Groups: memcpy_async
// Shows: wait ends the copy, and is a barrier of the block
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

// safe: 6 of 6 pairs
__global__ void mirror(const int *in, int *out) {
  __shared__ int s[128];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128);  // copy
  cg::wait(block);
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
