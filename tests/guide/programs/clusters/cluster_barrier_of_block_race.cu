// Section: CUDA C++ Programming Guide: Thread Block Clusters
// Shows: nothing waits for the block's own threads
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read take, write put; shared; block
__cluster_dims__(2, 1, 1) __global__ void mirror(const int *in, int *out) {
  __shared__ int s[128];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];  // put
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
