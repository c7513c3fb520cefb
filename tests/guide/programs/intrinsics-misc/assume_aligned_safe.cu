// Section: CUDA C++ Programming Guide: __builtin_assume_aligned()
// Shows: a pointer with a hint of its alignment is the same pointer
// safe: 1 of 1 pairs
__global__ void halve(float *out) {
  float *aligned = (float *)__builtin_assume_aligned(out, 16);
  aligned[blockIdx.x * blockDim.x + threadIdx.x] = 0.5f * threadIdx.x;  // half
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  halve<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
