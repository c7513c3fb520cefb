"""Launch extents that rest on values which are not known: a race that needs large blocks is left open."""

from tests.checking import verdicts

test_lost = verdicts("""
#include <tuple>

// race: read few, write few; global; warp grid
// race: write few, write few; global; warp grid
__global__ void few(int *d) { d[threadIdx.x / 2] += 1; }  // few

// open: read many, write many; global; grid: it depends on values that are not known: value
// open: write many, write many; global; grid: it depends on values that are not known: value
__global__ void many(int *d, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) d[i] += 1;  // many
}

int main() {
  constexpr int threads = 31 * std::tuple_size<std::tuple<int>>::value;
  int *d;
  cudaMalloc(&d, 4096);
  few<<<8, threads * 2>>>(d);
  many<<<8, threads * 5>>>(d, 999);
}
""")

test_given = verdicts("""
// race: read many, write many; global; grid
// race: write many, write many; global; grid
__global__ void many(int *d, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) d[i] += 1;  // many
}

void run(int *d, int threads) { many<<<8, threads * 5>>>(d, 999); }
""")

test_computed = verdicts("""
#include <utility>

static std::pair<int, int> shape(int n) { return {(n + 127) / 128, 128}; }

// open: read tiles, write tiles; global; grid: it depends on values that are not known: .first, .second
// open: write tiles, write tiles; global; grid: it depends on values that are not known: .first, .second
__global__ void of_tiles(int *d, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) d[i] += 1;  // tiles
}

// race: read pairs, write pairs; global; warp grid
// race: write pairs, write pairs; global; warp grid
__global__ void of_pairs(int *d) { d[threadIdx.x / 2] += 1; }  // pairs

int main() {
  int *d;
  cudaMalloc(&d, 4096);
  const auto [grid, block] = shape(999);
  of_tiles<<<grid, block>>>(d, 999);
  of_pairs<<<grid, block>>>(d);
}
""")
