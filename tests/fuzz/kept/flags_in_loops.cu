// Who only looks at what an exchange sets does not hold a lock: the wait may order the two (seed 4007077).

__device__ int flags[8];

// open: write first, write then; global; warp: a wait for flags, set in line 13, may order them
// race: atomic set, read wait; global; warp (data-dependent)
__global__ void again_and_again(int *a) {
  int g = threadIdx.x;
  if (g == 0) a[1] = 5;  // first
  for (int k = 0; k < 2; k++) {
    if (g == 0) {
      __threadfence();
      atomicExch(&flags[blockIdx.x & 7], 1);  // set
    } else {
      while (*(volatile int *)(&flags[blockIdx.x & 7]) == 0) {}  // wait
      __threadfence();
      if (g == 1) a[1] = 6;  // then
    }
  }
}

void launches(int *a) {
  again_and_again<<<1, 4>>>(a);
}
