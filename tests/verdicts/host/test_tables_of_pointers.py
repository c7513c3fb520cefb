"""Tables of pointers that loops of the host fill: what is at an index that changes is one of a few allocations."""

from tests.checking import verdicts

SHIFT = "y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1];"

SOURCE = """
#include <array>

// safe: 6 of 6 pairs
__global__ void by_index(const float *x, float *y) { SHIFT }

// safe: 6 of 6 pairs
__global__ void by_reference(const float *x, float *y) { SHIFT }

// safe: 6 of 6 pairs
__global__ void of_array(const float *x, float *y) { SHIFT }

// race: read thrice, write thrice; global; warp block grid
__global__ void after_three(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // thrice
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // thrice

int main() {
  float *a[3], *b[3];
  std::array<float *, 3> c;
  for (int i = 0; i < 3; ++i) cudaMalloc(&a[i], 1 << 20);
  for (float *&p : b) cudaMalloc(&p, 1 << 20);
  for (auto &p : c) cudaMalloc(&p, 1 << 20);
  for (int t = 0; t < 30; ++t) by_index<<<16, 64>>>(a[t % 3], a[(t + 1) % 3]);
  for (int t = 0; t < 30; ++t) by_reference<<<16, 64>>>(b[t % 3], b[(t + 1) % 3]);
  for (int t = 0; t < 30; ++t) of_array<<<16, 64>>>(c[t % 3], c[(t + 1) % 3]);
  for (int t = 0; t < 30; ++t) after_three<<<16, 64>>>(a[t % 3], a[(t + 3) % 3]);
}
""".replace("SHIFT", SHIFT)

test_kernel = verdicts(SOURCE)
