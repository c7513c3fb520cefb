"""Atomics of different sizes on the same bytes: they are not atomic to each other (PTX ISA, "Morally Strong")."""

from tests.checking import verdicts

SOURCE = """
// race: atomic narrow, atomic wide; global; warp block grid
__global__ void partly(unsigned long long *sums) {
  atomicAdd(&sums[threadIdx.x & 3], 1ull);  // wide
  atomicAdd((unsigned *)&sums[threadIdx.x & 3], 1u);  // narrow
}

// safe: 0 of 0 pairs
__global__ void in_halves(unsigned long long *sums) {
  atomicAdd((unsigned *)&sums[threadIdx.x & 3] + 1, 1u);
  atomicAdd((unsigned *)&sums[threadIdx.x & 3], 1u);
}

int main() {
  unsigned long long *sums;
  cudaMalloc(&sums, 4 * sizeof(*sums));
  partly<<<4, 64>>>(sums);
  in_halves<<<4, 64>>>(sums);
}
"""

test_kernel = verdicts(SOURCE)
