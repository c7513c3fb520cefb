// Seeds 1007970, 3104463: where an iteration of a host loop leaves the program, no later one launches anything.
#include <cassert>
#include <cstdlib>

// safe: 1 of 1 pairs
__global__ void not_reached(int *a, int n) {
  if (n == 5 && threadIdx.x) a[0] = threadIdx.x;
}

// race: write reached, write reached; global; warp
__global__ void reached_before(int *a, int n) {
  if (n == 5 && threadIdx.x) a[0] = threadIdx.x;  // reached
}

// safe: 1 of 1 pairs
__global__ void for_all_of_two(int *a, int n) {
  if (n == 5 && threadIdx.x) a[0] = threadIdx.x;
}

// race: write third, write third; global; warp
__global__ void for_two_of_three(int *a, int n) {
  if (n == 5 && threadIdx.x) a[0] = threadIdx.x;  // third
}

// safe: 1 of 1 pairs
__global__ void behind_an_assertion(int *a, int n) {
  if (n == 16 && threadIdx.x) a[0] = threadIdx.x;
}

// race: write other, write other; global; warp
__global__ void before_an_assertion(int *a, int n) {
  if (n == 16 && threadIdx.x) a[0] = threadIdx.x;  // other
}

// race: write even, write even; global; warp
__global__ void left_on_one_way_only(int *a, int n) {
  if (n == 5 && threadIdx.x) a[0] = threadIdx.x;  // even
}

void launch(int *a, int p, int q, int r) {
  assert(1 <= q && q <= 2);
  assert(1 <= r && r <= 3);
  for (int s = 1; s < p; s++) {
    if (s == 3) exit(1);
    not_reached<<<1, 3>>>(a, s);
  }
  for (int s = 1; s < p; s++) {
    if (s == 6) exit(1);
    reached_before<<<1, 3>>>(a, s);
  }
  for (int s = 1; s < p; s++) {
    if (s * q == 2) exit(1);
    for_all_of_two<<<1, 3>>>(a, s);
  }
  for (int s = 1; s < p; s++) {
    if (s * r == 2) exit(1);
    for_two_of_three<<<1, 3>>>(a, s);
  }
  for (int s = 1; s < p; s *= 2) {
    assert(s != 8);
    behind_an_assertion<<<1, 3>>>(a, s);
  }
  for (int s = 1; s < p; s *= 2) {
    assert(s != 32);
    before_an_assertion<<<1, 3>>>(a, s);
  }
  for (int s = 1; s < p; s++) {
    if (q == 2) {
      if (s == 3) exit(1);
    }
    left_on_one_way_only<<<1, 3>>>(a, s);
  }
}
