// Section: CUDA C++ Programming Guide: Cooperative Groups: Thread Block Group
// Shows: thread_rank names each thread of a block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void fill(int *out) {
  cg::thread_block block = cg::this_thread_block();
  unsigned place = block.thread_rank();
  out[block.group_index().x * block.num_threads() + place] = block.thread_rank();  // place
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  fill<<<4, dim3(32, 4)>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
