// Section: CUDA C++ Programming Guide: Cooperative Groups: Coalesced Groups
// Shows: the rank in a coalesced group says nothing of the thread's place in the block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// race: write put, write put; global; warp block (data-dependent)
__global__ void positive(const int *in, int *out) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  if (in[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[blockIdx.x * 128 + active.thread_rank()] = in[i];  // put
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  positive<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
