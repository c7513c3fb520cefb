"""Strides of nested rows: rows that fit into their stride, and slices into theirs, are what callers make sure of."""

from tests.checking import verdicts

test_nested_rows = verdicts("""
struct Shape { int b, h, n, chunks; unsigned bs, hs, rs, zs; float *out, *z; };

// race: write row, write row; global; grid (unless p.n <= p.hs && p.h * p.hs <= p.bs)
__global__ void two_levels(Shape p) {
  float *out = p.out + blockIdx.x * p.bs + blockIdx.y * p.hs;
  for (int chunk = 0; chunk < p.chunks; ++chunk) {
    for (int i = 0; i < 4; ++i) {
      int l = threadIdx.x * 4 + i;
      if (l < p.n - chunk * 128) out[l] = threadIdx.x + blockIdx.y;  // row
    }
    out += 128;
  }
}
void launch_two_levels(Shape &p) { two_levels<<<dim3(p.b, p.h), 32>>>(p); }

// race: write last, write last; global; grid
__global__ void one_more(Shape p) {
  float *out = p.out + blockIdx.x * p.bs + blockIdx.y * p.hs;
  for (int i = threadIdx.x; i <= p.n; i += blockDim.x) out[i] = threadIdx.x + blockIdx.y;  // last
}
void launch_one_more(Shape &p) { one_more<<<dim3(p.b, p.h), 32>>>(p); }

// race: write pair, write pair; global; grid (unless p.n <= p.hs * 2 && p.h * p.hs * 2 <= p.bs)
__global__ void two_rows_each(Shape p) {
  float *out = p.out + blockIdx.x * p.bs + blockIdx.y * 2 * p.hs;
  for (int i = threadIdx.x; i < p.n; i += blockDim.x) out[i] = threadIdx.x + blockIdx.y;  // pair
}
void launch_two_rows_each(Shape &p) { two_rows_each<<<dim3(p.b, p.h), 32>>>(p); }

// race: write vector, write vector; global; grid (unless p.chunks * 128 <= p.hs && p.h * p.hs <= p.bs)
__global__ void whole_chunks(Shape p) {
  float *out = p.out + blockIdx.x * p.bs + blockIdx.y * p.hs;
  for (int chunk = 0; chunk < p.chunks; ++chunk) {
    out[chunk * 128 + threadIdx.x * 4 + 1] = threadIdx.x + blockIdx.y;  // vector
  }
}
void launch_whole_chunks(Shape &p) { whole_chunks<<<dim3(p.b, p.h), 32>>>(p); }

// race: write z, write z; global; grid (unless p.n <= p.hs && p.h * p.hs <= p.bs && p.n <= p.rs && p.h * p.rs <= p.zs)
__device__ void store(float *to, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = threadIdx.x + blockIdx.y;  // z
}
__global__ void two_arrays(Shape p) {
  store(p.out + blockIdx.x * p.bs + blockIdx.y * p.hs, p.n);
  store(p.z + blockIdx.x * p.zs + blockIdx.y * p.rs, p.n);
}
void launch_two_arrays(Shape &p) { two_arrays<<<dim3(p.b, p.h), 32>>>(p); }

// race: write three, write three; global; grid (unless p.n <= p.rs && p.h * p.rs <= p.hs && p.b * p.hs <= p.bs)
__global__ void three_levels(Shape p) {
  float *out = p.out + blockIdx.z * p.bs + blockIdx.y * p.hs + blockIdx.x * p.rs;
  for (int i = threadIdx.x; i < p.n; i += blockDim.x) out[i] = threadIdx.x + blockIdx.y;  // three
}
void launch_three_levels(Shape &p) { three_levels<<<dim3(p.h, p.b, 9), 32>>>(p); }
""")
