// Section: cuRAND Library: Device API Overview
// Shows: each thread has a generator, and a place for its number
#include <curand_kernel.h>

// safe: 1 of 1 pairs
__global__ void draw(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state;
  curand_init(1234, i, 0, &state);
  out[i] = curand_uniform(&state);  // number
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  draw<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
