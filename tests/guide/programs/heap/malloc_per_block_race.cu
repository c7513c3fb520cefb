// Section: CUDA C++ Programming Guide: Per Thread Block Allocation
// Shows: threads of a block store to the same places of memory that one of them has allocated
// open: pointers to malloc that are stored in list and found there
// open: read other, write item; global; grid: it depends on values that the kernel computes: list[]
// open: write item, write item; global; grid: it depends on values that the kernel computes: list[]
// race: write item, write item; global; warp (data-dependent)
__global__ void share(int *out) {
  __shared__ int *list;
  if (threadIdx.x == 0) list = (int *)malloc(128 * sizeof(int));
  __syncthreads();
  list[threadIdx.x / 2] = threadIdx.x;  // item
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = list[127 - threadIdx.x];  // other
  if (threadIdx.x == 0) free(list);
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  share<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
