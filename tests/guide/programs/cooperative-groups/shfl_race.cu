// Section: CUDA C++ Programming Guide: Cooperative Groups: Thread Block Tile
// Shows: a shuffle of a tile hands on a value, and orders no memory
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; shared; warp
__global__ void reversed(const int *in, int *out) {
  __shared__ int s[128];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
  int own = in[i];
  s[t] = own;  // put
  warp.shfl(own, 0);
  out[i] = s[t ^ 31];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  reversed<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
