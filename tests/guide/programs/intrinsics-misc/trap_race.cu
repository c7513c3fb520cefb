// Section: CUDA C++ Programming Guide: Trap function
// Shows: the guard lets threads through that share a place
// race: write cell, write cell; global; grid
__global__ void guarded(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 300) __trap();
  out[i % 256] = i;  // cell
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  guarded<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
