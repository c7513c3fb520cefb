"""Conflicts whose queries mention values that are not known, and that there are whatever these are, or not."""

from tests.checking import verdicts

SOURCE = """
#include <cuda_runtime.h>
#include <cstdlib>
#include <string>

// race: read neighbour, write mine; shared; warp block
__global__ void sized_by_what_was_appended(const char *text, int length, int *out) {
  __shared__ int s[129];
  char c = threadIdx.x < length ? text[threadIdx.x] : 0;
  s[threadIdx.x] = c;  // mine
  out[threadIdx.x] = s[threadIdx.x + 1];  // neighbour
}

// open: write into, write into; global; block grid: it depends on values that are not known: active
// race: write into, write into; global; warp (unless distinct(to))
__global__ void of_the_active(unsigned *label, const unsigned *to, unsigned active, unsigned *more, int round) {
  unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (group < active) label[to[group * 16 + threadIdx.x % 16]] = threadIdx.x;  // into
  if (threadIdx.x == 0) atomicAdd(more, round);
}

// open: write far, write far; global; block grid: it depends on values that are not known: active
__global__ void of_many_active(unsigned *far, unsigned active, unsigned *more, int round) {
  if (threadIdx.x % 512 + 1 < active) far[threadIdx.x % 512] = threadIdx.x;  // far
  if (threadIdx.x == 0) atomicAdd(more, round);
}

int main(int argc, char **argv) {
  int length = argc > 1 ? atoi(argv[1]) : 100;
  if (length < 1 || length > 128) return 1;
  std::string text;
  for (int i = 0; i < length; ++i) text += rand() % 2 ? 'a' : 'b';
  char *chars;
  int *out;
  cudaMalloc(&chars, text.size());
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemcpy(chars, text.data(), text.size(), cudaMemcpyHostToDevice);
  sized_by_what_was_appended<<<1, 128>>>(chars, length, out);

  unsigned *label, *to, *more, active = 1;
  cudaMalloc(&label, 4096);
  cudaMalloc(&to, 4096);
  cudaMalloc(&more, 4);
  for (int round = 0; active && round < 9; ++round) {
    cudaMemset(more, 0, 4);
    of_the_active<<<(active + 15) / 16, 256>>>(label, to, active, more, round);
    cudaMemcpy(&active, more, 4, cudaMemcpyDeviceToHost);
  }
  unsigned *far;
  cudaMalloc(&far, 4096);
  active = 1;
  for (int round = 0; active && round < 9; ++round) {
    cudaMemset(more, 0, 4);
    of_many_active<<<2, 1024>>>(far, active, more, round);
    cudaMemcpy(&active, more, 4, cudaMemcpyDeviceToHost);
  }
}
"""

test_kernel = verdicts(SOURCE)
