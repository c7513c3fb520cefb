"""Barriers in two halves: who waits has met those who have arrived, and is not met by what these do behind that."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__global__ void written_before_the_arrival(int *out, const int *in) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  s[threadIdx.x] = in[threadIdx.x];
  auto token = block.barrier_arrive();
  int own = in[threadIdx.x + 256];
  block.barrier_wait(std::move(token));
  out[blockIdx.x * 256 + threadIdx.x] = own + s[255 - threadIdx.x];
}

// race: read there, write here; shared; block
__global__ void written_behind_the_arrival(int *out, const int *in) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  auto token = block.barrier_arrive();
  s[threadIdx.x] = in[threadIdx.x];  // here
  block.barrier_wait(std::move(token));
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];  // there
}

// race: read there, write here; shared; block
__global__ void read_before_the_wait(int *out, const int *in) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  s[threadIdx.x] = in[threadIdx.x];  // here
  auto token = block.barrier_arrive();
  int other = s[255 - threadIdx.x];  // there
  block.barrier_wait(std::move(token));
  out[blockIdx.x * 256 + threadIdx.x] = other;
}

// safe: 3 of 3 pairs
__global__ void in_a_loop(int *out, const int *in, int n) {
  __shared__ int s[2][256];
  auto block = cg::this_thread_block();
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    s[i & 1][threadIdx.x] = in[i * 256 + threadIdx.x];
    auto token = block.barrier_arrive();
    sum += in[i];
    block.barrier_wait(std::move(token));
    sum += s[i & 1][255 - threadIdx.x];
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// race: read there, write here; shared; block
__global__ void in_a_loop_with_one_buffer(int *out, const int *in, int n) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = in[i * 256 + threadIdx.x];  // here
    auto token = block.barrier_arrive();
    sum += in[i];
    block.barrier_wait(std::move(token));
    sum += s[255 - threadIdx.x];  // there
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// open: a wait at a barrier whose arrival stands elsewhere
// open: read there, write here; shared; block: what was not understood in line 80 may order the two accesses
__global__ void waits_in_the_next_iteration(int *out, const int *in, int n) {
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  int sum = 0;
  auto token = block.barrier_arrive();
  for (int i = 0; i < n; ++i) {
    block.barrier_wait(std::move(token));
    s[threadIdx.x] = in[i * 256 + threadIdx.x];  // here
    token = block.barrier_arrive();
  }
  block.barrier_wait(std::move(token));
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];  // there
}

// safe: 3 of 3 pairs
__global__ void of_the_grid(int *buffer, int *out) {
  auto grid = cg::this_grid();
  buffer[grid.thread_rank()] = threadIdx.x;
  auto token = grid.barrier_arrive();
  int own = threadIdx.x;
  grid.barrier_wait(std::move(token));
  out[grid.thread_rank()] = own + buffer[grid.size() - 1 - grid.thread_rank()];
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 1 << 22);
  cudaMalloc(&b, 1 << 22);
  written_before_the_arrival<<<16, 256>>>(a, b);
  written_behind_the_arrival<<<16, 256>>>(a, b);
  read_before_the_wait<<<16, 256>>>(a, b);
  in_a_loop<<<16, 256>>>(a, b, 16);
  in_a_loop_with_one_buffer<<<16, 256>>>(a, b, 16);
  waits_in_the_next_iteration<<<16, 256>>>(a, b, 16);
  void *arguments[] = {&a, &b};
  cudaLaunchCooperativeKernel((void *)of_the_grid, dim3(16), dim3(256), arguments, 0, 0);
}
"""

test_kernel = verdicts(SOURCE)
