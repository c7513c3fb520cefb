// Heat on a plate: every step reads one array and writes the other.
#include "../check.cuh"

#include <utility>
#include <vector>

__global__ void step(const float *u, float *next, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) {
    return;
  }
  float left = u[y * width + x - 1];
  float right = u[y * width + x + 1];
  float up = u[(y - 1) * width + x];
  float down = u[(y + 1) * width + x];
  next[y * width + x] = 0.25f * (left + right + up + down);
}

int main(int argc, char **argv) {
  int width = size_argument(argc, argv, 8192);
  int height = width;
  std::vector<float> u(width * height, 0.0f);
  for (int x = 0; x < width; x++) {
    u[x] = 100.0f;
  }
  size_t bytes = u.size() * sizeof(float);
  float *d_u, *d_next;
  CHECK(cudaMalloc(&d_u, bytes));
  CHECK(cudaMalloc(&d_next, bytes));
  CHECK(cudaMemcpy(d_u, u.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_next, u.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  for (int i = 0; i < 100; i++) {
    step<<<grid, block>>>(d_u, d_next, width, height);
    CHECK(cudaGetLastError());
    std::swap(d_u, d_next);
  }
  CHECK(cudaMemcpy(u.data(), d_u, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (float t : u) {
    wrong += !(t >= 0.0f && t <= 100.0f);
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_u));
  CHECK(cudaFree(d_next));
  return wrong != 0;
}
