// Section: cuRAND Library: Device API Overview
// Shows: numbers of different sequences are stored to one place for two threads
#include <curand_kernel.h>

// race: write number, write number; global; warp
__global__ void draw(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state;
  curand_init(1234, i, 0, &state);
  out[i / 2] = curand_uniform(&state);  // number
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  draw<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
