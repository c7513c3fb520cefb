"""Places that one thread takes, and nobody gives back."""

from tests.checking import verdicts

SOURCE = """
// safe: 1 of 1 pairs
__global__ void exchanged(int *taken, int *owner, int *which) {
  int i = which[threadIdx.x];
  if (atomicExch(&taken[i], 1) == 0) owner[i] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void exchanged_by_comparing(int *next, int *before, int *which) {
  int i = which[blockIdx.x * 64 + threadIdx.x];
  if (atomicCAS(&next[i], -1, threadIdx.x) == -1) before[i] = threadIdx.x;
}

// race: write here, write here; global; warp block grid (unless distinct(which))
__global__ void exchanged_for_what_may_be_free(int *next, int *before, int *which, int *to) {
  int i = which[blockIdx.x * 64 + threadIdx.x];
  if (atomicCAS(&next[i], -1, to[threadIdx.x]) == -1) before[i] = threadIdx.x;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(which))
__global__ void exchanged_elsewhere(int *taken, int *owner, int *which) {
  int i = which[blockIdx.x * 64 + threadIdx.x];
  if (atomicExch(&taken[threadIdx.x], 1) == 0) owner[i] = threadIdx.x;  // here
}

// race: write here, write here; global; warp block grid (unless distinct(which))
__global__ void who_comes_too_late(int *taken, int *owner, int *which) {
  int i = which[blockIdx.x * 64 + threadIdx.x];
  if (atomicExch(&taken[i], 1) == 1) owner[i] = threadIdx.x;  // here
}

// race: write here, write here; global; grid (unless distinct(which))
__global__ void of_each_block(int *owner, int *which) {
  __shared__ int taken[64];
  int i = which[blockIdx.x * 64 + threadIdx.x];
  if (atomicExch(&taken[i], 1) == 0) owner[i] = threadIdx.x;  // here
}

// race: atomic take, atomic take; global; grid (data-dependent)
// race: write here, write here; global; grid (unless distinct(which))
__global__ void seen_by_a_block(int *taken, int *owner, int *which) {
  int i = which[blockIdx.x * 64 + threadIdx.x];
  int was = atomicExch_block(&taken[i], 1);  // take
  if (was == 0) owner[i] = threadIdx.x;  // here
}

// safe: 1 of 1 pairs
__global__ void given_back_without_the_other(int *rows, int *columns, int *to, int *which) {
  for (int k = 0; k < 8; k++) {
    int r = which[k * 4096 + blockIdx.x * 64 + threadIdx.x], c = which[threadIdx.x * 8 + k];
    if (atomicExch(&rows[r], 1) == 0) {
      if (atomicExch(&columns[c], 1) == 0)
        to[r] = c;
      else
        atomicExch(&rows[r], 0);
    }
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void given_back_behind(int *rows, int *columns, int *to, int *which) {
  for (int k = 0; k < 8; k++) {
    int r = which[k * 4096 + blockIdx.x * 64 + threadIdx.x], c = which[threadIdx.x * 8 + k];
    if (atomicExch(&rows[r], 1) == 0) {
      if (atomicExch(&columns[c], 1) == 0) to[r] = c;  // here
      atomicExch(&rows[r], 0);
    }
  }
}

// race: write here, write here; global; warp block grid (unless distinct(which))
__global__ void given_back_by_others(int *rows, int *columns, int *to, int *which) {
  int r = which[blockIdx.x * 64 + threadIdx.x];
  if (atomicExch(&rows[r], 1) == 0)
    to[r] = threadIdx.x;  // here
  else
    atomicExch(&rows[r], 0);
}

// race: write first, write second; shared; warp block (unless distinct(which))
__global__ void freed_between(int *which) {
  __shared__ int taken[64], owner[64];
  int i = which[threadIdx.x], j = which[threadIdx.x + 64];
  int was = atomicExch(&taken[i], 1);
  __syncthreads();
  taken[threadIdx.x] = 0;
  __syncthreads();
  int is = atomicExch(&taken[j], 1);
  if (was == 0) owner[i] = threadIdx.x;  // first
  if (is == 0) owner[j] = threadIdx.x;  // second
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void looked_at(int *taken, int *owner) {
  if (atomicCAS(&taken[0], 0, 0) == 0) owner[0] = threadIdx.x;  // here
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void looked_at_before_it_is_taken(int *taken, int *owner) {
  if (atomicCAS(&taken[0], 0, 0) == 0) owner[0] = threadIdx.x;  // here
  atomicCAS(&taken[0], 0, 1);
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void added_nothing_to(int *taken, int *owner) {
  if (atomicAdd(&taken[0], 0) == 0) owner[0] = threadIdx.x;  // here
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1))
