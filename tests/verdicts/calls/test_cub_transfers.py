"""Loads and stores of CUB: the elements that each thread accesses, by their documented arrangements."""

from tests.checking import verdicts

SOURCE = """
#include <cub/cub.cuh>

// safe: 1 of 1 pairs
__global__ void blocked(int *a) {
  using Store = cub::BlockStore<int, 64, 4>;
  __shared__ typename Store::TempStorage storage;
  int items[4] = {1, 2, 3, int(threadIdx.x)};
  Store(storage).Store(a + blockIdx.x * 256, items);
}

// race: write first, write first; global; grid
__global__ void overlapping_blocks(int *a) {
  using Store = cub::BlockStore<int, 64, 4>;
  __shared__ typename Store::TempStorage storage;
  int items[4] = {1, 2, 3, int(threadIdx.x)};
  Store(storage).Store(a + blockIdx.x * 255, items);  // first
}

// safe: 1 of 1 pairs
__global__ void striped(int *a) {
  using Store = cub::BlockStore<int, 64, 2, cub::BLOCK_STORE_STRIPED>;
  __shared__ typename Store::TempStorage storage;
  int items[2] = {1, int(threadIdx.x)};
  Store(storage).Store(a + blockIdx.x * 128, items);
}

// race: read striped, write again; global; warp block
__global__ void read_as_blocked(int *a, int *b) {
  using Store = cub::BlockStore<int, 64, 2, cub::BLOCK_STORE_STRIPED>;
  __shared__ typename Store::TempStorage storage;
  int items[2] = {1, int(threadIdx.x)};
  Store(storage).Store(a + blockIdx.x * 128, items);  // again
  b[blockIdx.x * 64 + threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x * 2 + 1];  // striped
}

// safe: 3 of 3 pairs
__global__ void read_as_stored(int *a, int *b) {
  using Store = cub::BlockStore<int, 64, 2, cub::BLOCK_STORE_STRIPED>;
  __shared__ typename Store::TempStorage storage;
  int items[2] = {1, int(threadIdx.x)};
  Store(storage).Store(a + blockIdx.x * 128, items);
  b[blockIdx.x * 64 + threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x + 64];
}

// safe: 4 of 4 pairs
__global__ void cut_off(int *a, int *b) {
  using Store = cub::BlockStore<int, 64, 2>;
  __shared__ typename Store::TempStorage storage;
  int items[2] = {1, int(threadIdx.x)};
  Store(storage).Store(a, items, 100);
  if (threadIdx.x == 0) a[100] = 7;
  b[threadIdx.x] = 3;
}

// race: write last, write there; global; block
__global__ void not_cut_off(int *a, int *b) {
  using Store = cub::BlockStore<int, 64, 2>;
  __shared__ typename Store::TempStorage storage;
  int items[2] = {1, int(threadIdx.x)};
  Store(storage).Store(a, items, 101);  // there
  if (threadIdx.x == 0) a[100] = 7;  // last
  b[threadIdx.x] = 3;
}

// safe: 1 of 1 pairs
__global__ void __launch_bounds__(64) direct(int *a) {
  int items[4] = {1, 2, 3, int(threadIdx.x)};
  cub::StoreDirectBlocked(threadIdx.x, a + blockIdx.x * 256, items);
}

// race: write tile, write tile; global; grid
__global__ void __launch_bounds__(64) direct_to_overlapping_tiles(int *a) {
  int items[4] = {1, 2, 3, int(threadIdx.x)};
  cub::StoreDirectBlocked(threadIdx.x, a + blockIdx.x * 255, items);  // tile
}

// safe: 3 of 3 pairs
__global__ void __launch_bounds__(64) direct_and_striped(int *a, int *b) {
  int items[2] = {1, int(threadIdx.x)};
  cub::StoreDirectStriped<64>(threadIdx.x, a + blockIdx.x * 128, items);
  b[blockIdx.x * 64 + threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x + 64];
}

// race: read of_all, write to_warp; global; block
__global__ void __launch_bounds__(64) direct_to_warps(int *a, int *b) {
  int items[2] = {1, int(threadIdx.x)};
  cub::StoreDirectWarpStriped(threadIdx.x, a + blockIdx.x * 128, items);  // to_warp
  b[blockIdx.x * 64 + threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x + 64];  // of_all
}

// safe: 3 of 3 pairs
__global__ void __launch_bounds__(64) direct_below(int *a, int *b) {
  int items[2];
  cub::LoadDirectBlocked(threadIdx.x, b, items, 64, -1);
  cub::StoreDirectBlocked(threadIdx.x, a + blockIdx.x * 101, items, 100);
  if (threadIdx.x == 0) a[blockIdx.x * 101 + 100] = 7;
}

// safe: 1 of 1 pairs
__global__ void by_warps(int *a) {
  using Store = cub::WarpStore<int, 4>;
  __shared__ typename Store::TempStorage storage[2];
  int items[4] = {1, 2, 3, int(threadIdx.x)};
  Store(storage[threadIdx.x / 32]).Store(a + (blockIdx.x * 2 + threadIdx.x / 32) * 128, items);
}

// race: write all, write all; global; block
__global__ void warps_on_one_tile(int *a) {
  using Store = cub::WarpStore<int, 4>;
  __shared__ typename Store::TempStorage storage[2];
  int items[4] = {1, 2, 3, int(threadIdx.x)};
  Store(storage[threadIdx.x / 32]).Store(a + blockIdx.x * 128, items);  // all
}

// race: read items, write below; global; warp block grid
__global__ void loads_are_reads(int *a) {
  using Load = cub::BlockLoad<int, 64, 1>;
  __shared__ typename Load::TempStorage storage;
  int items[1];
  Load(storage).Load(a + blockIdx.x * 64 + 1, items);  // items
  a[blockIdx.x * 64 + threadIdx.x] = items[0];  // below
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  blocked<<<8, 64>>>(a);
  overlapping_blocks<<<8, 64>>>(a);
  striped<<<8, 64>>>(a);
  read_as_blocked<<<8, 64>>>(a, b);
  read_as_stored<<<8, 64>>>(a, b);
  cut_off<<<1, 64>>>(a, b);
  not_cut_off<<<1, 64>>>(a, b);
  by_warps<<<8, 64>>>(a);
  warps_on_one_tile<<<8, 64>>>(a);
  loads_are_reads<<<8, 64>>>(a);
}
"""

test_cub_transfers = verdicts(SOURCE)
