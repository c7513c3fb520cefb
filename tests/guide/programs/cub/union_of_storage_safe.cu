// Section: CUB: Block-wide Collectives
// Shows: storage is a union with other data
#include <cub/cub.cuh>

// safe: 8 of 8 pairs
__global__ void k(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ union {
    typename Reduce::TempStorage storage;
    int values[64];
  } u;
  int i = blockIdx.x * 128 + threadIdx.x;
  int sum = Reduce(u.storage).Sum(in[i]);  // sum
  __syncthreads();
  if (threadIdx.x == 0) u.values[0] = sum;  // put
  __syncthreads();
  out[i] = u.values[0];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
