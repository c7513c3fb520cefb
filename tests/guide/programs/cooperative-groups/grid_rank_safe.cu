// Section: CUDA C++ Programming Guide: Cooperative Groups: Grid Group
// Shows: thread_rank of the grid names each thread
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void number(unsigned long long *out) {
  cg::grid_group grid = cg::this_grid();
  out[grid.thread_rank()] = grid.thread_rank();  // place
}

int main() {
  unsigned long long *out;
  cudaMalloc(&out, 8 * 64 * sizeof(*out));
  number<<<8, 64>>>(out);
  cudaDeviceSynchronize();
}
