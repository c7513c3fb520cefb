"""Preconditions that follow from how a kernel cuts rows into tiles."""

from tests.checking import verdicts

SOURCE = """
struct Pair { short x, y; };

// race: read left, write right; global; warp grid (unless width % 4 == 0)
// race: read right, write left_again; global; warp grid (unless width % 4 == 0)
// race: write left_again, write right; global; warp grid (unless width % 4 == 0)
__global__ void halves_of_pairs(short *a, int n) {
  int column = (blockIdx.x * 32 + threadIdx.x) * 2, half = n / 2;
  if (column >= half) return;
  Pair l = *(Pair *)&a[blockIdx.y * n + column];  // left
  *(Pair *)&a[blockIdx.y * n + column] =  // left_again
      *(Pair *)&a[blockIdx.y * n + column + half];  // right
  *(Pair *)&a[blockIdx.y * n + column + half] = l;  // right
}

// race: write tile, write tile; global; block grid (unless width % 64 == 0)
__global__ void rows_of_whole_tiles(short *a, int height, int width) {
  int column = (blockIdx.x * 32 + threadIdx.x) * 2, row = blockIdx.y * 4 + threadIdx.y;
  if (row < height) *(int *)&a[row * width + column] = row;  // tile
}

// safe: 1 of 1 pairs
__global__ void rows_of_parts_of_tiles(short *a, int height, int width) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  if (row < height && column < width) a[row * width + column] = row;
}

// race: write row, write row; global; grid (unless count <= rows)
__global__ void rows_behind_others(float *cache, int width, int heads, int count, int rows, int first) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, head = blockIdx.z;
  if (x < width && y < count && head < heads) cache[(head * rows + first + y) * width + x] = x + y + head;  // row
}

void run(float *cache, short *a, int width, int height, int count, int rows, int first) {
  halves_of_pairs<<<dim3((width / 2 + 63) / 64, height, 1), 32>>>(a, width);
  rows_of_whole_tiles<<<dim3((width + 63) / 64, (height + 3) / 4, 1), dim3(32, 4)>>>(a, height, width);
  rows_of_parts_of_tiles<<<dim3((width + 31) / 32, (height + 3) / 4, 1), dim3(32, 4)>>>(a, height, width);
  rows_behind_others<<<dim3((width + 31) / 32, count, height), 32>>>(cache, width, height, count, rows, first);
}
"""

test_kernel = verdicts(SOURCE)
