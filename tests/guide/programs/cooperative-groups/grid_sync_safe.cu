// Section: CUDA C++ Programming Guide: Cooperative Groups: Grid Synchronization
// Shows: sync of the grid's group orders all blocks
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 4 of 4 pairs
__global__ void exchange(int *buffer, int *out, int n) {
  cg::grid_group grid = cg::this_grid();
  unsigned long long i = grid.thread_rank();
  buffer[i] = out[i];  // put
  grid.sync();
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
