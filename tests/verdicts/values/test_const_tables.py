"""Tables that are declared const: their contents are what they are declared with, wherever they stand."""

from tests.checking import verdicts

SOURCE = """
constexpr int host_swap[4] = {2, 3, 0, 1};
__device__ const int swap[4] = {2, 3, 0, 1};
__device__ constexpr int clash[4] = {2, 3, 2, 1};
__device__ int changing[4] = {2, 3, 0, 1};

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

// race: write maybe, write maybe; global; warp block (data-dependent)
__global__ void not_const(int *a) {
  a[(threadIdx.x & ~3) + changing[threadIdx.x & 3]] = threadIdx.x;  // maybe
}

int main() {
  int *a;
  cudaMalloc(&a, 128 * sizeof(int));
  of_the_host<<<1, 128>>>(a);
  of_the_device<<<1, 128>>>(a);
  of_the_kernel<<<1, 128>>>(a);
  with_one_number_twice<<<1, 128>>>(a);
  not_const<<<1, 128>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
