// Every block reverses its part of an array; the last part may be shorter.
#include "../check.cuh"

#include <vector>

__global__ void reverse(const int *in, int *out, int n) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  int first = blockIdx.x * 256;
  int length = min(256, n - first);
  if (t < length) {
    tile[t] = in[first + t];
  }
  __syncthreads();
  if (t < length) {
    out[first + t] = tile[length - 1 - t];
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 1 << 24);
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; i++) {
    in[i] = i;
  }
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reverse<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    int first = i / 256 * 256;
    int last = first + 256 < n ? first + 255 : n - 1;
    wrong += out[i] != first + last - i;
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return wrong != 0;
}
