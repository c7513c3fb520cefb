// Section: CUDA C++ Programming Guide: Cooperative Groups
// Shows: a function that is given a group
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void fill(cg::thread_block &group, int *shared, int value) {
  shared[group.thread_rank()] = value;  // fill
}

// race: read mirror, write fill; shared; block
__global__ void k(const int *in, int *out) {
  __shared__ int tile[128];
  cg::thread_block block = cg::this_thread_block();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  fill(block, tile, in[i]);
  out[i] = tile[127 - threadIdx.x];  // mirror
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
