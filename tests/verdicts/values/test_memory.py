"""Kinds of memory and ways to reach it: dynamic, constant, volatile, through tables, through other pointers."""

from pathlib import Path

from tests.checking import check, verdicts

SOURCE = """
__constant__ int table[64];
__device__ int counter, counters[64];
struct Node { int value; Node *next; };
struct Matrix { int rows, columns; float *data; };
struct Grid { Matrix layers[2]; };

// race: read other, write own; shared; warp block
__global__ void dynamic_shared(int *out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;  // own
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // other
}

// safe: 8 of 8 pairs
__global__ void two_arrays_in_one(int *out) {
  extern __shared__ int memory[];
  int *low = memory, *high = memory + blockDim.x;
  low[threadIdx.x] = 1;
  high[threadIdx.x] = 2;
  out[blockIdx.x * blockDim.x + threadIdx.x] = low[threadIdx.x] + high[threadIdx.x];
}

// race: write high, write low; shared; warp block
__global__ void two_arrays_that_overlap(int *out) {
  extern __shared__ int memory[];
  int *low = memory, *high = memory + blockDim.x / 2;
  low[threadIdx.x] = 1;  // low
  high[threadIdx.x] = 2;  // high
}

// safe: 1 of 1 pairs
__global__ void constant_memory(int *out) {
  int t = threadIdx.x % 64;
  out[blockIdx.x * blockDim.x + threadIdx.x] = table[t];
}

// race: write count, write count; global; warp block grid
// race: read count, write count; global; warp block grid
__global__ void device_variable() {
  counter += 1;  // count
}

// race: read polled, write set; global; block grid
// note: write set, write set; global; grid
__global__ void volatile_is_no_order(volatile int *flags, int *out) {
  if (threadIdx.x == 32) flags[0] = 1;  // set
  if (threadIdx.x == 0) out[blockIdx.x] = flags[0];  // polled
}

// safe: 2 of 2 pairs
__global__ void const_restrict(float *__restrict__ y, const float *__restrict__ x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + 1] + y[i];
}

// safe: 1 of 1 pairs
__global__ void pointer_in_a_struct(Matrix m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m.rows * m.columns) m.data[i] = 0;
}

// safe: 2 of 2 pairs
__global__ void pointers_in_an_array_of_structs(Grid g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  g.layers[0].data[i] = 0;
  g.layers[1].data[i + 1] = 0;
}

// race: write cell, write cell; global; warp grid (data-dependent)
__global__ void pointer_from_memory(Matrix *m) {
  m[blockIdx.x].data[threadIdx.x / 2] = threadIdx.x;  // cell
}

// race: write cell, write cell; global; warp block grid (data-dependent)
__global__ void rows_by_pointer(float **rows) {
  rows[threadIdx.x][blockIdx.x] = threadIdx.x;  // cell
}

// race: write touch, write touch; global; warp block grid (data-dependent)
__global__ void linked_list(Node *nodes) {
  Node *n = &nodes[blockIdx.x * blockDim.x + threadIdx.x];
  Node *next = n->next;
  next->value = n->value + 1;  // touch
}

// safe: 1 of 1 pairs
__global__ void shared_record(int *out) {
  __shared__ Matrix m;
  if (threadIdx.x == 0) m.rows = 7;
}

// race: write rows, write rows; shared; warp block
__global__ void shared_record_by_all(int *out) {
  __shared__ Matrix m;
  m.rows = threadIdx.x;  // rows
}

// race: write corner, write corner; shared; block
__global__ void three_dimensions() {
  __shared__ int cube[8][8][8];
  int x = threadIdx.x % 8, y = threadIdx.x / 8 % 8;
  cube[y][y][x] = threadIdx.x;  // corner
}

// safe: 1 of 1 pairs
__global__ void three_dimensions_in_full() {
  __shared__ int cube[8][8][8];
  int x = threadIdx.x % 8, y = threadIdx.x / 8 % 8, z = threadIdx.x / 64;
  cube[z][y][x] = threadIdx.x;
}

// race: read here, write there; global; warp block grid
// race: write there, write there; global; block grid
__global__ void array_of_the_device() {
  int t = threadIdx.x;
  int v = counters[(t + 1) % 64];  // here
  counters[t % 64] = v;  // there
}
"""

test_kernel = verdicts(SOURCE)


def test_that_arguments_do_not_overlap_is_an_assumption(tmp_path: Path):
    source = "__global__ void k(int *a, int *b) { a[threadIdx.x + blockDim.x * blockIdx.x] = b[threadIdx.x]; }"
    launch = check(tmp_path, source).kernels[0].launches[0]
    assert "the memory behind b, a does not overlap" in [use.text for use in launch.assumptions]
