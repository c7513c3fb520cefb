"""Memory that threads get from the heap: their own, unless they tell others where it is."""

from tests.checking import verdicts

SOURCE = """
// safe: 1 of 1 pairs
__global__ void of_each_thread(int *out) {
  int *p = (int *)malloc(16 * sizeof(int));
  for (int i = 0; i < 16; ++i) p[i] = threadIdx.x + i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = p[3];
  free(p);
}

// race: write told, write told; global; warp block grid
__global__ void of_each_thread_and_one_place(int *out) {
  int *p = (int *)malloc(16 * sizeof(int));
  p[0] = threadIdx.x;
  out[0] = p[0];  // told
  free(p);
}

// safe: 1 of 1 pairs
__global__ void objects(int *out) {
  struct Pair { int first, second; };
  Pair *p = new Pair{1, 2};
  out[blockIdx.x * blockDim.x + threadIdx.x] = p->second;
  delete p;
}

// open: pointers to malloc that are stored in shared and found there
// open: write there, write there; global; grid: it depends on values that the kernel computes: shared[]
__global__ void of_the_block(int *out) {
  __shared__ int *shared;
  if (threadIdx.x == 0) shared = (int *)malloc(blockDim.x * sizeof(int));
  __syncthreads();
  shared[threadIdx.x] = threadIdx.x;  // there
}
"""
test_heap = verdicts(SOURCE)
