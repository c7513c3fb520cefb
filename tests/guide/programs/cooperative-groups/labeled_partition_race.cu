// Section: CUDA C++ Programming Guide: Cooperative Groups: labeled_partition
// Shows: threads of one label are in several groups, one in each warp, and each updates alone
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: read update, write update; global; block grid (data-dependent)
// race: write update, write update; global; block grid (data-dependent)
__global__ void histogram(const int *in, int *bins) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int label = in[blockIdx.x * 128 + threadIdx.x] & 15;
  auto alike = cg::labeled_partition(warp, label);
  if (alike.thread_rank() == 0) bins[label] += alike.num_threads();  // update
}

int main() {
  int *in, *bins;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&bins, 16 * sizeof(int));
  cudaMemset(bins, 0, 16 * sizeof(int));
  histogram<<<8, 128>>>(in, bins);
  cudaDeviceSynchronize();
}
