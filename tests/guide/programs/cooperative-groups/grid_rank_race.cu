// Section: CUDA C++ Programming Guide: Cooperative Groups: Grid Group
// Shows: block_rank is the same for all threads of a block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: write place, write place; global; warp block
__global__ void number(unsigned long long *out) {
  cg::grid_group grid = cg::this_grid();
  out[grid.block_rank()] = grid.thread_rank();  // place
}

int main() {
  unsigned long long *out;
  cudaMalloc(&out, 8 * 64 * sizeof(*out));
  number<<<8, 64>>>(out);
  cudaDeviceSynchronize();
}
