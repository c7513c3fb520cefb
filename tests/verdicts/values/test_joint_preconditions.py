"""Races that several conditions on tiles and rows exclude together, and none of them alone."""

from tests.checking import verdicts

SOURCE = """
// race: write whole, write whole; global; grid (unless v % 4 == 0 && v <= p)
__global__ void rows_of_vectors(float *a, int v, int p) {
  float *row = a + blockIdx.x * p;
  for (int i = threadIdx.x; i * 4 < v; i += blockDim.x)
    *(float4 *)(row + i * 4) = make_float4(1, 2, 3, blockIdx.x);  // whole
}

// race: write whole, write whole; global; warp block grid
__global__ void rows_that_begin_one_too_early(float *a, int v, int p) {
  float *row = a + blockIdx.x * p;
  for (int i = threadIdx.x; i * 4 < v; i += blockDim.x)
    *(float4 *)(row + i * 3) = make_float4(1, 2, 3, blockIdx.x);  // whole
}
"""

test_kernel = verdicts(SOURCE)
