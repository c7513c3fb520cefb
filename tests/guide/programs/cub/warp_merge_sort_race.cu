// Section: CUB: Warp-wide Collectives
// Shows: each logical warp that sorts needs storage of its own
#include <cub/cub.cuh>
struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

// race: write keys, write keys; shared; warp
__global__ void k(int *a) {
  using Sort = cub::WarpMergeSort<int, 2, 16>;
  __shared__ typename Sort::TempStorage storage[4];
  int i = blockIdx.x * 128 + threadIdx.x;
  int keys[2] = {a[2 * i], a[2 * i + 1]};
  Sort(storage[threadIdx.x / 32]).StableSort(keys, Less());  // keys
  a[2 * i] = keys[0];
  a[2 * i + 1] = keys[1];
}

int main() {
  int *a;
  cudaMalloc(&a, 4096 * sizeof(int));
  k<<<8, 128>>>(a);
  cudaDeviceSynchronize();
}
