"""Variables in shared memory that hold one value only, such as where the row of a block begins."""

from tests.checking import verdicts

SOURCE = """
// safe: 3 of 3 pairs
__global__ void row_of_a_block(float *a) {
  __shared__ float *row;
  if (threadIdx.x == 0) row = a + blockIdx.x * 64;
  __syncthreads();
  if (threadIdx.x < 64) row[threadIdx.x] = threadIdx.x;
}

// race: write own, write own; global; grid
__global__ void rows_that_overlap(float *a) {
  __shared__ float *row;
  if (threadIdx.x == 0) row = a + blockIdx.x * 63;
  __syncthreads();
  if (threadIdx.x < 64) row[threadIdx.x] = blockIdx.x;  // own
}

// safe: 3 of 3 pairs
__global__ void first_of_a_block(int *a) {
  __shared__ int first;
  if (threadIdx.x == 0) first = blockIdx.x * blockDim.x;
  __syncthreads();
  a[first + threadIdx.x] = threadIdx.x;
}

// race: read next, write row; global; grid
__global__ void row_and_array_are_one(float *a, float *b) {
  __shared__ float *row;
  if (threadIdx.x == 0) row = a + blockIdx.x * blockDim.x;
  __syncthreads();
  row[threadIdx.x] = 1;  // row
  b[blockIdx.x * blockDim.x + threadIdx.x] = a[(blockIdx.x + 1) * blockDim.x + threadIdx.x];  // next
}

// race: read used, write set; shared; warp block
// race: write used, write used; global; grid
__global__ void used_before_it_is_set(float *a) {
  __shared__ float *row;
  if (threadIdx.x == 0) row = a + blockIdx.x;  // set
  row[threadIdx.x] = blockIdx.x;  // used
}

// open: write own, write own; global; grid: it depends on values that the kernel computes: row[]
__global__ void one_of_two_rows(float *a, int n) {
  __shared__ float *row;
  if (threadIdx.x == 0) row = a + blockIdx.x * 64;
  if (n == 3 && threadIdx.x == 0) row = a + (gridDim.x - 1 - blockIdx.x) * 64;
  __syncthreads();
  if (threadIdx.x < 64) row[threadIdx.x] = blockIdx.x;  // own
}

// open: write own, write own; global; grid: it depends on values that the kernel computes: first[]
__global__ void first_is_counted_up(int *a) {
  __shared__ int first;
  if (threadIdx.x == 0) first = blockIdx.x * blockDim.x;
  __syncthreads();
  atomicAdd(&first, 1);
  __syncthreads();
  a[first + threadIdx.x] = blockIdx.x;  // own
}

// open: write own, write own; global; grid: it depends on values that the kernel computes: first[]
__global__ void first_of_each_round(int *a, int n) {
  __shared__ int first;
  for (int i = 0; i < n; i++) {
    if (threadIdx.x == 0) first = (blockIdx.x + i * gridDim.x) * blockDim.x;
    __syncthreads();
    a[first + threadIdx.x] = blockIdx.x;  // own
    __syncthreads();
  }
}

// open: write own, write own; global; grid: it depends on values that the kernel computes: first[]
__global__ void first_by_an_alias(int *a, int n) {
  __shared__ int first;
  int *known = &first;
  if (threadIdx.x == 0) first = blockIdx.x * blockDim.x;
  if (threadIdx.x == 0) *known = n;
  __syncthreads();
  a[first + threadIdx.x] = blockIdx.x;  // own
}

// open: write own, write own; global; grid: it depends on values that the kernel computes: first[]
__global__ void first_in_two_halves(int *a, int n) {
  __shared__ int first;
  if (threadIdx.x == 0) first = blockIdx.x * blockDim.x;
  if (threadIdx.x == 0) ((short *)&first)[1] = n;
  __syncthreads();
  a[first + threadIdx.x] = blockIdx.x;  // own
}

// safe: 5 of 5 pairs
__global__ void row_by_way_of_another(float *a) {
  __shared__ float *table, *row;
  if (threadIdx.x == 0) {
    table = a + 256;
    row = table + blockIdx.x * 64;
  }
  __syncthreads();
  if (threadIdx.x < 64) row[threadIdx.x] = threadIdx.x;
}
"""

SET_ONCE = """
__device__ int next;

// safe: 11 of 11 pairs
__global__ void rows_in_order_of_tickets(int *sums, int *done, int *a) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(&next, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (row > 0) {
      while (atomicAdd(&done[row - 1], 0) == 0) {}
      __threadfence();
      before = sums[row - 1];
    }
    sums[row] = before + 1;
    __threadfence();
    atomicExch(&done[row], 1);
  }
  __syncthreads();
  a[row * 64 + threadIdx.x] = row;
}

// open: read before, write own; global; grid: it depends on values that the kernel computes: row[]
// open: write own, write own; global; grid: it depends on values that the kernel computes: row[]
__global__ void rows_that_two_threads_draw(int *sums, int *done) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(&next, 1);
  __syncthreads();
  if (threadIdx.x == 1) row = row + 1;
  __syncthreads();
  if (threadIdx.x == 0 && row > 0) {
    while (atomicAdd(&done[row - 1], 0) == 0) {}
    __threadfence();
    int before = sums[row - 1];  // before
    sums[row] = before + 1;  // own
    __threadfence();
    atomicExch(&done[row], 1);
  }
}

// race: write differs, write differs; global; warp block grid (data-dependent)
__global__ void two_threads_one_after_the_other(int *lock, int *a) {
  __shared__ int mine;
  while (atomicCAS(&lock[blockIdx.x], 0, 1)) {}
  __threadfence();
  if (threadIdx.x < 2) mine = threadIdx.x;
  int first = mine;
  __threadfence();
  atomicExch(&lock[blockIdx.x], 0);
  while (atomicCAS(&lock[blockIdx.x], 0, 1)) {}
  __threadfence();
  int second = mine;
  __threadfence();
  atomicExch(&lock[blockIdx.x], 0);
  if (first != second) a[0] = threadIdx.x;  // differs
}

// safe: 3 of 3 pairs
__global__ void the_last_of_a_block(int *a) {
  __shared__ bool last;
  if (threadIdx.y * blockDim.x + threadIdx.x == 0) last = blockIdx.x == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0 && threadIdx.y == 0) a[0] = blockIdx.x;
}

int main() {
  int *a, *sums, *done;
  cudaMalloc(&a, 4096);
  cudaMalloc(&sums, 4096);
  cudaMalloc(&done, 4096);
  cudaMemset(done, 0, 4096);
  rows_in_order_of_tickets<<<16, 64>>>(sums, done, a);
  rows_that_two_threads_draw<<<16, 64>>>(sums, done);
  two_threads_one_after_the_other<<<16, 64>>>(done, a);
  the_last_of_a_block<<<16, dim3(8, 8)>>>(a);
}
"""

test_verdict = verdicts(SOURCE)
test_set_once = verdicts(SET_ONCE)
