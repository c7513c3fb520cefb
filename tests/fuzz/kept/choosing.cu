// Seed 40200: which thread it is that writes depends on a sum that a loop has made of memory contents.

// open: write cell, write first; global; warp: it depends on values that the kernel computes: z
__global__ void the_sum_says_who(int *a, int *in, int n) {
  int z = 1;
  for (int i = 0; i < n; i++)
    if (n < 0) z += in[i];
  if (z == threadIdx.x) a[0] = threadIdx.x;  // cell
  if (threadIdx.x == 0) a[0] = 7;  // first
}

// race: write cell, write cell; global; warp (data-dependent)
__global__ void the_sum_says_whether(int *a, int *in, int n) {
  int z = 1;
  for (int i = 0; i < n; i++) z += in[i];
  if (z == 5) a[0] = threadIdx.x;  // cell
}

// race: write cell, write first; global; warp (data-dependent)
__global__ void the_input_says_who(int *a, int *in) {
  if (in[0] == threadIdx.x) a[0] = 1;  // cell
  if (threadIdx.x == 0) a[0] = 7;  // first
}

void launches(int *a, int *in, int n) {
  the_sum_says_who<<<1, 8>>>(a, in, n);
  the_sum_says_whether<<<1, 8>>>(a, in, n);
  the_input_says_who<<<1, 8>>>(a, in);
}
