// The root of every vertex of a forest, in place: a grandparent may be read while it is replaced.
#include "../check.cuh"

#include <vector>

__global__ void jump(int *parent, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    int p = parent[v];
    int grandparent = parent[p];
    parent[v] = grandparent;
  }
}

int main(int argc, char **argv) {
  int n = size_argument(argc, argv, 1 << 24);
  std::vector<int> parent(n);
  for (int v = 0; v < n; v++) {
    parent[v] = v < 3 ? v : v - 3;
  }
  size_t bytes = n * sizeof(int);
  int *d_parent;
  CHECK(cudaMalloc(&d_parent, bytes));
  CHECK(cudaMemcpy(d_parent, parent.data(), bytes, cudaMemcpyHostToDevice));
  for (int reach = 1; reach < n; reach *= 2) {
    jump<<<(n + 255) / 256, 256>>>(d_parent, n);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(parent.data(), d_parent, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int v = 0; v < n; v++) {
    wrong += parent[v] != v % 3;
  }
  std::printf("%s\n", wrong ? "FAILED" : "ok");
  CHECK(cudaFree(d_parent));
  return wrong != 0;
}
