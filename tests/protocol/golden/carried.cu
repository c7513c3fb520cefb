// Test number one: a dominance test calls this safe, but the read of an iteration meets the write of the next one.
__global__ void carried(int *out, int j, int rounds) {
  __shared__ int tile[128];
  int t = threadIdx.x, x = 0;
  for (int r = 0; r < rounds; ++r) {
    tile[t] = r;
    __syncthreads();
    x += tile[(t + j) % 128];
  }
  out[t] = x;
}
