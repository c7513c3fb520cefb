// Prefix sums within each block of 512.  A thread may add to an element that another is about to read.
#include "../check.cuh"

#include <vector>

const int BLOCK = 512;

__global__ void scan(const int *in, int *out, int n) {
  __shared__ int tile[BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < BLOCK; d *= 2) {
    int before = t >= d ? tile[t - d] : 0;
    tile[t] += before;
    __syncthreads();
  }
  if (i < n) {
    out[i] = tile[t];
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 1 << 24);
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; i++) {
    in[i] = i % 5;
  }
  size_t bytes = n * sizeof(int);
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    sum = i % BLOCK == 0 ? in[i] : sum + in[i];
    wrong += out[i] != sum;
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return wrong != 0;
}
