"""Binary semaphores of libcu++: who has acquired one excludes the others until it is released, as far as its scope."""

from tests.checking import verdicts

SOURCE = """
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> one{1};
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 1> other{1};
__device__ cuda::binary_semaphore<cuda::thread_scope_block> narrow{1};
__device__ int sum;

// safe: 2 of 2 pairs
__global__ void each_block_adds(const int *in) {
  if (threadIdx.x == 0) {
    one.acquire();
    sum += in[blockIdx.x];  // add
    one.release();
  }
}

// safe: 2 of 2 pairs
__global__ void who_gets_it_adds(const int *in) {
  if (threadIdx.x == 0 && one.try_acquire()) {
    sum += in[blockIdx.x];  // add
    one.release();
  }
}

// race: read add, write add; global; grid
// race: write add, write add; global; grid
__global__ void released_too_early(const int *in) {
  if (threadIdx.x == 0) {
    one.acquire();
    one.release();
    sum += in[blockIdx.x];  // add
  }
}

// race: read add, write add; global; grid
// race: write add, write add; global; grid
__global__ void whether_it_got_it_or_not(const int *in) {
  if (threadIdx.x == 0) {
    bool got = other.try_acquire();
    sum += in[blockIdx.x];  // add
    if (got) other.release();
  }
}

// race: atomic give, atomic give; global; grid
// race: atomic give, atomic take; global; grid (data-dependent)
// race: atomic take, atomic take; global; grid (data-dependent)
// race: read add, write add; global; grid
// race: write add, write add; global; grid
__global__ void of_blocks_between_blocks(const int *in) {
  if (threadIdx.x == 0) {
    narrow.acquire();  // take
    sum += in[blockIdx.x];  // add
    narrow.release();  // give
  }
}

struct door {
  __device__ void acquire() {}
  __device__ void release(int by = 1) {}
};
__device__ void wait(door *d) {}

// race: read add, write add; global; grid
// race: write add, write add; global; grid
__global__ void what_the_program_calls_so(const int *in) {
  if (threadIdx.x == 0) {
    door d;
    d.acquire();
    wait(&d);
    sum += in[blockIdx.x];  // add
    d.release();
  }
}

int *memory() {
  int *p;
  cudaMalloc(&p, 1 << 20);
  return p;
}
int main() {
  each_block_adds<<<8, 32>>>(memory());
  who_gets_it_adds<<<8, 32>>>(memory());
  released_too_early<<<8, 32>>>(memory());
  whether_it_got_it_or_not<<<8, 32>>>(memory());
  of_blocks_between_blocks<<<8, 32>>>(memory());
  what_the_program_calls_so<<<8, 32>>>(memory());
}
"""

test_kernel = verdicts(SOURCE)
