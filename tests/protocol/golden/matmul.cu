#include <cassert>
#define TILE 16

__global__ void matmul(float *c, const float *a, const float *b, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    as[y][x] = a[row * n + t * TILE + x];
    bs[y][x] = b[(t * TILE + y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

void run(float *c, const float *a, const float *b, int n) {
  assert(n % TILE == 0);
  dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  matmul<<<grid, block>>>(c, a, b, n);
}
