"""Rows of which a kernel uses a constant number of elements: that many fit into a row is what callers make sure of."""

from tests.checking import verdicts

test_constant_rows = verdicts("""
// race: write zeroth, write zeroth; global; warp block grid (unless width != 0)
// race: write first, write zeroth; global; warp block grid (unless 2 <= width)
// race: write third, write zeroth; global; warp block grid (unless 4 <= width)
// race: write first, write first; global; warp block grid (unless width != 0)
// race: write first, write third; global; warp block grid (unless 3 <= width)
// race: write third, write third; global; warp block grid (unless width != 0)
__global__ void members(float *out, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  out[row * width] = row;  // zeroth
  out[row * width + 1] = row + 1;  // first
  out[row * width + 3] = row + 3;  // third
}

// race: write element, write element; global; warp block grid (unless 7 <= width)
__global__ void elements_of_a_loop(float *out, int rows, int width, int some) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int k = 0; k < 7; ++k)
    if (k != some) out[row * width + k] = row;  // element
}

// race: write vector, write vector; global; grid (unless 4 <= width)
__global__ void vectors(float4 *out, int width) {
  float *row = (float *)out + blockIdx.x * width;
  ((float4 *)row)[1] = make_float4(blockIdx.x, 0, 0, 0);  // vector
}

// race: write lower, write upper; global; warp block grid
// race: write upper, write upper; global; warp block grid (unless width != 0)
// race: write lower, write lower; global; warp block grid (unless width != 0)
__global__ void row_above(float *out, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  out[row * width + width] = row;  // lower
  out[row * width] = row;  // upper
}
void launch_all(float *out, int rows, int width, int some) {
  members<<<(rows + 255) / 256, 256>>>(out, rows, width);
  elements_of_a_loop<<<(rows + 255) / 256, 256>>>(out, rows, width, some);
  vectors<<<rows, 1>>>((float4 *)out, width);
  row_above<<<(rows + 255) / 256, 256>>>(out, rows, width);
}
""")
