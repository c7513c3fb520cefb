// Section: CUDA Math API: SIMD Intrinsics
// Shows: words of four bytes are stored to a place for each thread
// safe: 1 of 1 pairs
__global__ void brighten(unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned four = __vaddus4(0x10203040, __vabsdiffu4(i, 0x01010101));
  out[i] = four;  // pixels
}

int main() {
  unsigned *out;
  cudaMalloc(&out, 4 * 128 * sizeof(unsigned));
  brighten<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
