// The transpose of a matrix, through a tile in shared memory so that reads and writes are coalesced.
#include "../check.cuh"

#include <vector>

const int TILE = 32;
const int ROWS = 8;

__global__ void transpose(const float *in, float *out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < width && y + j < height) {
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < height && y + j < width) {
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
  }
}

int main(int argc, char **argv) {
  int width = size_argument(argc, argv, 16384);
  int height = width / 2 + 1;
  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; i++) {
    in[i] = static_cast<float>(i % 1001);
  }
  size_t bytes = in.size() * sizeof(float);
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(TILE, ROWS);
  dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  transpose<<<grid, block>>>(d_in, d_out, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      wrong += out[x * height + y] != in[y * width + x];
    }
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return wrong != 0;
}
