// Section: CUDA C++ Core Libraries: cuda::barrier::wait_parity
// Shows: a wait for a phase orders what was done before the arrivals that end it
#include <cuda/barrier>

// race: read got, write put; shared; block
__global__ void in_stages(const int *in, int *out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full[4], empty[4];
  __shared__ int buffer[4][32];
  int lane = threadIdx.x % 32, stage = 0, phase = 0;
  if (threadIdx.x < 4) init(&full[threadIdx.x], 32), init(&empty[threadIdx.x], 32);
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < 32) {
      empty[stage].wait_parity(phase ^ 1);
      (void)full[stage].arrive();
      buffer[stage][lane] = in[i * 32 + lane];  // put
    } else {
      full[stage].wait_parity(phase);
      out[i * 32 + lane] = buffer[stage][31 - lane];  // got
      (void)empty[stage].arrive();
    }
    if (++stage == 4) {
      stage = 0;
      phase ^= 1;
    }
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * 128);
  cudaMalloc(&out, 64 * 128);
  in_stages<<<1, 64>>>(in, out, 64);
  cudaDeviceSynchronize();
}
