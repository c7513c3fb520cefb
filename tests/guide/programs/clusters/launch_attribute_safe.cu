// Section: CUDA C++ Programming Guide: Thread Block Clusters
// Shows: the attribute of the launch makes clusters of two blocks
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 4 of 4 pairs
__global__ void exchange(int *buffer, int *out) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  buffer[i] = out[i];  // put
  cg::this_cluster().sync();
  out[i] = buffer[(blockIdx.x ^ 1) * 128 + threadIdx.x];  // take
}

int main() {
  int *buffer, *out;
  cudaMalloc(&buffer, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  cudaLaunchConfig_t config = {0};
  config.gridDim = 16;
  config.blockDim = 128;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 2;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, exchange, buffer, out);
  cudaDeviceSynchronize();
}
