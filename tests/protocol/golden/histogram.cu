__device__ unsigned overflow;

__global__ void histogram(unsigned *bins, const unsigned char *data, int n) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned old = atomicAdd_block(&local[data[i]], 1);
    if (old == ~0u) atomicOr(&overflow, 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
