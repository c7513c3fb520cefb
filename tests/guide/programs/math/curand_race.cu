// Section: cuRAND Library Guide: Device API Overview
// Shows: random numbers are each thread's own
#include <curand_kernel.h>

// race: write drawn, write drawn; global; warp
__global__ void k(curandState *states, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state = states[i];
  float2 pair = curand_normal2(&state);
  states[i] = state;
  out[i / 2] = pair.x + pair.y;  // drawn
}

int main() {
  curandState *states;
  float *out;
  cudaMalloc(&states, 1024 * sizeof(curandState));
  cudaMalloc(&out, 1024 * sizeof(float));
  k<<<8, 128>>>(states, out);
  cudaDeviceSynchronize();
}
