// Section: CUDA C++ Programming Guide: Cooperative Groups: Thread Block Group
// Shows: sync of the block's group is a barrier of the block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 4 of 4 pairs
__global__ void mirror(int *data) {
  __shared__ int s[256];
  cg::thread_block block = cg::this_thread_block();
  unsigned t = block.thread_rank();
  s[t] = data[blockIdx.x * block.num_threads() + t];  // put
  block.sync();
  data[blockIdx.x * block.num_threads() + t] = s[block.num_threads() - 1 - t];  // take
}

int main() {
  int *data;
  cudaMalloc(&data, 16 * 256 * sizeof(int));
  mirror<<<16, 256>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
