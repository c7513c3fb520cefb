"""Numbers that a loop hands round among its variables: which half of a buffer is read, and which is written."""

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

int main() {
  int *a;
  cudaMalloc(&a, 512);
  swapped<<<1, 128>>>(a);
  swapped_without_barrier<<<1, 128>>>(a);
  three_go_round<<<1, 128>>>(a);
  two_of_three_alike<<<1, 128>>>(a);
}
"""

test_kernel = verdicts(SOURCE)
