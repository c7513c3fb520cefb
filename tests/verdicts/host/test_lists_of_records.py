"""Vectors of records with device memory: what a loop puts into them, and what another one launches with them."""

from tests.checking import verdicts

LEVELS = """
#include <vector>
struct Level { int n; float *u, *r; };

// safe: 2 of 2 pairs
__global__ void apart(const float *fine, float *coarse, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) coarse[i] = fine[2 * i];
}

// race: read one_buffer, write one_buffer; global; warp block grid
__global__ void one_buffer(const float *fine, float *coarse, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    coarse[i] =  // one_buffer
        fine[2 * i];  // one_buffer
}

// safe: 6 of 6 pairs
__global__ void scaled(float *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) u[i] *= 2;
}

int main() {
  std::vector<Level> levels;
  float *shared;
  cudaMalloc(&shared, 4096);
  for (int n = 256; n > 32; n /= 2) {
    Level l;
    l.n = n;
    cudaMalloc(&l.u, n * sizeof(float));
    l.r = shared;
    levels.push_back(l);
  }
  for (auto &l : levels) scaled<<<(l.n + 63) / 64, 64>>>(l.u, l.n);
  for (size_t i = 0; i + 1 < levels.size(); i++) {
    apart<<<(levels[i + 1].n + 63) / 64, 64>>>(levels[i].u, levels[i + 1].u, levels[i + 1].n);
    one_buffer<<<(levels[i + 1].n + 63) / 64, 64>>>(levels[i].r, levels[i + 1].r, levels[i + 1].n);
  }
}
"""

test_levels = verdicts(LEVELS)
