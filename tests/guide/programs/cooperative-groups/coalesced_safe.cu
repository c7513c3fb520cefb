// Section: CUDA C++ Programming Guide: Cooperative Groups: Coalesced Groups
// Shows: the thread's place in the block is its own
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 1 of 1 pairs
__global__ void positive(const int *in, int *out) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  if (in[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[i] = in[i] + active.num_threads();  // put
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  positive<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
