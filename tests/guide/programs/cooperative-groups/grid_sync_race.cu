// Section: CUDA C++ Programming Guide: Cooperative Groups: Grid Synchronization
// Shows: a barrier of the block does not order two blocks
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; global; grid
__global__ void exchange(int *buffer, int *out, int n) {
  cg::grid_group grid = cg::this_grid();
  unsigned long long i = grid.thread_rank();
  buffer[i] = out[i];  // put
  cg::this_thread_block().sync();
  out[i] = buffer[grid.num_threads() - 1 - i];  // take
}

int main() {
  int *buffer, *out, n = 16 * 128;
  cudaMalloc(&buffer, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  void *arguments[] = {&buffer, &out, &n};
  cudaLaunchCooperativeKernel((void *)exchange, dim3(16), dim3(128), arguments, 0, 0);
  cudaDeviceSynchronize();
}
