__global__ void a_loop(int *p, int n) {
  int i = threadIdx.x;
top:
  if (i >= n) goto out;
  p[i] = 0;
  i += blockDim.x;
  goto top;
out:
  __syncthreads();
  p[n] = 1;
}
__global__ void ways_out(int *p, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int v = p[i * n + j];
      if (v == t) goto done;
      if (v == 3) continue;
      if (v == 9) { goto cleanup; }
      if (v == 10) return;
      p[j] = v;
    }
    p[i] = 2;
  }
done:
  p[t] = t;
  goto end;
cleanup:
  p[t] = 0;
end:
  p[t + 1] = 1;
}
__global__ void retry(int *p, int n) {
  int v, k = 0;
retry:
  v = p[k++];
  if (v) goto retry;
  if (n) goto err;
  p[1] = 0;
  return;
err:
  p[0] = 1;
}
__global__ void duff(int *p, int n) {
  int k = 0, i = (n + 3) / 4;
  switch (n % 4) {
    case 0: do { p[k++] = 0;
    case 3: p[k++] = 0;
    case 2: p[k++] = 0;
    case 1: p[k++] = 0;
    } while (--i > 0);
  }
}
