__global__ void double_buffer(int *out, const int *in, int rounds) {
  __shared__ int tile[2][64];
  int t = threadIdx.x, x = 0;
  tile[0][t] = in[t];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    tile[(r + 1) % 2][t] = in[64 * (r + 1) + t];
    x += tile[r % 2][63 - t];
    __syncthreads();
  }
  out[t] = x;
}

__global__ void ping_pong(int *out, int rounds) {
  __shared__ int a[64], b[64];
  int *from = a, *to = b, t = threadIdx.x;
  from[t] = t;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    to[t] = from[63 - t];
    __syncthreads();
    int *other = from;
    from = to;
    to = other;
  }
  out[t] = from[t];
}
