"""Unsigned indexes that wrap around because of the program's own constants."""

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

int main(int argc, char **argv) {
  unsigned char *p;
  cudaMalloc(&p, (size_t)70000 * 65536);
  wraps<<<70000, 256>>>(p);
  fits<<<60000, 256>>>(p);
  wide<<<70000, 256>>>(p);
  any_grid<<<argc, 256>>>(p);
}
"""

test_kernel = verdicts(SOURCE)
