// C = A * B for square matrices, with tiles of A and B in shared memory.
#include "../check.cuh"

#include <cmath>
#include <vector>

const int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
    int k = t * TILE;
    as[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0.0f;
    bs[ty][tx] = col < n && k + ty < n ? b[(k + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; i++) {
      float x = as[ty][i];
      float y = bs[i][tx];
      sum += x * y;
    }
    __syncthreads();
  }
  if (row < n && col < n) {
    c[row * n + col] = sum;
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 8192);
  size_t bytes = sizeof(float) * n * n;
  std::vector<float> a(n * n, 1.0f), b(n * n, 2.0f), c(n * n);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_c, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(TILE, TILE);
  dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  matmul<<<grid, block>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (float x : c) {
    wrong += std::fabs(x - 2.0f * n) > 1e-3f * n;
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  return wrong != 0;
}
