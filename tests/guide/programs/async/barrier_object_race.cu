// Section: CUDA C++ Programming Guide: Asynchronous Barrier
// Shows: a thread that has arrived does not wait for others
#include <cooperative_groups.h>
#include <cuda/barrier>

// race: read 15, write 13; shared; block
__global__ void mirror(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int s[128];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&all, block.size());
  block.sync();
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  auto token = all.arrive();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
  all.wait(static_cast<decltype(token) &&>(token));
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
