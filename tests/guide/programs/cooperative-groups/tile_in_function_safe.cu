// Section: CUDA C++ Programming Guide: Cooperative Groups: Composition Example
// Shows: a function that is given any group waits for that group
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <class Group> __device__ int sum(const Group &group, int *scratch, int value) {
  unsigned rank = group.thread_rank();
  for (int i = group.num_threads() / 2; i > 0; i /= 2) {
    scratch[rank] = value;  // put
    group.sync();
    if (rank < i) value += scratch[rank + i];  // take
    group.sync();
  }
  return value;
}

// safe: 3 of 3 pairs
__global__ void sums(const int *in, int *out) {
  __shared__ int scratch[128];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int total = sum(tile, scratch + 32 * tile.meta_group_rank(), in[blockIdx.x * 128 + threadIdx.x]);
  if (tile.thread_rank() == 0) out[blockIdx.x * 4 + tile.meta_group_rank()] = total;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 10 * 128 * sizeof(int));
  cudaMalloc(&out, 10 * 4 * sizeof(int));
  sums<<<10, 128>>>(in, out);
  cudaDeviceSynchronize();
}
