// Seed 331918: equal values are equal bytes only where the two writes lie on each other.

// race: write half, write word; global; warp
__global__ void of_two_sizes(int *a) {
  a[threadIdx.x] = 1;  // word
  ((short *)a)[threadIdx.x] = 1;  // half
}

// race: write word, write word; global; warp
__global__ void shifted(char *a) {
  *(int *)(a + threadIdx.x) = 1;  // word
}

// note: write half, write word; global; warp
// safe: 2 of 3 pairs
__global__ void zeros_of_two_sizes(int *a) {
  a[threadIdx.x] = 0;  // word
  ((short *)a)[threadIdx.x] = 0;  // half
}

// note: write word, write word; global; warp
// safe: 0 of 1 pairs
__global__ void ones_everywhere(char *a) {
  *(int *)(a + threadIdx.x) = -1;  // word
}

// note: write word, write word; global; warp
// safe: 0 of 1 pairs
__global__ void on_each_other(int *a) {
  a[threadIdx.x / 2] = 1;  // word
}

void launches(int *a, char *c) {
  of_two_sizes<<<1, 8>>>(a);
  shifted<<<1, 8>>>(c);
  zeros_of_two_sizes<<<1, 8>>>(a);
  ones_everywhere<<<1, 8>>>(c);
  on_each_other<<<1, 8>>>(a);
}
