// Section: CUDA C++ Programming Guide: Per Thread Allocation
// Shows: each thread allocates memory, and nobody else is told of it
// safe: 1 of 1 pairs
__global__ void own(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *scratch = (int *)malloc(16 * sizeof(int));
  for (int k = 0; k < 16; ++k) scratch[k] = k * i;
  out[i] = scratch[3];  // result
  free(scratch);
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  own<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
