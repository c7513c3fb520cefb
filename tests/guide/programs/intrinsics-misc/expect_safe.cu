// Section: CUDA C++ Programming Guide: __builtin_expect()
// Shows: what is not expected happens to one thread
// safe: 1 of 1 pairs
__global__ void rare(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (__builtin_expect(i == 5, 0)) out[0] = i;  // rare
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  rare<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
