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

// Seed 1040125: what only those who enter the loop do before its barrier is not ordered for the others.
// open: read own, write third; global; warp: a barrier that some threads do not reach may order the two accesses
// open: write own, write third; global; warp: a barrier that some threads do not reach may order the two accesses
__global__ void entered_by_one(int *a) {
  int t = threadIdx.x;
  for (int i = t; i < 1; i += blockDim.x) {
    a[2] = t;  // third
    __syncthreads();
  }
  a[t] += 1;  // own
}

// open: read own, write third; global; warp: a barrier that some threads do not reach may order the two accesses
// open: write own, write third; global; warp: a barrier that some threads do not reach may order the two accesses
__global__ void the_same_with_if(int *a) {
  int t = threadIdx.x;
  if (t < 1) {
    a[2] = t;  // third
    __syncthreads();
  }
  a[t] += 1;  // own
}

// note: write third, write third; global; warp
// safe: 4 of 5 pairs
__global__ void entered_by_all(int *a) {
  int t = threadIdx.x;
  for (int i = t; i < 24; i += blockDim.x) {
    a[2] = 5;  // third
    __syncthreads();
  }
  a[t] += 1;
}

// Some threads leave after one iteration, others after two.
// open: read after, write within; global; warp: a barrier that some threads do not reach may order the two accesses
// open: read within, write after; global; warp: a barrier that some threads do not reach may order the two accesses
// open: write after, write within; global; warp: a barrier that some threads do not reach may order the two accesses
__global__ void left_by_some(int *a) {
  int t = threadIdx.x;
  for (int i = t; i < 12; i += blockDim.x) {
    __syncthreads();
    a[7 - t] += 1;  // within
    __syncthreads();
  }
  a[t] += 1;  // after
}

// safe: 7 of 7 pairs
__global__ void left_by_all(int *a) {
  int t = threadIdx.x;
  for (int i = t; i < 16; i += blockDim.x) {
    __syncthreads();
    a[7 - t] += 1;
    __syncthreads();
  }
  a[t] += 1;
}

// Who leaves after its only iteration does not wait for the others' second one.
// open: write cell, write cell; global; warp: a barrier that some threads do not reach may order the two accesses
__global__ void left_behind_the_barrier(int *a) {
  int t = threadIdx.x;
  for (int i = t; i < 12; i += blockDim.x) {
    __syncthreads();
    a[i % 8 + i / 8] = t;  // cell
  }
}

// safe: 1 of 1 pairs
__global__ void all_stay(int *a) {
  int t = threadIdx.x;
  for (int i = t; i < 16; i += blockDim.x) {
    __syncthreads();
    a[i % 8 + i / 8] = t;
  }
}

// open: write behind, write early; global; warp: a barrier that some threads do not reach may order the two accesses
__global__ void not_waited_for(int *a) {
  int t = threadIdx.x;
  if (t > 3) a[7 - t] = 1;  // early
  for (int i = t; i < 12; i += blockDim.x) {
    if (i > 3) __syncthreads();
    if (i > 7) a[i - 8] = 2;  // behind
  }
}

void launches(int *a, int n) {
  entered_by_one<<<1, 8>>>(a);
  the_same_with_if<<<1, 8>>>(a);
  entered_by_all<<<1, 8>>>(a);
  left_by_some<<<1, 8>>>(a);
  left_by_all<<<1, 8>>>(a);
  left_behind_the_barrier<<<1, 8>>>(a);
  all_stay<<<1, 8>>>(a);
  not_waited_for<<<1, 8>>>(a);
  in_one_iteration<<<1, 64>>>(a);
  beside_a_counter<<<1, 64>>>(a, n);
  all_together<<<1, 64>>>(a, n);
}
