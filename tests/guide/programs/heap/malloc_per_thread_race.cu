// Section: CUDA C++ Programming Guide: Per Thread Allocation
// Shows: memory of each thread is fine, the place of its result is not
// race: write result, write result; global; block grid
__global__ void own(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *scratch = (int *)malloc(16 * sizeof(int));
  for (int k = 0; k < 16; ++k) scratch[k] = k * i;
  out[i % 100] = scratch[3];  // result
  free(scratch);
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  own<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
