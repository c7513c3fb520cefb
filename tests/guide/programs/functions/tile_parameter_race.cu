// Section: CUDA C++ Programming Guide: Cooperative Groups
// Shows: a reduction that is a template of the tile's size
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <unsigned N> __device__ void sum(const cg::thread_block_tile<N> &tile, int value, int *out) {
  for (unsigned distance = N / 2; distance > 0; distance /= 2) value += tile.shfl_down(value, distance);
  if (tile.thread_rank() == 0) out[blockIdx.x] = value;  // leader
}

// race: write leader, write leader; global; warp block
__global__ void k(const int *in, int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  sum<16>(tile, in[blockIdx.x * blockDim.x + threadIdx.x], out);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
