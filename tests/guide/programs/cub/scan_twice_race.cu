// Section: CUB: Block-wide Collectives
// Shows: storage is used again for a second scan
#include <cub/cub.cuh>

// race: read all, write odd; shared; warp block
__global__ void k(const int *in, int *out) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  int i = blockIdx.x * 128 + threadIdx.x, all, odd;
  Scan(storage).ExclusiveSum(in[i], all);  // all
  Scan(storage).ExclusiveSum(in[i] & 1, odd);  // odd
  out[i] = all - odd;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
