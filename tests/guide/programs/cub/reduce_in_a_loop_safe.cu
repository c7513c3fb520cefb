// Section: CUB: Block-wide Collectives
// Shows: storage is used in every iteration
#include <cub/cub.cuh>

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  for (int row = blockIdx.x; row < 32; row += gridDim.x) {
    int sum = Reduce(storage).Sum(in[row * 128 + threadIdx.x]);  // row
    if (threadIdx.x == 0) out[row] = sum;
    __syncthreads();
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
