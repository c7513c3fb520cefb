// The sum of an array: a tree in shared memory for each block, then the blocks' sums on the host.
#include "../check.cuh"

#include <vector>

const int BLOCK = 256;

__global__ void reduce(const int *in, int *out, int n) {
  __shared__ int tile[BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (t < s) {
      int other = tile[t + s];
      tile[t] += other;
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = tile[0];
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 1 << 24);
  int blocks = (n + BLOCK - 1) / BLOCK;
  std::vector<int> in(n), out(blocks);
  long long expected = 0;
  for (int i = 0; i < n; i++) {
    in[i] = i % 17;
    expected += in[i];
  }
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, blocks * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reduce<<<blocks, BLOCK>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  long long sum = 0;
  for (int x : out) {
    sum += x;
  }
  std::printf("%s\n", sum == expected ? "ok" : "FAILED");
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return sum != expected;
}
