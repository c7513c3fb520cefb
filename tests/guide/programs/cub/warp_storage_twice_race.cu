// Section: CUB: Warp-wide Collectives
// Shows: storage of a warp is used again behind __syncwarp
#include <cub/cub.cuh>

// race: write one, write two; shared; warp
__global__ void k(const int *in, int *out) {
  using Scan = cub::WarpScan<int>;
  __shared__ typename Scan::TempStorage storage[4];
  int i = blockIdx.x * 128 + threadIdx.x, warp = threadIdx.x / 32, a, b;
  Scan(storage[warp]).InclusiveSum(in[i], a);  // one
  Scan(storage[warp]).InclusiveSum(a, b);  // two
  out[i] = b;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
