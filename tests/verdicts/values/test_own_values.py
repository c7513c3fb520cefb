"""What a thread has just stored itself is what it finds, as long as nothing has raced: in tests around loops, too."""

from tests.checking import verdicts

SOURCE = """
// note: read in, write all; global; warp block grid
// note: write all, write all; global; warp block grid
// safe: 1 of 3 pairs
__global__ void read_in_all_iterations(int *a, int *step, int n) {
  int sum = 0;
  *step = n;  // all
  for (int i = 0; i < n; i++) sum += *step;  // in
  a[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// note: write all, write all; global; warp block grid
// race: read in, write again; global; warp block grid
// race: read in, write all; global; warp block grid
// race: write again, write again; global; warp block grid
// race: write again, write all; global; warp block grid
__global__ void read_where_iterations_write(int *a, int *step, int n) {
  int sum = 0;
  *step = n;  // all
  for (int i = 0; i < n; i++) {
    sum += *step;  // in
    *step = i;  // again
  }
  a[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// note: write none, write none; shared; warp block
// note: read test, write none; shared; warp block (data-dependent)
// note: write one, write one; shared; warp block (data-dependent)
// race: read last, write none; shared; warp block (unless n > 0)
__global__ void search(int *out, const int *in, int n) {
  __shared__ bool found;
  found = false;  // none
  for (int c = 0; c * 256 < n && !found; c++) {  // test
    int i = c * 256 + threadIdx.x;
    __syncthreads();
    if (i < n && in[i] > 1) found = true;  // one
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;  // last
}

// note: write none, write none; shared; warp block
// note: read test, write none; shared; warp block (data-dependent)
// note: write one, write one; shared; warp block (data-dependent)
// safe: 5 of 8 pairs
__global__ void search_something(int *out, const int *in) {
  __shared__ bool found;
  found = false;  // none
  for (int c = 0; c < 4 && !found; c++) {  // test
    int i = c * 256 + threadIdx.x;
    __syncthreads();
    if (in[i] > 1) found = true;  // one
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

// race: write first, write first; shared; warp block
// race: read test, write first; shared; warp block (data-dependent)
// note: write one, write one; shared; warp block (data-dependent)
__global__ void not_the_same_value(int *out, const int *in) {
  __shared__ bool found;
  found = threadIdx.x == 7;  // first
  for (int c = 0; c < 4 && !found; c++) {  // test
    int i = c * 256 + threadIdx.x;
    __syncthreads();
    if (in[i] > 1) found = true;  // one
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;  // last
}

// race: read test, write none; shared; warp block (data-dependent)
// race: read last, write none; shared; warp (data-dependent)
// note: write one, write one; shared; warp block (data-dependent)
__global__ void one_thread_alone_stores_it(int *out, const int *in) {
  __shared__ bool found;
  if (threadIdx.x == 1) found = false;  // none
  for (int c = 0; c < 4 && !found; c++) {  // test
    int i = c * 256 + threadIdx.x;
    __syncthreads();
    if (in[i] > 1) found = true;  // one
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;  // last
}

// note: write none, write none; shared; warp block
// race: read test, write none; shared; warp block (data-dependent)
// race: read last, write none; shared; warp block (data-dependent)
// race: read test, write one; shared; warp block (data-dependent)
// race: read last, write one; shared; warp block (data-dependent)
// note: write one, write one; shared; warp block (data-dependent)
// race: write none, write one; shared; warp block (data-dependent)
__global__ void stored_again_before_the_loop(int *out, const int *in) {
  __shared__ bool found;
  found = false;  // none
  if (in[threadIdx.x] > 1) found = true;  // one
  for (int c = 0; c < 4 && !found; c++) {  // test
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;  // last
}

// note: write none, write none; shared; warp block
// note: write one, write one; shared; warp block (data-dependent)
// note: read test, write none; shared; warp block (data-dependent)
// race: read test, write one; shared; warp block (data-dependent)
__global__ void later_iterations_read_what_others_store(int *out, const int *in) {
  __shared__ bool found;
  found = false;  // none
  for (int c = 0; c < 4 && !found; c++) {  // test
    __syncthreads();
    if (in[c * 256 + threadIdx.x] > 1) found = true;  // one
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

// race: write signed, write signed; global; warp block grid (data-dependent)
__global__ void of_another_sign(int *out) {
  __shared__ unsigned char b[256];
  b[threadIdx.x] = 255;
  if (((signed char *)b)[threadIdx.x] < 0) out[0] = threadIdx.x;  // signed
}

// race: write large, write large; global; warp block grid (data-dependent)
__global__ void of_another_sign_in_the_test_of_a_loop(int *out) {
  __shared__ int b[256];
  b[threadIdx.x] = -1;
  for (int i = 0; i < 3 && ((unsigned *)b)[threadIdx.x] > 2; i++) out[0] = threadIdx.x;  // large
}

union Either { int i; unsigned u; };
// race: write large, write large; global; warp block grid (data-dependent)
__global__ void another_member(int *out) {
  __shared__ Either b[256];
  b[threadIdx.x].i = -1;
  if (b[threadIdx.x].u > 3) out[0] = threadIdx.x;  // large
}

// race: write true, write true; global; warp block grid (data-dependent)
__global__ void two_as_a_truth_value(int *out) {
  __shared__ unsigned char b[256];
  b[threadIdx.x] = 2;
  if (((bool *)b)[threadIdx.x]) out[0] = threadIdx.x;  // true
}

// safe: 3 of 3 pairs
__global__ void a_number_that_both_types_have(int *out) {
  __shared__ unsigned b[256];
  b[threadIdx.x] = 1;
  if (((int *)b)[threadIdx.x] > 1) out[0] = threadIdx.x;
}
"""

test_kernel = verdicts(SOURCE)
