"""Arrivals that are counted over several rounds: the one that makes the last of them comes after all."""

from tests.checking import verdicts

SOURCE = """
__device__ unsigned counts[8];

// safe: 3 of 3 pairs
__global__ void four_rounds(const float *x, float *part, float *res) {
  if (threadIdx.x != 0) return;
  for (int r = 0; r < 4; r++) {
    part[r * gridDim.x + blockIdx.x] = x[r * gridDim.x + blockIdx.x];
    __threadfence();
    if (atomicAdd(&counts[0], 1) == 4 * gridDim.x - 1) {
      __threadfence();
      float s = 0;
      for (int b = 0; b < 4 * gridDim.x; b++) s += part[b];
      *res = s;
    }
  }
}

// safe: 3 of 3 pairs
__global__ void so_many_rounds(const float *x, float *part, float *res, int rounds) {
  if (threadIdx.x != 0) return;
  for (int r = 0; r < rounds; r++) {
    part[r * gridDim.x + blockIdx.x] = x[r * gridDim.x + blockIdx.x];
    __threadfence();
    if (atomicAdd(&counts[1], 1) == rounds * gridDim.x - 1) {
      __threadfence();
      float s = 0;
      for (int b = 0; b < rounds * gridDim.x; b++) s += part[b];
      *res = s;
    }
  }
}

// race: read all, write mine; global; grid (data-dependent)
__global__ void one_less(const float *x, float *part, float *res, int rounds) {
  if (threadIdx.x != 0) return;
  for (int r = 0; r < rounds; r++) {
    part[r * gridDim.x + blockIdx.x] = x[r * gridDim.x + blockIdx.x];  // mine
    __threadfence();
    if (atomicAdd(&counts[2], 1) == rounds * gridDim.x - 2) {
      __threadfence();
      float s = 0;
      for (int b = 0; b < rounds * gridDim.x; b++) s += part[b];  // all
      *res = s;
    }
  }
}

// race: read all, write mine; global; grid (data-dependent)
__global__ void arrived_before(const float *x, float *part, float *res, int rounds) {
  if (threadIdx.x != 0) return;
  for (int r = 0; r < rounds; r++) {
    unsigned seen = atomicAdd(&counts[3], 1);
    __threadfence();
    part[r * gridDim.x + blockIdx.x] = x[r * gridDim.x + blockIdx.x];  // mine
    if (seen == rounds * gridDim.x - 1) {
      __threadfence();
      float s = 0;
      for (int b = 0; b < rounds * gridDim.x; b++) s += part[b];  // all
      *res = s;
    }
  }
}

// race: read all, write mine; global; grid (data-dependent)
// race: write result, write result; global; grid (data-dependent)
__global__ void rounds_of_ones_own(const float *x, float *part, float *res, const int *rounds) {
  if (threadIdx.x != 0) return;
  int own = rounds[blockIdx.x];
  for (int r = 0; r < own; r++) {
    part[r * gridDim.x + blockIdx.x] = x[r * gridDim.x + blockIdx.x];  // mine
    __threadfence();
    if (atomicAdd(&counts[4], 1) == own * gridDim.x - 1) {
      __threadfence();
      float s = 0;
      for (int b = 0; b < own * gridDim.x; b++) s += part[b];  // all
      *res = s;  // result
    }
  }
}

// race: read all, write mine; global; grid (data-dependent)
__global__ void arrived_in_other_rounds_too(const float *x, float *part, float *res, int rounds) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < 2; k++)
    for (int r = 0; r < rounds; r++) {
      part[r * gridDim.x + blockIdx.x] = x[r * gridDim.x + blockIdx.x] + k;  // mine
      __threadfence();
      if (atomicAdd(&counts[5], 1) == rounds * gridDim.x - 1) {
        __threadfence();
        float s = 0;
        for (int b = 0; b < rounds * gridDim.x; b++) s += part[b];  // all
        *res = s;
      }
    }
}
"""

test_kernel = verdicts(SOURCE)
