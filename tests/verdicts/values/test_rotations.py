"""Numbers that a loop hands round, or that come round again: which part of a buffer is read, and which written."""

from tests.checking import verdicts

SOURCE = """
// safe: 2 of 2 pairs
__global__ void swapped(int *a) {
  __shared__ int s[256];
  int t = threadIdx.x, from = 0, to = 128;
  for (int i = 0; i < 7; i++) {
    s[to + t] = s[from + 127 - t] + 1;
    __syncthreads();
    int other = from;
    from = to;
    to = other;
  }
}

// race: read mirror, write own; shared; block
__global__ void swapped_without_barrier(int *a) {
  __shared__ int s[256];
  int t = threadIdx.x, from = 0, to = 128;
  for (int i = 0; i < 7; i++) {
    int v = s[from + 127 - t];  // mirror
    s[to + t] = v;  // own
    int other = from;
    from = to;
    to = other;
  }
}

// safe: 2 of 2 pairs
__global__ void three_go_round(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, x = 0, y = 128, z = 256;
  for (int i = 0; i < 7; i++) {
    s[x + t] = s[y + 127 - t] + 1;
    __syncthreads();
    int first = x;
    x = y;
    y = z;
    z = first;
  }
}

// race: read mirror, write own; shared; block
__global__ void two_of_three_alike(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, x = 0, y = 128, z = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[y + 127 - t];  // mirror
    s[x + t] = v;  // own
    __syncthreads();
    int first = x;
    x = y;
    y = z;
    z = first;
  }
}

// safe: 2 of 2 pairs
__global__ void flipped(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, k = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[128 * k + 127 - t];  // mirror
    k ^= 1;
    s[128 * k + t] = v;  // own
    __syncthreads();
  }
}

// safe: 2 of 2 pairs
__global__ void counted_round(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, k = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[128 * k + 127 - t];  // mirror
    k = (k + 1) % 3;
    s[128 * k + t] = v;  // own
    __syncthreads();
  }
}

// safe: 2 of 2 pairs
__global__ void set_back(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, k = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[128 * k + 127 - t];  // mirror
    if (++k == 3) k = 0;
    s[128 * k + t] = v;  // own
    __syncthreads();
  }
}

// safe: 2 of 2 pairs
__global__ void set_back_with_another_flip(int *a) {
  __shared__ int s[768];
  int t = threadIdx.x, k = 0, side = 0;
  for (int i = 0; i < 14; i++) {
    int v = s[384 * side + 128 * k + 127 - t];  // mirror
    if (++k == 3) { k = 0; side ^= 1; }
    s[384 * side + 128 * k + t] = v;  // own
    __syncthreads();
  }
}

// race: read mirror, write own; shared; block
__global__ void set_back_with_a_flip_and_no_barrier(int *a) {
  __shared__ int s[768];
  int t = threadIdx.x, k = 0, side = 0;
  for (int i = 0; i < 14; i++) {
    int v = s[384 * side + 128 * k + 127 - t];  // mirror
    if (++k == 3) { k = 0; side ^= 1; }
    s[384 * side + 128 * k + t] = v;  // own
  }
}

// safe: 2 of 2 pairs
__global__ void denied(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, k = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[128 * k + 127 - t];  // mirror
    k = !k;
    s[128 * k + t] = v;  // own
    __syncthreads();
  }
}

// race: read mirror, write own; shared; block
__global__ void flipped_behind(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, k = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[128 * k + 127 - t];  // mirror
    s[128 * k + t] = v;  // own
    __syncthreads();
    k ^= 1;
  }
}

// race: read mirror, write own; shared; block
__global__ void flipped_without_barrier(int *a) {
  __shared__ int s[384];
  int t = threadIdx.x, k = 0;
  for (int i = 0; i < 7; i++) {
    int v = s[128 * k + 127 - t];  // mirror
    k ^= 1;
    s[128 * k + t] = v;  // own
  }
}

int main() {
  int *a;
  cudaMalloc(&a, 512);
  swapped<<<1, 128>>>(a);
  swapped_without_barrier<<<1, 128>>>(a);
  three_go_round<<<1, 128>>>(a);
  two_of_three_alike<<<1, 128>>>(a);
  flipped<<<1, 128>>>(a);
  counted_round<<<1, 128>>>(a);
  set_back<<<1, 128>>>(a);
  set_back_with_another_flip<<<1, 128>>>(a);
  set_back_with_a_flip_and_no_barrier<<<1, 128>>>(a);
  denied<<<1, 128>>>(a);
  flipped_behind<<<1, 128>>>(a);
  flipped_without_barrier<<<1, 128>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
