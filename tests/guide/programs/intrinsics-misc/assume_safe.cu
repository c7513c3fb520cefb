// Section: CUDA C++ Programming Guide: __builtin_assume()
// Shows: rows do not overlap by what is assumed
// safe: 1 of 1 pairs
__global__ void rows(int *out, int width) {
  __builtin_assume(width >= 128);
  out[blockIdx.x * width + threadIdx.x] = threadIdx.x;  // cell
}

int main(int argc, char **argv) {
  int *out;
  cudaMalloc(&out, 1 << 20);
  rows<<<4, 128>>>(out, argc);
  cudaDeviceSynchronize();
}
