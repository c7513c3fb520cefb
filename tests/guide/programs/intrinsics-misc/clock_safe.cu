// Section: CUDA C++ Programming Guide: Time Function
// Shows: each thread stores a time of its own
// safe: 1 of 1 pairs
__global__ void time(long long *out) {
  long long begin = clock64();
  __nanosleep(100);
  out[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - begin;  // ticks
}

int main() {
  long long *out;
  cudaMalloc(&out, 4 * 128 * sizeof(long long));
  time<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
