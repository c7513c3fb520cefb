"""Indexes that wrap around because of the program's own constants."""

from tests.checking import verdicts

SOURCE = """
// race: write wraps, write wraps; global; grid
__global__ void wraps(unsigned char *p) { p[blockIdx.x * 65536u + threadIdx.x] = blockIdx.x >> 16; }  // wraps

// safe: 1 of 1 pairs
__global__ void fits(unsigned char *p) { p[blockIdx.x * 65536u + threadIdx.x] = blockIdx.x >> 16; }

// safe: 1 of 1 pairs
__global__ void wide(unsigned char *p) { p[(unsigned long long)blockIdx.x * 65536u + threadIdx.x] = blockIdx.x >> 16; }

// safe: 1 of 1 pairs
__global__ void any_grid(unsigned char *p) { p[blockIdx.x * 65536u + threadIdx.x] = blockIdx.x >> 16; }

// race: write mixed, write mixed; global; grid
__global__ void mixed(unsigned short *p, unsigned rows, unsigned cols) {
  unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < cols && r < rows) p[r * cols + c] = r ^ c;  // mixed
}

// note: write column, write column; global; grid
// safe: 0 of 1 pairs
__global__ void by_column(unsigned short *p) { p[blockIdx.x * 65536u + threadIdx.x] = 3 * threadIdx.x; }  // column

// race: read first, write comes_round; global; warp block grid
__global__ void comes_round(int *p) {
  int first = p[0];  // first
  p[64 + (int)blockIdx.x * 64 + threadIdx.x] = first;  // comes_round
}

// safe: 2 of 2 pairs
__global__ void comes_round_if_larger_than_usual(int *p) {
  int first = p[0];
  p[64 + (int)blockIdx.x * 64 + threadIdx.x] = first;
}

int main(int argc, char **argv) {
  unsigned char *p;
  cudaMalloc(&p, (size_t)70000 * 65536);
  wraps<<<70000, 256>>>(p);
  fits<<<60000, 256>>>(p);
  wide<<<70000, 256>>>(p);
  any_grid<<<argc, 256>>>(p);
  unsigned short *q;
  cudaMalloc(&q, (size_t)60000 * 80000 * 2);
  mixed<<<dim3(313, 60000), 256>>>(q, 60000, 80000);
  by_column<<<70000, 256>>>(q);
  int *r;
  cudaMalloc(&r, (size_t)1 << 34);
  comes_round<<<1 << 26, 64>>>(r);
  comes_round_if_larger_than_usual<<<argc, 64>>>(r);
}
"""

test_kernel = verdicts(SOURCE)
