// Section: CUDA C++ Programming Guide: Cooperative Groups
// Shows: a class that keeps a tile, with methods named as the tile's
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <class Tile> struct Reducer {
  Tile tile;
  int *out;
  __device__ void sync(int place, int value) { out[place] = value; }  // kept
};

// race: write kept, write kept; global; warp
__global__ void k(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Reducer<decltype(tile)> reducer{tile, out};
  reducer.sync(i / 32, in[i]);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
