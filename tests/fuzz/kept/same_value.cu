// Seed 30444: two calls of one function write at the same place of the source; only the values of each call agree.

__device__ void put(int *cells, int at, int what) {
  cells[at] = what;  // put
}

// race: write put, write put; shared; warp
__global__ void two_calls_of_one_function(int l) {
  __shared__ int s[512];
  int g = threadIdx.x;
  for (int i = 0; i < 12; i += 2) {
    put(s, g + i, 16);
    put(s, g ^ 1, l);
  }
}

void launches(int e) { two_calls_of_one_function<<<1, 8>>>(e); }
