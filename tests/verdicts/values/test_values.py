"""What is written where: equal values, overlapping bytes, places that memory contents decide."""

from tests.checking import verdicts

SOURCE = """
__device__ void put(int *cell, int what) {
  *cell = what;  // put
}

// race: write put, write put; global; warp block grid
__global__ void two_calls_of_one_function(int *a, int n) {
  put(a, 16);
  put(a, n);
}

// In double precision, 1 / 49.0 * 49.0 is less than 1.
// race: write place, write place; global; warp (data-dependent)
__global__ void divided_and_multiplied(int *a) {
  int t = threadIdx.x;
  if (blockIdx.x == 0 && t < 2) a[(int)(t / 49.0 * 49.0)] = t;  // place
}

// safe: 1 of 1 pairs
__global__ void halved_and_doubled(int *a) {
  int t = threadIdx.x;
  if (blockIdx.x == 0 && t < 2) a[(int)(t / 2.0 * 2.0)] = t;
}

// note: write put, write put; global; warp block grid
// safe: 0 of 3 pairs
__global__ void two_calls_with_one_value(int *a, int n) {
  put(a, n);
  put(a, n);
}

// note: write flag, write flag; global; warp block grid
// safe: 0 of 1 pairs
__global__ void raise_a_flag(int *flag) {
  *flag = 1;  // flag
}

// note: write own, write own; global; warp block
// safe: 0 of 1 pairs
__global__ void one_value_for_each_block(int *a) {
  a[blockIdx.x] = blockIdx.x;  // own
}

// note: write flag, write flag; global; warp block grid
// note: read look, write flag; global; warp block grid
// safe: 0 of 2 pairs
__global__ void look_at_ones_own_flag(int *flag, int value) {
  *flag = value;  // flag
  int v = *flag;  // look
}

// note: write flag, write flag; global; warp block grid
// race: read look, write flag; global; warp block grid
__global__ void look_at_the_flag_of_another(int *flag, int value) {
  int v = *flag;  // look
  *flag = value;  // flag
}

// race: write flag, write flag; global; warp block grid
// race: read look, write flag; global; warp block grid
__global__ void look_at_ones_own_number(int *flag) {
  *flag = threadIdx.x + blockIdx.x;  // flag
  int v = *flag;  // look
}

// race: write first, write first; global; warp block grid
__global__ void another_value_for_each_block(int *a) {
  a[0] = blockIdx.x;  // first
}

// race: write flag, write flag; global; warp block grid
__global__ void raise_different_flags(int *flag) {
  *flag = threadIdx.x;  // flag
}

// note: write flag, write flag; global; warp block grid
// safe: 0 of 1 pairs
__global__ void a_parameter_is_one_value(float *flag, float value) {
  *flag = 2 * value;  // flag
}

// race: write down, write up; global; warp block grid
// note: write up, write up; global; warp block grid
// note: write down, write down; global; warp block grid
__global__ void up_and_down(int *flag) {
  if (threadIdx.x % 2) *flag = 1;  // up
  else *flag = 0;  // down
}

// race: read flag, write flag; global; warp block grid (data-dependent)
// note: write flag, write flag; global; warp block grid (data-dependent)
__global__ void read_and_write_one(int *flag) {
  if (*flag == 0) *flag = 1;  // flag
}

// race: write byte, write byte; global; warp block grid
__global__ void bits_of_one_byte(unsigned char *bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bits[i / 8] = 1 << i % 8;  // byte
}

// race: read word, write byte; global; warp block grid
__global__ void char_against_int(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i / 4 + 1];  // word
  ((char *)a)[i] = v;  // byte
}

// safe: 2 of 2 pairs
__global__ void char_in_ones_own_int(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i];
  ((char *)a)[4 * i + 3] = v;
}

// race: read third, write four; global; warp block grid
__global__ void float4_against_float(float4 *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = ((float *)a)[i + 3];  // third
  a[i] = make_float4(v, v, v, v);  // four
}

// safe: 2 of 2 pairs
__global__ void float4_against_its_float(float4 *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = ((float *)a)[4 * i + 3];
  a[i] = make_float4(v, v, v, v);
}

// race: write unaligned, write unaligned; global; warp block grid
__global__ void words_on_bytes(char *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  *(short *)(a + i) = i;  // unaligned
}

// race: write scatter, write scatter; global; warp block grid (unless distinct(where))
__global__ void scatter(int *out, const int *where) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[where[i]] = i;  // scatter
}

// safe: 1 of 1 pairs
__global__ void gather(int *out, const int *where, const int *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[where[i]];
}

// safe: 1 of 1 pairs
__global__ void one_index_for_one_thread(int *out, const int *where) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int rows = gridDim.x * blockDim.x;
  int column = where[i];
  if (column >= 0) out[column * rows + i] = i;
}

// safe: 1 of 1 pairs
__global__ void only_where_marked(int *out, const int *mark) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mark[i] == i) out[mark[i]] = i;
}

// race: write marked, write marked; global; warp block grid (unless distinct(mark))
__global__ void where_marked_otherwise(int *out, const int *mark) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mark[i] != i) out[mark[i]] = i;  // marked
}

// race: read link, write own; global; warp block grid (data-dependent)
__global__ void follow_links(int *parent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int p = parent[i];
  int g = parent[p];  // link
  parent[i] = g;  // own
}
"""

test_kernel = verdicts(SOURCE)
