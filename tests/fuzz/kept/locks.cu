// Locks that other blocks come between (seeds 10008, 20117), and ways to give one back (seeds 32, 30173).

__device__ int lock = 0;

// note: write give, write give; global; warp grid
// race: atomic take, atomic take; global; grid (data-dependent)
// race: atomic take, write give; global; warp grid (data-dependent)
// race: write cell, write cell; global; warp grid
__global__ void of_the_block(int *a) {
  while (atomicExch_block(&lock, 1) != 0) {}  // take
  __threadfence();
  a[64] = threadIdx.x;  // cell
  __threadfence();
  *(volatile int *)&lock = 0;  // give
}

// open: atomic take, write give; global; warp grid: a wait for lock, set in line 26, may order them
// open: write cell, write cell; global; warp: a wait for lock, set in line 26, may order them
// open: write give, write give; global; warp grid: a wait for lock, set in line 26, may order them
// race: write cell, write cell; global; grid
__global__ void acquired_in_the_block(int *a) {
  while (atomicCAS(&lock, 0, 1) != 0) {}  // take
  __threadfence_block();
  a[64] = threadIdx.x;  // cell
  __threadfence();
  *(volatile int *)&lock = 0;  // give
}

// race: write cell, write cell; global; grid
__global__ void handed_on_by_atomics(int *a) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence_block();
  a[64] = threadIdx.x;  // cell
  __threadfence();
  atomicExch(&lock, 0);
}

// safe: 2 of 2 pairs
__global__ void given_back_by_subtraction(int *a) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  a[64] += 1;
  __threadfence();
  atomicSub(&lock, 1);
}

void launches(int *a) {
  of_the_block<<<3, 8>>>(a);
  acquired_in_the_block<<<3, 8>>>(a);
  handed_on_by_atomics<<<3, 8>>>(a);
  given_back_by_subtraction<<<3, 8>>>(a);
}
