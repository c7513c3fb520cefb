// Section: CUB: Block-wide Collectives
// Shows: items that BlockLoad loads are each thread's own
#include <cub/cub.cuh>

// race: write out, write out; global; warp
__global__ void k(const int *in, int *out) {
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  __shared__ typename Load::TempStorage storage;
  int items[4];
  Load(storage).Load(in + blockIdx.x * 512, items);
  out[blockIdx.x * 128 + threadIdx.x / 2] = items[0] + items[3];  // out
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
