// Section: CUDA C++ Programming Guide: Cooperative Groups: Coalesced Groups
// Shows: the rank in a coalesced group says nothing of the thread's place in the block
// Gap: the members of a coalesced group
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// open: write put, write put; global; warp block grid: it depends on values that are not known: thread_rank()
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
