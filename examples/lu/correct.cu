// Blocked LU decomposition without pivoting, in place: diagonal block, panels, then the rest.
#include "../check.cuh"

#include <cmath>
#include <vector>

const int B = 16;

// One thread decomposes the diagonal block `k`.
__global__ void diagonal(float *a, int n, int k) {
  float *d = a + k * B * n + k * B;
  for (int p = 0; p < B; p++) {
    for (int i = p + 1; i < B; i++) {
      d[i * n + p] /= d[p * n + p];
      for (int j = p + 1; j < B; j++) {
        d[i * n + j] -= d[i * n + p] * d[p * n + j];
      }
    }
  }
}

// Thread t has row t of a block below the diagonal one, or column t of a block beside it (blockIdx.y).
__global__ void panels(float *a, int n, int k) {
  const float *d = a + k * B * n + k * B;
  int t = threadIdx.x;
  int other = (k + 1 + blockIdx.x) * B + t;
  if (blockIdx.y == 0) {
    for (int p = 0; p < B; p++) {
      float sum = a[other * n + k * B + p];
      for (int q = 0; q < p; q++) {
        sum -= a[other * n + k * B + q] * d[q * n + p];
      }
      a[other * n + k * B + p] = sum / d[p * n + p];
    }
  } else {
    for (int p = 0; p < B; p++) {
      float sum = a[(k * B + p) * n + other];
      for (int q = 0; q < p; q++) {
        sum -= d[p * n + q] * a[(k * B + q) * n + other];
      }
      a[(k * B + p) * n + other] = sum;
    }
  }
}

__global__ void update(float *a, int n, int k) {
  int row = (k + 1 + blockIdx.y) * B + threadIdx.y;
  int col = (k + 1 + blockIdx.x) * B + threadIdx.x;
  float sum = a[row * n + col];
  for (int p = 0; p < B; p++) {
    float left = a[row * n + k * B + p];
    float above = a[(k * B + p) * n + col];
    sum -= left * above;
  }
  a[row * n + col] = sum;
}

int main(int argc, char **argv) {
  int blocks = size_argument(argc, argv, 512);
  int n = blocks * B;
  std::vector<float> a(n * n), lu(n * n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      a[i * n + j] = i == j ? n + 1.0f : 1.0f / (1 + std::abs(i - j));
    }
  }
  size_t bytes = a.size() * sizeof(float);
  float *d_a;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  for (int k = 0; k < blocks; k++) {
    int rest = blocks - k - 1;
    diagonal<<<1, 1>>>(d_a, n, k);
    if (rest > 0) {
      panels<<<dim3(rest, 2), B>>>(d_a, n, k);
      update<<<dim3(rest, rest), dim3(B, B)>>>(d_a, n, k);
    }
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(lu.data(), d_a, bytes, cudaMemcpyDeviceToHost));
  int last = n - 1;
  float product = 0.0f;
  for (int p = 0; p < n; p++) {
    product += (p == last ? 1.0f : lu[last * n + p]) * lu[p * n + last];
  }
  bool wrong = std::fabs(product - a[last * n + last]) > 1e-3f * n;
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_a));
  return wrong;
}
