// Section: CUDA C++ Programming Guide: Cooperative Groups: binary_partition
// Shows: sync of the whole tile orders both parts
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// safe: 3 of 3 pairs
__global__ void odd_and_even(const int *in, int *out) {
  __shared__ int s[128];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
  auto part = cg::binary_partition(warp, in[i] & 1);
  s[t] = in[i] * part.num_threads();  // put
  warp.sync();
  out[i] = s[t ^ 1];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  odd_and_even<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
