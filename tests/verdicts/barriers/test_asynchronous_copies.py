"""Asynchronous copies: they go on until they are waited for, and are seen by others behind a barrier after that."""

from tests.checking import verdicts

SOURCE = """
#include <cuda_pipeline.h>

// safe: 6 of 6 pairs
__global__ void waited_for(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[127 - t];
}

// race: read take, write copy; shared; block
__global__ void without_a_barrier(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], 4);  // copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[blockIdx.x * 128 + t] = s[127 - t];  // take
}

// race: read take, write copy; shared; block
__global__ void waited_for_behind_the_barrier(const int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], 4);  // copy
  __pipeline_commit();
  __syncthreads();
  if (t < 64) out[blockIdx.x * 128 + t] = s[127 - t];  // take
  __syncthreads();
  __pipeline_wait_prior(0);
}

// race: read take, write copy; shared; block
__global__ void not_committed(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], 4);  // copy
  __pipeline_wait_prior(0);
  __syncthreads();
  if (t < 64) out[blockIdx.x * 128 + t] = s[127 - t];  // take
}

// safe: 21 of 21 pairs
__global__ void the_first_of_two(const int *in, int *out) {
  __shared__ int s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[blockIdx.x * 128 + t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], &in[blockIdx.x * 128 + t + 4096], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[0][127 - t];
}

// race: read take, write copy; shared; block
__global__ void the_second_of_two(const int *in, int *out) {
  __shared__ int s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[blockIdx.x * 128 + t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], &in[blockIdx.x * 128 + t + 4096], 4);  // copy
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  if (t < 64) out[blockIdx.x * 128 + t] = s[1][127 - t];  // take
}

// open: the thread uses what its own asynchronous copy may not have brought yet
__global__ void its_own_copy(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 128 + t], 4);
  __pipeline_commit();
  out[blockIdx.x * 128 + t] = s[t];
}

// open: the thread uses what its own asynchronous copy may not have brought yet
__global__ void one_place_twice(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    __pipeline_memcpy_async(&s[i & 1][t], &in[i * 128 + t], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(0);
  out[blockIdx.x * 128 + t] = s[0][t];
}

// open: an asynchronous copy that goes on at the border of a loop
// open: the thread uses what its own asynchronous copy may not have brought yet
__global__ void out_of_a_loop(const int *in, int *out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    __pipeline_memcpy_async(&s[i & 1][t], &in[i * 128 + t], 4);
    __pipeline_commit();
    if (in[i] < 0) break;
    __pipeline_wait_prior(0);
  }
  __pipeline_wait_prior(0);
  out[blockIdx.x * 128 + t] = s[0][t];
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  waited_for<<<16, 128>>>(a, b);
  without_a_barrier<<<16, 128>>>(a, b);
  waited_for_behind_the_barrier<<<16, 128>>>(a, b);
  not_committed<<<16, 128>>>(a, b);
  the_first_of_two<<<16, 128>>>(a, b);
  the_second_of_two<<<16, 128>>>(a, b);
  its_own_copy<<<16, 128>>>(a, b);
  one_place_twice<<<16, 128>>>(a, b, 8);
  out_of_a_loop<<<16, 128>>>(a, b, 8);
}
"""

test_kernel = verdicts(SOURCE)
