"""Tables that are declared const: their contents are what they are declared with, wherever they stand."""

from tests.checking import verdicts

SOURCE = """
constexpr int host_swap[4] = {2, 3, 0, 1};
__device__ const int swap[4] = {2, 3, 0, 1};
__device__ constexpr int clash[4] = {2, 3, 2, 1};
__device__ int by[4] = {2, 3, 0, 1};

// safe: 1 of 1 pairs
__global__ void of_the_host(int *a) {
  a[(threadIdx.x & ~3) + host_swap[threadIdx.x & 3]] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void of_the_device(int *a) {
  a[(threadIdx.x & ~3) + swap[threadIdx.x & 3]] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void of_the_kernel(int *a) {
  static const int own[4] = {1, 2, 3, 0};
  a[(threadIdx.x & ~3) + own[threadIdx.x & 3]] = threadIdx.x;
}

// race: write twice, write twice; global; warp
__global__ void with_one_number_twice(int *a) {
  a[(threadIdx.x & ~3) + clash[threadIdx.x & 3]] = threadIdx.x;  // twice
}

// safe: 0 of 0 pairs
__global__ void change(int i, int to) { by[i] = to; }

// open: write one, write one; global; warp block: it depends on values that the program computes: by (program.cu:43)
__global__ void not_const(int *a) {
  a[(threadIdx.x & ~3) + by[threadIdx.x & 3]] = threadIdx.x;  // one
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 128 * sizeof(int));
  of_the_host<<<1, 128>>>(a);
  of_the_device<<<1, 128>>>(a);
  of_the_kernel<<<1, 128>>>(a);
  with_one_number_twice<<<1, 128>>>(a);
  change<<<1, 1>>>(argc & 3, argc);
  not_const<<<1, 128>>>(a);
}
"""

test_kernel = verdicts(SOURCE)

RECORDS = """
struct Shape { short columns; bool by_row; int pitch; };
static const Shape shapes[3] = {{200, true, 200}, {160, false, 200}, {40, true, 64}};
static const Shape narrow[3] = {{200, true, 200}, {160, false, 159}, {40, true, 64}};

// safe: 1 of 1 pairs
__global__ void rows(int *a, int columns, int pitch) {
  if (threadIdx.x < columns) a[blockIdx.x * pitch + threadIdx.x] = blockIdx.x;
}

// race: write short, write short; global; grid
__global__ void rows_of_one_that_is_too_narrow(int *a, int columns, int pitch) {
  if (threadIdx.x < columns) a[blockIdx.x * pitch + threadIdx.x] = blockIdx.x;  // short
}

int main(int argc, char **argv) {
  int *a, which = argc & 3;
  if (which == 3) return 1;
  cudaMalloc(&a, 20 * 200 * sizeof(int));
  const Shape &wide = shapes[which], &other = narrow[which];
  rows<<<20, 256>>>(a, wide.columns, wide.by_row ? wide.pitch : 200);
  rows_of_one_that_is_too_narrow<<<20, 256>>>(a, other.columns, other.pitch);
}
"""

test_members_of_one_record = verdicts(RECORDS)

KERNELS = """
// safe: 1 of 1 pairs
__global__ void by_row(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x % 100] = blockIdx.x; }

// race: write columns, write columns; global; grid
__global__ void by_column(int *a, int pitch) { a[blockIdx.x * pitch + threadIdx.x] = blockIdx.x; }  // columns

struct Entry { const char *name; void (*kernel)(int *, int); int pitch; };
static const Entry entries[] = {{"row", by_row, PITCH}, {"column", by_column, 99}};

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 20 * 128 * sizeof(int));
  const Entry &entry = entries[argc & 1];
  entry.kernel<<<20, 100>>>(a, entry.pitch);
}
"""

test_kernel_of_its_record = verdicts(KERNELS.replace("PITCH", "100"))
