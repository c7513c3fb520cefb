// Section: CUDA C++ Programming Guide: Assertion
// Shows: an assertion is no barrier
#include <cassert>

// safe: 3 of 3 pairs
__global__ void k(const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];  // put
  assert(blockDim.x == 128);
  __syncthreads();
  out[i] = tile[(t + 1) % 128];  // next
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  k<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
