// Counts of byte values: atomics on bins in shared memory, added to the bins in global memory.
#include "../check.cuh"

#include <vector>

const int BINS = 256;
const int BLOCK = 128;

__global__ void histogram(const unsigned char *data, unsigned int *bins, int n) {
  __shared__ unsigned int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += BLOCK) {
    local[b] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += BLOCK) {
    atomicAdd(&bins[b], local[b]);
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 1 << 26);
  std::vector<unsigned char> data(n);
  std::vector<unsigned int> bins(BINS), expected(BINS);
  for (int i = 0; i < n; i++) {
    data[i] = static_cast<unsigned char>(i * 7 % 251);
    expected[data[i]]++;
  }
  unsigned char *d_data;
  unsigned int *d_bins;
  CHECK(cudaMalloc(&d_data, n));
  CHECK(cudaMalloc(&d_bins, BINS * sizeof(unsigned int)));
  CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_bins, 0, BINS * sizeof(unsigned int)));
  histogram<<<64, BLOCK>>>(d_data, d_bins, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int b = 0; b < BINS; b++) {
    wrong += bins[b] != expected[b];
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_bins));
  return wrong != 0;
}
