// Section: CUDA C++ Programming Guide: Asynchronous Data Copies using cuda::barrier
// Shows: the next batch is copied only when all threads have used the last one
#include <cooperative_groups.h>
#include <cuda/barrier>

// race: read 17, write 15; shared; warp block
__global__ void with_barrier(int *out, const int *in, int batches) {
  auto block = cooperative_groups::this_thread_block();
  __shared__ int batch[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int k = 0; k < batches; ++k) {
    int at = (blockIdx.x * batches + k) * 128;
    cuda::memcpy_async(block, batch, in + at, sizeof(int) * 128, bar);
    bar.arrive_and_wait();
    out[at + threadIdx.x] = batch[127 - threadIdx.x];
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4 * 8 * 128 * sizeof(int));
  cudaMalloc(&out, 4 * 8 * 128 * sizeof(int));
  with_barrier<<<4, 128>>>(out, in, 8);
  cudaDeviceSynchronize();
}
