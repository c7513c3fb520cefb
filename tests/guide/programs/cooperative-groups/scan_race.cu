// Section: CUDA C++ Programming Guide: Cooperative Groups: inclusive_scan and exclusive_scan
// Shows: a scan gives each thread a value, and orders no memory
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// race: read take, write put; shared; warp
__global__ void offsets(const int *in, int *out) {
  __shared__ int end[128];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned t = threadIdx.x;
  end[t] = cg::inclusive_scan(warp, in[blockIdx.x * 128 + t], cg::plus<int>());  // put
  out[blockIdx.x * 128 + t] = end[t | 31];  // take
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 8 * 128 * sizeof(int));
  cudaMalloc(&out, 8 * 128 * sizeof(int));
  offsets<<<8, 128>>>(in, out);
  cudaDeviceSynchronize();
}
