// Section: CUDA C++ Programming Guide: __builtin_assume_aligned()
// Shows: a pointer with a hint of its alignment is the same pointer: blocks overlap
// race: write half, write half; global; grid
__global__ void halve(float *out) {
  float *aligned = (float *)__builtin_assume_aligned(out, 16);
  aligned[blockIdx.x + threadIdx.x] = 0.5f * threadIdx.x;  // half
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  halve<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
