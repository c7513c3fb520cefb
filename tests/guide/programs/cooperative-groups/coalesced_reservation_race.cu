// Section: CUDA C++ Programming Guide: Cooperative Groups: Coalesced Groups
// Shows: aggregated atomics reserve a place for each thread
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int reserve(int *counter) {
  auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
  return first + group.thread_rank();
}

// race: write put, write put; global; warp block grid (data-dependent)
__global__ void positive(const int *in, int *out, int *counter) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (in[i] > 0) out[reserve(counter)] = i;  // put
}

int main() {
  int *in, *out, *counter;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  positive<<<8, 128>>>(in, out, counter);
  cudaDeviceSynchronize();
}
