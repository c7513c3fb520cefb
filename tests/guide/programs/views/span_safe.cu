// Section: CUDA C++ Core Libraries: cuda::std::span
// Shows: each thread has a part of a span
#include <cuda/std/span>

// safe: 1 of 1 pairs
__global__ void k(cuda::std::span<int> data) {
  auto mine = data.subspan((blockIdx.x * blockDim.x + threadIdx.x) * 4, 4);
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = threadIdx.x + i;  // part
}

int main() {
  int *data;
  cudaMalloc(&data, 4096 * sizeof(int));
  k<<<8, 128>>>(cuda::std::span<int>(data, 4096));
  cudaDeviceSynchronize();
}
