// Section: CUDA C++ Programming Guide: __builtin_expect()
// Shows: what is not expected happens all the same, to a thread of each block
// race: write rare, write rare; global; grid
__global__ void rare(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (__builtin_expect(threadIdx.x == 5, 0)) out[0] = i;  // rare
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  rare<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
