// Seeds 1023726, 1024162: a loop that only some threads enter, because of a test that its iterations do not change.

// race: read theirs, write mine; shared; block
__global__ void in_one_iteration(int *a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;  // mine
  for (int i = t; i < 1; i += blockDim.x) __syncthreads();
  a[t] = s[63 - t];  // theirs
}

// race: read theirs, write mine; shared; block
__global__ void beside_a_counter(int *a, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = 0;
  s[t] = t;  // mine
  while (t < 1 && i < n) {
    __syncthreads();
    i++;
  }
  a[t] = s[63 - t];  // theirs
}

// safe: 3 of 3 pairs
__global__ void all_together(int *a, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = 0;
  s[t] = t;
  do {
    __syncthreads();
    i++;
  } while (i < n);
  a[t] = s[63 - t];
}

void launches(int *a, int n) {
  in_one_iteration<<<1, 64>>>(a);
  beside_a_counter<<<1, 64>>>(a, n);
  all_together<<<1, 64>>>(a, n);
}
