// Section: CUDA C++ Programming Guide: Cooperative Groups: Thread Block Group
// Shows: a block's group does not wait unless it is asked to
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; shared; block
__global__ void mirror(int *data) {
  __shared__ int s[256];
  cg::thread_block block = cg::this_thread_block();
  unsigned t = block.thread_rank();
  s[t] = data[blockIdx.x * block.num_threads() + t];  // put
  data[blockIdx.x * block.num_threads() + t] = s[block.num_threads() - 1 - t];  // take
}

int main() {
  int *data;
  cudaMalloc(&data, 16 * 256 * sizeof(int));
  mirror<<<16, 256>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
