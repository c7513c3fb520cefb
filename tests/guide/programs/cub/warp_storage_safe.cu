// Section: CUB: Warp-wide Collectives
// Shows: each warp needs storage of its own
#include <cub/cub.cuh>

// safe: 2 of 2 pairs
__global__ void k(const int *in, int *out) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage[4];
  int i = blockIdx.x * 128 + threadIdx.x;
  int sum = Reduce(storage[threadIdx.x / 32]).Sum(in[i]);  // sum
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
