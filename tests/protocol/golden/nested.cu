__global__ void nested(int *out, int n, int m) {
  __shared__ int a[128], b[128];
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    a[t] = i;
    for (int k = 0; k < m; ++k) {
      b[t] = a[k];
      __syncthreads();
      a[t] = b[127 - t];
    }
    out[t] = a[t];
  }
}
