// Section: CUDA C++ Programming Guide: Cooperative Groups: barrier_arrive and barrier_wait
// Shows: a store before the arrival is seen by those who wait
#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__global__ void overlap(const float *in, float *out) {
  __shared__ float s[256];
  cg::thread_block block = cg::this_thread_block();
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = in[i];  // put
  auto token = block.barrier_arrive();
  float own = 2 * in[i];
  block.barrier_wait(std::move(token));
  out[i] = own + s[255 - threadIdx.x];  // take
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 10 * 256 * sizeof(float));
  cudaMalloc(&out, 10 * 256 * sizeof(float));
  overlap<<<10, 256>>>(in, out);
  cudaDeviceSynchronize();
}
