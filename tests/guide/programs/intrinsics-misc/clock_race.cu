// Section: CUDA C++ Programming Guide: Time Function
// Shows: the times of all blocks are stored to the same places
// race: write ticks, write ticks; global; grid
__global__ void time(long long *out) {
  long long begin = clock64();
  __nanosleep(100);
  out[threadIdx.x] = clock64() - begin;  // ticks
}

int main() {
  long long *out;
  cudaMalloc(&out, 4 * 128 * sizeof(long long));
  time<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
