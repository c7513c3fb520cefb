// Section: CUB: Block-wide Collectives
// Shows: what BlockStore stores, by its arrangement
#include <cub/cub.cuh>

// safe: 1 of 1 pairs
__global__ void k(int *out) {
  using Store = cub::BlockStore<int, 128, 2, cub::BLOCK_STORE_STRIPED>;
  __shared__ typename Store::TempStorage storage;
  int items[2] = {int(threadIdx.x), int(blockIdx.x)};
  Store(storage).Store(out + blockIdx.x * 256, items);
}

int main() {
  int *out;
  cudaMalloc(&out, 8192 * sizeof(int));
  k<<<8, 128>>>(out);
  cudaDeviceSynchronize();
}
