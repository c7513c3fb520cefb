// Section: CUDA C++ Programming Guide: Alloca Function
// Shows: memory on the stack is each thread's own
// safe: 1 of 1 pairs
__global__ void squares(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *scratch = (int *)__builtin_alloca(8 * sizeof(int));
  for (int k = 0; k < 8; ++k) scratch[k] = k * k;
  out[i] = scratch[i & 7] + i;  // result
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  squares<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
