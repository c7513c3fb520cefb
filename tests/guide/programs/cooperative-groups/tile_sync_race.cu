// Section: CUDA C++ Programming Guide: Cooperative Groups: Thread Block Tile
// Shows: sync of a tile does not order it with another tile
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; shared; warp
__global__ void neighbours(int *data) {
  __shared__ int s[128];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  unsigned t = threadIdx.x;
  s[t] = data[blockIdx.x * 128 + t];  // put
  tile.sync();
  data[blockIdx.x * 128 + t] = s[t ^ 16];  // take
}

int main() {
  int *data;
  cudaMalloc(&data, 8 * 128 * sizeof(int));
  neighbours<<<8, 128>>>(data);
  cudaDeviceSynchronize();
}
