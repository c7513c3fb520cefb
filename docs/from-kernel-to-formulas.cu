// The program of from-kernel-to-formulas.md.  -DREPAIRED adds the barrier that is missing.
#include <cassert>
#include <cstdlib>

__global__ void smooth(float *out, int rounds, int j) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rounds; r++) {
    tile[t] = sum + r;
    __syncthreads();
    sum += tile[t + j];
#ifdef REPAIRED
    __syncthreads();
#endif
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

int main(int argc, char **argv) {
  int blocks = atoi(argv[1]), rounds = atoi(argv[2]), j = atoi(argv[3]);
  assert(0 < j && j <= 128);
  float *out;
  cudaMalloc(&out, blocks * 128 * sizeof(float));
  smooth<<<blocks, 128>>>(out, rounds, j);
  cudaFree(out);
}
