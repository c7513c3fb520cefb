// Section: CUDA C++ Programming Guide: Cooperative Groups
// Shows: the predicate of match_all of a tile
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void k(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x, same = 0;
  tile.match_all(in[i], same);
  if (same && tile.thread_rank() == 0) out[i / 32] = i;  // put
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
