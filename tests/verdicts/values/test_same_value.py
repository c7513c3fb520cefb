"""Two writes of the same value: in the same place, by the same computation on the same operands."""

from tests.checking import verdicts

SOURCE = """
// note: write length, write length; global; warp block
// safe: 0 of 1 pairs
__global__ void converted(const int *start, float *work) {
  int row = blockIdx.x;
  work[row] = (float)(start[row + 1] - start[row]);  // length
}

// race: write index, write index; global; warp block
__global__ void converted_from_what_differs(const int *start, float *work) {
  int row = blockIdx.x;
  work[row] = (float)(start[row + 1] - start[row] + threadIdx.x);  // index
}

// note: write sum, write sum; global; warp block
// safe: 0 of 1 pairs
__global__ void sum_of_the_same(const float *a, const int *b, float *sum, float scale) {
  int row = blockIdx.x;
  sum[row] = sqrtf(a[row] * scale) + a[b[row]];  // sum
}

// race: write bytes, write bytes; global; warp block grid
__global__ void array_that_is_called_record(const int *record, char *a) {
  *(int *)(a + threadIdx.x) = record[0];  // bytes
}

// race: write other, write other; global; warp block
__global__ void sum_of_another(const float *a, const int *b, float *sum, float scale) {
  int row = blockIdx.x;
  sum[row] = sqrtf(a[row] * scale) + a[threadIdx.x];  // other
}

// race: write plus, write times; global; warp
__global__ void another_sum(const float *a, float *sum) {
  int row = blockIdx.x;
  if (threadIdx.x == 0) sum[row] = a[row] + 2;  // plus
  else if (threadIdx.x == 1) sum[row] = a[row] * 2;  // times
}

// note: write vector, write vector; global; warp block
// safe: 0 of 1 pairs
__global__ void vector_of_the_same(const int *a, float2 *out) {
  int row = blockIdx.x;
  out[row] = make_float2(a[row], 3 * a[row]);  // vector
}

// note: write one, write one; global; warp block grid
// safe: 0 of 1 pairs
__global__ void ones_in_one_place(short *a) {
  *a = 1;  // one
}

// race: write ones, write ones; global; warp block grid
__global__ void ones_at_every_byte(char *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  *(short *)(a + i) = 1;  // ones
}

// note: write zeros, write zeros; global; warp block grid
// safe: 0 of 1 pairs
__global__ void zeros_at_every_byte(char *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  *(short *)(a + i) = 0;  // zeros
}

// race: write narrow, write wide; global; warp
__global__ void one_and_the_same_number(char *a) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *(float *)a = 1.0f;  // narrow
  if (threadIdx.x == 1 && blockIdx.x == 0) *(double *)a = 1.0;  // wide
}

// race: write single, write twice; global; warp
__global__ void a_product_in_double_precision(double *a, float x, float y) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a = x * y;  // single
  if (threadIdx.x == 1 && blockIdx.x == 0) *a = (double)x * (double)y;  // twice
}

// note: write product, write widened; global; warp
// safe: 2 of 3 pairs
__global__ void a_product_in_single_precision(double *a, float x, float y) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a = x * y;  // product
  if (threadIdx.x == 1 && blockIdx.x == 0) *a = (double)(x * y);  // widened
}

// race: write after, write before; global; warp
__global__ void rounded_before_or_after(float *a, double x, double y) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a = (float)x + (float)y;  // before
  if (threadIdx.x == 1 && blockIdx.x == 0) *a = (float)(x + y);  // after
}

// race: write sine, write sinf; global; warp
__global__ void a_sine_in_double_precision(double *a, float x) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a = sinf(x);  // sinf
  if (threadIdx.x == 1 && blockIdx.x == 0) *a = sin((double)x);  // sine
}

// race: write double_n, write float_n; global; warp
__global__ void an_integer_that_float_rounds(double *a, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a = n;  // double_n
  if (threadIdx.x == 1 && blockIdx.x == 0) *a = (float)n;  // float_n
}

// note: write double_s, write float_s; global; warp
// safe: 2 of 3 pairs
__global__ void an_integer_that_float_has(double *a, short n) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a = n;  // double_s
  if (threadIdx.x == 1 && blockIdx.x == 0) *a = (float)n;  // float_s
}

// note: write zero, write zero; global; warp block grid
// safe: 0 of 1 pairs
__global__ void a_zero_at_every_byte(char *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  *(float *)(a + i) = 0.0;  // zero
}

// note: write row_of_all, write row_of_all; shared; warp block
// safe: 0 of 1 pairs
__global__ void one_row_of_two(int *a, int *b, int n) {
  __shared__ int *row;
  if (n > 3) row = (n & 1 ? a : b) + blockIdx.x;  // row_of_all
}

// note: write turned, write turned; shared; warp block
// safe: 2 of 3 pairs
__global__ void a_row_that_the_block_has_agreed_on(int *out, int n) {
  __shared__ int one[64], other[64], which;
  __shared__ int *row;
  if (threadIdx.x == 0) which = n;
  __syncthreads();
  int mine = which;
  __syncthreads();
  if (mine == 1) row = one;  // turned
}

// race: write row_of_one, write row_of_one; shared; warp block
__global__ void a_row_for_each_thread(int *a) {
  __shared__ int *row;
  row = a + threadIdx.x;  // row_of_one
}

// race: write even_row, write odd_row; shared; warp block
// note: write even_row, write even_row; shared; warp block
// note: write odd_row, write odd_row; shared; warp block
__global__ void a_row_for_every_second_thread(int *a, int *b) {
  __shared__ int *row;
  if (threadIdx.x & 1) row = a;  // odd_row
  else row = b;  // even_row
}

// race: write chosen, write chosen; shared; warp block
__global__ void a_row_that_threads_choose(int *a, int *b) {
  __shared__ int *row;
  row = threadIdx.x & 1 ? a : b;  // chosen
}

// race: write own, write own; shared; warp block
__global__ void memory_of_the_thread() {
  __shared__ int *row;
  int mine[4];
  row = mine;  // own
}
"""

test_verdict = verdicts(SOURCE)
