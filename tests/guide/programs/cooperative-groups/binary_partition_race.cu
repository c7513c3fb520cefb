// Section: CUDA C++ Programming Guide: Cooperative Groups: binary_partition
// Shows: sync of a part does not order it with the other part
// Gap: the members of a coalesced group
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// open: barrier 15: the threads that its mask names are not known
// open: read take, write put; shared; warp: a warp barrier whose mask is not known may order the two accesses
__global__ void odd_and_even(const int *in, int *out) {
  __shared__ int s[128];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
  auto part = cg::binary_partition(warp, in[i] & 1);
  s[t] = in[i] * part.num_threads();  // put
  part.sync();
  out[i] = s[t ^ 1];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  odd_and_even<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
