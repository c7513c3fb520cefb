"""`cuda::std::span` and `cuda::std::mdspan`: views lead to the memory that they were made of."""

from tests.checking import verdicts

SOURCE = """
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/span>

using Matrix = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;
using Rows = cuda::std::mdspan<float, cuda::std::extents<int, cuda::std::dynamic_extent, 64>>;
using Columns = cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left>;
using Shape = cuda::std::dextents<int, 2>;
using Strided = cuda::std::layout_stride::mapping<Shape>;
template <class T> using Frames = cuda::std::mdspan<T, Shape, cuda::std::layout_stride>;

// safe: 2 of 2 pairs
__global__ void parts(cuda::std::span<int> data) {
  auto mine = data.subspan((blockIdx.x * blockDim.x + threadIdx.x) * 8, 8);
  int run = 0;
  for (size_t i = 0; i < mine.size(); ++i) {
    run += mine[i];
    mine[i] = run;
  }
}

// race: write own, write own; global; warp block grid
// race: read next, write own; global; warp block grid
__global__ void overlapping_parts(cuda::std::span<int> data) {
  auto mine = data.subspan((blockIdx.x * blockDim.x + threadIdx.x) * 7, 8);
  int run = 0;
  for (size_t i = 0; i < mine.size(); ++i) {
    run += mine[i];  // next
    mine[i] = run;  // own
  }
}

// safe: 1 of 1 pairs
__global__ void all_of_it(cuda::std::span<int> data) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < data.size(); i += gridDim.x * blockDim.x) data[i] = i;
}

// race: write last, write last; global; grid
__global__ void tails(cuda::std::span<int> data) {
  data.last(64)[threadIdx.x] = blockIdx.x;  // last
}

// safe: 1 of 1 pairs
__global__ void in_rows(Matrix m) {
  int i = blockIdx.x, j = threadIdx.x;
  if (i < m.extent(0) && j < m.extent(1)) m(i, j) = i + 2 * j;
}

// race: write over, write over; global; grid
__global__ void beyond_a_row(Matrix m) {
  int i = blockIdx.x, j = threadIdx.x;
  if (i < m.extent(0) && j <= m.extent(1)) m(i, j) = i + 2 * j;  // over
}

// safe: 1 of 1 pairs
__global__ void of_fixed_width(Rows m) {
  int i = blockIdx.x, j = threadIdx.x;
  if (i < m.extent(0) && j < m.extent(1)) m(i, j) = i + 2 * j;
}

// race: write wide, write wide; global; grid
__global__ void beyond_fixed_width(Rows m) {
  int i = blockIdx.x, j = threadIdx.x;
  if (i < m.extent(0) && j < 65) m(i, j) = i + 2 * j;  // wide
}

// safe: 1 of 1 pairs
__global__ void in_columns(Columns m) {
  int i = threadIdx.x, j = blockIdx.x;
  if (i < m.extent(0) && j < m.extent(1)) m(i, j) = i + 2 * j;
}

// race: write turned, write turned; global; grid
__global__ void too_high(Columns m) {
  int i = threadIdx.x, j = blockIdx.x;
  if (i < 41 && j < m.extent(1)) m(i, j) = i + 2 * j;  // turned
}

// safe: 1 of 1 pairs
__global__ void strided(Frames<const float> in, Frames<float> out) {
  out(blockIdx.x, threadIdx.x) = in(blockIdx.x, threadIdx.x);
}

// race: write hop, write hop; global; grid
__global__ void strided_too_close(Frames<const float> in, Frames<float> out) {
  out(blockIdx.x, threadIdx.x) = in(blockIdx.x, threadIdx.x) + blockIdx.x;  // hop
}

// safe: 1 of 1 pairs
__global__ void by_mapping(Columns m) {
  m.data_handle()[m.mapping()(threadIdx.x, blockIdx.x)] = m.stride(1) + threadIdx.x + blockIdx.x;
}

int main() {
  int *a;
  float *b;
  cudaMalloc(&a, 1024 * 8 * sizeof(int));
  cudaMalloc(&b, 100 * 64 * sizeof(float));
  cuda::std::span<int> all(a, 1024 * 8);
  parts<<<8, 128>>>(all);
  overlapping_parts<<<8, 128>>>(all);
  all_of_it<<<8, 128>>>(all);
  tails<<<8, 64>>>(all);
  Matrix matrix(b, 40, 50);
  in_rows<<<40, 128>>>(matrix);
  beyond_a_row<<<40, 128>>>(matrix);
  Rows rows(b, 40);
  of_fixed_width<<<40, 128>>>(rows);
  beyond_fixed_width<<<40, 128>>>(rows);
  Columns columns(b, 40, 50);
  in_columns<<<50, 128>>>(columns);
  too_high<<<50, 128>>>(columns);
  float *c;
  cudaMalloc(&c, 100 * 64 * sizeof(float));
  Shape frames(40, 64);
  Strided dense(frames, cuda::std::array<int, 2>{64, 1}), close(frames, cuda::std::array<int, 2>{48, 1});
  strided<<<40, 64>>>(Frames<const float>(b, close), Frames<float>(c, dense));
  strided_too_close<<<40, 64>>>(Frames<const float>(b, dense), Frames<float>(c, close));
  by_mapping<<<50, 40>>>(columns);
}
"""

test_views = verdicts(SOURCE)
