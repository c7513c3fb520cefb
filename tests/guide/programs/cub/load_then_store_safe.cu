// Section: CUB: Block-wide Collectives
// Shows: storage is shared by a load and a store
#include <cub/cub.cuh>

// safe: 4 of 4 pairs
__global__ void k(const int *in, int *out) {
  using Exchange = cub::BlockExchange<int, 128, 2>;
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Sort::TempStorage sort;
  } u;
  int i = blockIdx.x * 128 + threadIdx.x, items[2] = {in[i], in[i + 1024]};
  Exchange(u.exchange).StripedToBlocked(items);  // exchange
  __syncthreads();
  Sort(u.sort).Sort(items);  // sort
  out[i] = items[0];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
