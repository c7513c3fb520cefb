"""One block waits until all others have arrived: the first or the last one, which does not count itself.

if (blockIdx.x > 0) { part[blockIdx.x] = …; __threadfence(); atomicAdd(&count, 1); }
else { while (count < gridDim.x - 1) {} __threadfence(); … }
"""

from tests.checking import verdicts

SOURCE = """
#include <cuda/atomic>
using counter = cuda::atomic<unsigned, cuda::thread_scope_device>;
__device__ counter c0, c1, c2, c3, c4, c5;

// safe: 5 of 5 pairs
__global__ void the_first_waits(int *part) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    part[blockIdx.x] = blockIdx.x;  // store
    __threadfence();
    c0.fetch_add(1);
  } else {
    while (c0.load() < gridDim.x - 1) {}
    __threadfence();
    int sum = 0;
    for (int b = 1; b < gridDim.x; b++) sum += part[b];  // load
    part[0] = sum;
  }
}

// safe: 5 of 5 pairs
__global__ void the_last_waits(int *part) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != gridDim.x - 1) {
    part[blockIdx.x] = blockIdx.x;  // store
    __threadfence();
    c1.fetch_add(1);
  } else {
    while (c1.load() != gridDim.x - 1) {}
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x - 1; b++) sum += part[b];  // load
    part[gridDim.x - 1] = sum;
  }
}

// open: read load, write store; global; grid: a wait for c2, set in line 43, may order them
__global__ void it_counts_itself(int *part) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = blockIdx.x;  // store
  __threadfence();
  c2.fetch_add(1);
  if (blockIdx.x == 0) {
    while (c2.load() < gridDim.x - 1) {}
    __threadfence();
    for (int b = 1; b < gridDim.x; b++) part[0] += part[b];  // load
  }
}

// open: read load, write store; global; grid: a wait for c3, set in line 57, may order them
__global__ void it_waits_for_all_but_two(int *part) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    part[blockIdx.x] = blockIdx.x;  // store
    __threadfence();
    c3.fetch_add(1);
  } else {
    while (c3.load() < gridDim.x - 2) {}
    __threadfence();
    for (int b = 1; b < gridDim.x; b++) part[0] += part[b];  // load
  }
}

// race: read load, write store; global; grid
__global__ void they_store_behind(int *part) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    __threadfence();
    c4.fetch_add(1);
    part[blockIdx.x] = blockIdx.x;  // store
  } else {
    while (c4.load() < gridDim.x - 1) {}
    __threadfence();
    for (int b = 1; b < gridDim.x; b++) part[0] += part[b];  // load
  }
}

// open: read load, write store; global; grid: a wait for c5, set in line 85, may order them
__global__ void another_row_of_blocks_arrives_too(int *part) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    part[blockIdx.x + gridDim.x * blockIdx.y] = blockIdx.x;  // store
    __threadfence();
    c5.fetch_add(1);
  } else if (blockIdx.y == 0) {
    while (c5.load() < gridDim.x * gridDim.y - 1) {}
    __threadfence();
    for (int b = 1; b < gridDim.x * gridDim.y; b++) part[0] += part[b];  // load
  }
}

int *memory() {
  int *p;
  cudaMalloc(&p, 1 << 20);
  return p;
}
int main() {
  the_first_waits<<<8, 32>>>(memory());
  the_last_waits<<<8, 32>>>(memory());
  it_counts_itself<<<8, 32>>>(memory());
  it_waits_for_all_but_two<<<8, 32>>>(memory());
  they_store_behind<<<8, 32>>>(memory());
  another_row_of_blocks_arrives_too<<<dim3(8, 2), 32>>>(memory());
}
"""

test_kernel = verdicts(SOURCE)
