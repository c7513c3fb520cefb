// Section: CUDA C++ Programming Guide: Cooperative Groups: Synchronization
// Shows: a part of the block waits for the whole block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// barrier: HGRD002 meeting
// safe: 4 of 4 pairs
__global__ void half(int *data) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  unsigned t = block.thread_rank();
  if (t < 64) {
    s[t] = data[blockIdx.x * 128 + t];
    block.sync();  // meeting
  }
  if (t < 64) data[blockIdx.x * 128 + t] = s[63 - t];
}

int main() {
  int *data;
  cudaMalloc(&data, 8 * 128 * sizeof(int));
  half<<<8, 128>>>(data);
  cudaDeviceSynchronize();
}
