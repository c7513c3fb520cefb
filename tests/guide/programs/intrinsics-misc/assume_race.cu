// Section: CUDA C++ Programming Guide: __builtin_assume()
// Shows: the assumption allows rows that overlap
// race: write cell, write cell; global; grid
__global__ void rows(int *out, int width) {
  __builtin_assume(width == 100);
  out[blockIdx.x * width + threadIdx.x] = threadIdx.x;  // cell
}

int main(int argc, char **argv) {
  int *out;
  cudaMalloc(&out, 1 << 20);
  rows<<<4, 128>>>(out, argc);
  cudaDeviceSynchronize();
}
