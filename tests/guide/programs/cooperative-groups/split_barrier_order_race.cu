// Section: CUDA C++ Programming Guide: Cooperative Groups: barrier_arrive and barrier_wait
// Shows: what others wrote is read before the wait
#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

// race: read take, write put; global; grid
__global__ void exchange(int *buffer, int *out) {
  cg::grid_group grid = cg::this_grid();
  unsigned long long i = grid.thread_rank(), other = grid.num_threads() - 1 - i;
  buffer[i] = out[i];  // put
  auto token = grid.barrier_arrive();
  int theirs = buffer[other];  // take
  grid.barrier_wait(std::move(token));
  out[i] = theirs;
}

int main() {
  int *buffer, *out;
  cudaMalloc(&buffer, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  void *arguments[] = {&buffer, &out};
  cudaLaunchCooperativeKernel((void *)exchange, dim3(16), dim3(128), arguments, 0, 0);
  cudaDeviceSynchronize();
}
