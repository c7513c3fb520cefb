// Section: CUDA C++ Programming Guide: Cooperative Groups: memcpy_async
// Shows: what the block copies is read before it is waited for
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

// open: the thread uses what its own asynchronous copy may not have brought yet
// race: read take, write copy; shared; warp block
__global__ void mirror(const int *in, int *out) {
  __shared__ int s[128];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int) * 128);  // copy
  block.sync();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // take
  cg::wait(block);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * 128 * sizeof(int));
  cudaMalloc(&out, 16 * 128 * sizeof(int));
  mirror<<<16, 128>>>(in, out);
  cudaDeviceSynchronize();
}
