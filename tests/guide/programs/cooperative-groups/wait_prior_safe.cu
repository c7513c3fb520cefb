// Section: CUDA C++ Programming Guide: memcpy_async
// Shows: wait_prior leaves the last copies in flight
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

// safe: 12 of 12 pairs
__global__ void two_stages(const int *in, int *out) {
  __shared__ int one[64], two[64];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, one, in, sizeof(one));
  cg::memcpy_async(block, two, in + 64, sizeof(two));
  cg::wait_prior<1>(block);
  int sum = one[63 - threadIdx.x];
  cg::wait(block);
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  two_stages<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  return 0;
}
