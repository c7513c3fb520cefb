"""Random generators: a call reads and writes the state that it is given."""

from tests.checking import verdicts

SOURCE = """
#include <curand_kernel.h>

// safe: 1 of 1 pairs
__global__ void each_its_own(curandState *s, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &s[i]);
}

// race: write init, write init; global; warp block grid
__global__ void one_for_two(curandState *s, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &s[i / 2]);  // init
}

// race: write init, write init; global; grid
__global__ void one_for_a_thread_of_each_block(curandState *s, int seed) {
  curand_init(seed, threadIdx.x, 0, s + threadIdx.x);  // init
}

// safe: 3 of 3 pairs
__global__ void a_copy_of_the_state(curandState *s, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState mine = s[i];
  out[i] = curand_uniform(&mine);
  s[i] = mine;
}

// race: read draw, write draw; global; grid
// race: write draw, write draw; global; grid
__global__ void drawn_from_one_state(curandState *s, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = curand_normal(&s[threadIdx.x]);  // draw
}

// race: read skip, write skip; global; warp block grid
// race: write skip, write skip; global; warp block grid
__global__ void skipped(curandState *s) {
  skipahead(7, s);  // skip
}

// race: read vector, write table; global; warp block grid
__global__ void direction_vectors(curandStateSobol32_t *s, unsigned *vectors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  vectors[32 * i] = 0;  // table
  curand_init(vectors + 32 * i + 1, 0u, &s[i]);  // vector
}

// safe: 3 of 3 pairs
__global__ void direction_vectors_apart(curandStateSobol32_t *s, unsigned *vectors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  vectors[32 * i] = 0;
  curand_init(vectors + 32 * i, 0u, &s[i]);
}

// safe: 2 of 2 pairs
__global__ void one_for_a_block(curandStateMtgp32 *s, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = curand_uniform(&s[blockIdx.x]);
}

// race: atomic draw, atomic draw; global; grid
__global__ void one_for_all_blocks(curandStateMtgp32 *s, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = curand_uniform(s);  // draw
}

// race: write init, write init; global; warp block grid
__global__ void another_type_of_one(curandStatePhilox4_32_10_t *s, int seed) {
  curand_init(seed, threadIdx.x, 0, s);  // init
}
"""

test_kernel = verdicts(SOURCE)
