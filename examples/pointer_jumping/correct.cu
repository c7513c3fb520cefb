// The root of every vertex of a forest: each step doubles how far the pointers reach.
#include "../check.cuh"

#include <utility>
#include <vector>

__global__ void jump(const int *parent, int *next, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    int p = parent[v];
    int grandparent = parent[p];
    next[v] = grandparent;
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 1 << 24);
  std::vector<int> parent(n);
  for (int v = 0; v < n; v++) {
    parent[v] = v < 3 ? v : v - 3;
  }
  size_t bytes = n * sizeof(int);
  int *d_parent, *d_next;
  CHECK(cudaMalloc(&d_parent, bytes));
  CHECK(cudaMalloc(&d_next, bytes));
  CHECK(cudaMemcpy(d_parent, parent.data(), bytes, cudaMemcpyHostToDevice));
  for (int reach = 1; reach < n; reach *= 2) {
    jump<<<(n + 255) / 256, 256>>>(d_parent, d_next, n);
    CHECK(cudaGetLastError());
    std::swap(d_parent, d_next);
  }
  CHECK(cudaMemcpy(parent.data(), d_parent, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int v = 0; v < n; v++) {
    wrong += parent[v] != v % 3;
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_parent));
  CHECK(cudaFree(d_next));
  return wrong != 0;
}
