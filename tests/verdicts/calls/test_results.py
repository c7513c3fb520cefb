"""Values that library functions fill in through pointers and references: each thread's own, unless the inputs agree."""

from tests.checking import verdicts

SOURCE = """
#include <curand_kernel.h>
#include <cub/cub.cuh>

// race: write either, write other; global; warp block grid (data-dependent)
__global__ void branch_on_a_sine(const float *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s, c;
  sincosf(x[i], &s, &c);
  if (s < c) y[i] = i;  // either
  else y[i + 1] = -i;  // other
}

// safe: 3 of 3 pairs
__global__ void branch_on_the_same_sine(float x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s, c;
  sincosf(x, &s, &c);
  if (s < c) y[i] = i;
  else y[i + 1] = -i;
}

// race: write whole, write whole; global; warp block grid
__global__ void whole_part(const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double whole, part = modf(x[i], &whole);
  y[i % 16] = whole + 0 * part;  // whole
}

// note: write one, write one; global; warp block grid
// safe: 0 of 1 pairs
__global__ void whole_part_of_one(double x, double *y) {
  double whole;
  modf(x, &whole);
  y[3] = whole;  // one
}

// race: write exponent, write exponent; global; warp block grid
__global__ void exponent(const float *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, e;
  frexpf(x[i], &e);
  y[i / 2 % 8] = e;  // exponent
}

struct Turn { float s, c; };
__device__ void turn(float a, Turn &t) { sincospif(a, &t.s, &t.c); }

// race: write cosine, write cosine; global; warp
__global__ void members_by_reference(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Turn t;
  turn(x[i], t);
  y[i / 2] = t.c;  // cosine
}

// safe: 1 of 1 pairs
__global__ void members_in_their_places(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Turn t;
  turn(x[i], t);
  y[i] = t.c;
}

// race: write drawn, write drawn; global; warp
__global__ void two_drawn(curandState *states, float2 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState own = states[i];
  float2 pair = curand_normal2(&own);
  states[i] = own;
  y[i / 2] = make_float2(pair.y, pair.x);  // drawn
}

// race: write item, write item; global; warp
__global__ void loaded(const float *in, float *y) {
  typedef cub::BlockLoad<float, 64, 2> Load;
  __shared__ typename Load::TempStorage storage;
  float items[2];
  Load(storage).Load(in + blockIdx.x * 128, items);
  y[blockIdx.x * 64 + threadIdx.x / 2] = items[1];  // item
}

__device__ void fill(float *own, int *number, bool *flag);

// race: write given, write given; global; warp
__global__ void filled_without_a_body(float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n;
  float v;
  bool f;
  fill(&v, &n, &f);
  y[i / 2] = f ? v : v + 1;  // given
}

// race: write never, write never; global; warp
__global__ void uninitialised(float *y) {
  float v[2];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i / 2] = v[1];  // never
}

// race: write pick, write pick; global; warp
__global__ void element_at_run_time(const float *x, float *y, const int *at) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[4];
  for (int j = 0; j < 4; j++) v[j] = x[4 * i + j];
  y[i / 2] = v[at[0] & 3];  // pick
}

int main() {
  float *x, *y;
  double *d;
  int *n;
  curandState *states;
  cudaMalloc(&x, 8192 * 4);
  cudaMalloc(&y, 8192 * 4);
  cudaMalloc(&d, 8192 * 8);
  cudaMalloc(&n, 8192 * 4);
  cudaMalloc(&states, 512 * sizeof(curandState));
  float2 *pairs;
  cudaMalloc(&pairs, 512 * 8);
  double *e;
  cudaMalloc(&e, 8192 * 8);
  branch_on_a_sine<<<8, 64>>>(x, n);
  branch_on_the_same_sine<<<8, 64>>>(0.5f, n);
  whole_part<<<8, 64>>>(d, e);
  whole_part_of_one<<<8, 64>>>(2.5, e);
  exponent<<<8, 64>>>(x, n);
  members_by_reference<<<8, 64>>>(x, y);
  members_in_their_places<<<8, 64>>>(x, y);
  two_drawn<<<8, 64>>>(states, pairs);
  loaded<<<8, 64>>>(x, y);
  filled_without_a_body<<<8, 64>>>(y);
  uninitialised<<<8, 64>>>(y);
  element_at_run_time<<<8, 64>>>(x, y, n);
}
"""

test_kernel = verdicts(SOURCE)
