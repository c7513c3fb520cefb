// Section: CUDA C++ Programming Guide: Trap function
// Shows: threads that would share a place stop the launch
// safe: 1 of 1 pairs
__global__ void guarded(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 256) __trap();
  out[i % 256] = i;  // cell
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  guarded<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
