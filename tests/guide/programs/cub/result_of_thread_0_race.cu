// Section: CUB: Block-wide Collectives
// Shows: the sum of BlockReduce is in thread 0 alone
#include <cub/cub.cuh>

// race: write out, write out; global; warp block
__global__ void k(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  out[blockIdx.x] = sum;  // out
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
