"""Whole kernels against references in numpy."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from hgrd.simulate.launch import Finished
from hgrd.simulate.lockstep.memory import Memory
from tests.simulate.running import compiled, launch, run

RANDOM = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.random(shape, np.float32)


def test_matrix_product_with_tiles(tmp_path: Path):
    text = """
    #define T 8
    __global__ void product(const float *a, const float *b, float *c, int n) {
      __shared__ float s[T][T], u[T][T];
      int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
      float sum = 0;
      for (int m = 0; m < n / T; ++m) {
        s[threadIdx.y][threadIdx.x] = a[row * n + m * T + threadIdx.x];
        u[threadIdx.y][threadIdx.x] = b[(m * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += s[threadIdx.y][k] * u[k][threadIdx.x];
        __syncthreads();
      }
      c[row * n + col] = sum;
    }"""
    n = 32
    a, b, c = floats(n, n), floats(n, n), np.zeros((n, n), np.float32)
    run(tmp_path, text, (n // 8, n // 8), (8, 8), a, b, c, n)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_reduction_in_shared_memory_and_warps(tmp_path: Path):
    text = """
    __device__ int warp_sum(int v) {
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
      return v;
    }
    __global__ void sum(const int *x, int *out, int n) {
      extern __shared__ int s[];
      int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
      s[t] = (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
      __syncthreads();
      for (unsigned d = blockDim.x / 2; d >= 64; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
      }
      if (t < 32) {
        int v = warp_sum(s[t] + s[t + 32]);
        if (t == 0) atomicAdd(out, v);
      }
    }"""
    x = RANDOM.integers(-1000, 1000, 5000, dtype=np.int32)
    out = np.zeros(1, np.int32)
    run(tmp_path, text, 10, 256, x, out, 5000, shared=1024)
    assert out[0] == x.sum()


def test_scan_of_a_block(tmp_path: Path):
    text = """
    __global__ void scan(int *x) {
      __shared__ int s[2][128];
      int t = threadIdx.x, at = 0;
      s[0][t] = x[t];
      __syncthreads();
      for (int d = 1; d < 128; d *= 2) {
        at = 1 - at;
        s[at][t] = s[1 - at][t] + (t >= d ? s[1 - at][t - d] : 0);
        __syncthreads();
      }
      x[t] = s[at][t];
    }"""
    x = RANDOM.integers(0, 100, 128, dtype=np.int32)
    expected = np.cumsum(x)
    run(tmp_path, text, 1, 128, x)
    assert x.tolist() == expected.tolist()


def test_histogram(tmp_path: Path):
    text = """
    __global__ void count(const unsigned char *x, unsigned *bins, int n) {
      __shared__ unsigned s[256];
      s[threadIdx.x] = 0;
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i]], 1u);
      __syncthreads();
      atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
    }"""
    x = RANDOM.integers(0, 256, 10000).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    run(tmp_path, text, 4, 256, x, bins, 10000)
    assert bins.tolist() == np.bincount(x, minlength=256).tolist()


def test_stencil_of_structs(tmp_path: Path):
    text = """
    struct Grid { int n; float h; __device__ bool inside(int i) const { return i > 0 && i < n - 1; } };
    __global__ void heat(const float *a, float *b, Grid g) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (g.inside(i)) b[i] = a[i] + g.h * (a[i - 1] - 2 * a[i] + a[i + 1]);
    }"""
    a, b = floats(200), np.zeros(200, np.float32)
    grid = np.array([(200, 0.25)], [("n", "i4"), ("h", "f4")]).tobytes()
    run(tmp_path, text, 4, 64, a, b, grid)
    expected = a[1:-1] + np.float32(0.25) * (a[:-2] - 2 * a[1:-1] + a[2:])
    np.testing.assert_allclose(b[1:-1], expected, rtol=1e-6)
    assert b[0] == b[-1] == 0


def test_bitonic_sort(tmp_path: Path):
    text = """
    __device__ void order(int &a, int &b, bool up) { if ((a > b) == up) { int t = a; a = b; b = t; } }
    __global__ void sort(int *x) {
      __shared__ int s[256];
      int t = threadIdx.x;
      s[t] = x[t];
      for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
          __syncthreads();
          int other = t ^ j;
          if (other > t) order(s[t], s[other], (t & k) == 0);
        }
      __syncthreads();
      x[t] = s[t];
    }"""
    x = RANDOM.integers(-1000, 1000, 256, dtype=np.int32)
    expected = np.sort(x)
    run(tmp_path, text, 1, 256, x)
    assert x.tolist() == expected.tolist()


def test_transpose_through_a_tile(tmp_path: Path):
    text = """
    template <int N> __global__ void transpose(const double *in, double *out, int w, int h) {
      __shared__ double tile[N][N + 1];
      int x = blockIdx.x * N + threadIdx.x, y = blockIdx.y * N + threadIdx.y;
      for (int j = 0; j < N; j += blockDim.y)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
      __syncthreads();
      x = blockIdx.y * N + threadIdx.x;
      y = blockIdx.x * N + threadIdx.y;
      for (int j = 0; j < N; j += blockDim.y)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
    }
    void host(const double *a, double *b) { transpose<16><<<dim3(3, 2), dim3(16, 4)>>>(a, b, 40, 25); }"""
    a, b = RANDOM.random((25, 40)), np.zeros((40, 25))
    run(tmp_path, text, (3, 2), (16, 4), a, b, 40, 25)
    assert (b == a.T).all()


def test_bodies_with_vector_types(tmp_path: Path):
    text = """
    __device__ float3 pull(float4 a, float4 b, float3 f) {
      float3 r = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
      float d = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
      float s = b.w * rsqrtf(d * d * d);
      f.x += r.x * s; f.y += r.y * s; f.z += r.z * s;
      return f;
    }
    __global__ void bodies(const float4 *p, float4 *force, int n) {
      __shared__ float4 near[32];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float4 me = p[i];
      float3 f = {0.f, 0.f, 0.f};
      for (int tile = 0; tile < gridDim.x; tile++) {
        near[threadIdx.x] = p[tile * blockDim.x + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) f = pull(me, near[j], f);
        __syncthreads();
      }
      force[i] = make_float4(f.x, f.y, f.z, 0.f);
    }"""
    n = 64
    p, force = floats(n, 4), np.zeros((n, 4), np.float32)
    run(tmp_path, text, 2, 32, p, force, n)
    r = p[None, :, :3].astype(float) - p[:, None, :3]
    d = (r**2).sum(-1) + 0.01
    expected = (r * (p[None, :, 3] / d**1.5)[..., None]).sum(1)
    np.testing.assert_allclose(force[:, :3], expected, rtol=1e-4, atol=1e-4)


def test_sparse_rows_by_warps(tmp_path: Path):
    text = """
    __global__ void spmv(const int *rows, const int *cols, const float *v, const float *x, float *y, int n) {
      int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
      if (row >= n) return;
      float sum = 0;
      for (int k = rows[row] + lane; k < rows[row + 1]; k += 32) sum += v[k] * x[cols[k]];
      for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
      if (lane == 0) y[row] = sum;
    }"""
    n = 37
    counts = RANDOM.integers(0, 90, n)
    rows = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    cols = RANDOM.integers(0, n, rows[-1], dtype=np.int32)
    v, x, y = floats(rows[-1]), floats(n), np.zeros(n, np.float32)
    run(tmp_path, text, 10, 128, rows, cols, v, x, y, n)
    expected = [float((v[a:b].astype(float) * x[cols[a:b]]).sum()) for a, b in pairwise(rows)]
    np.testing.assert_allclose(y, expected, rtol=1e-5)


def test_option_prices(tmp_path: Path):
    text = """
    __device__ inline float cnd(float d) {
      const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
      float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
      float c = 0.39894228040143267f * __expf(-0.5f * d * d) * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
      return d > 0 ? 1.0f - c : c;
    }
    __global__ void price(float *call, const float2 *stock, float r, float v) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float s = stock[i].x, x = stock[i].y, q = sqrtf(2.0f);
      float d1 = (__logf(s / x) + (r + 0.5f * v * v) * 2.0f) / (v * q);
      call[i] = s * cnd(d1) - x * __expf(-r * 2.0f) * cnd(d1 - v * q);
    }"""
    stock = (floats(100, 2) * 50 + 20).astype(np.float32)
    call = np.zeros(100, np.float32)
    run(tmp_path, text, 4, 25, call, stock, 0.02, 0.3)
    from math import erf

    s, x = stock.astype(float).T
    d1 = (np.log(s / x) + (0.02 + 0.045) * 2) / (0.3 * 2**0.5)
    n = np.vectorize(lambda z: 0.5 + 0.5 * erf(z / 2**0.5))
    np.testing.assert_allclose(call, s * n(d1) - x * np.exp(-0.04) * n(d1 - 0.3 * 2**0.5), rtol=1e-3, atol=1e-3)


def test_globals_keep_their_contents_between_launches(tmp_path: Path):
    text = """
    __constant__ int step[2] = {3, 4};
    __device__ int total;
    __global__ void add() { atomicAdd(&total, step[threadIdx.x]); }"""
    kernel, memory = compiled(tmp_path, text), Memory()
    for _ in range(2):
        assert isinstance(launch(kernel, 3, 2, memory=memory), Finished)
    assert memory.contents("total", np.int32).tolist() == [42]
    memory = Memory()
    memory.define("step", "step", np.array([10, 20], np.int32))
    assert isinstance(launch(kernel, 3, 2, memory=memory), Finished)
    assert memory.contents("total", np.int32).tolist() == [90]


def test_recursion_loops_and_jumps(tmp_path: Path):
    text = """
    __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    __device__ int odd_sum(int n) {
      int s = 0;
      for (int i = 0;; ++i) { if (i % 2 == 0) continue; if (i > n) break; s += i; }
      do { s++; if (s > 100) return s; } while (s % 3);
      return s;
    }
    __device__ int kind(int x) {
      switch (x % 5) { case 0: return 10; case 1: x += 100; case 2: x++; break; default: x = -x; }
      return x;
    }
    __global__ void k(int *a) {
      int t = threadIdx.x;
      a[3 * t] = fib(t); a[3 * t + 1] = odd_sum(t); a[3 * t + 2] = kind(t);
    }"""

    def odd_sum(n: int) -> int:
        s = sum(i for i in range(n + 1) if i % 2)
        while True:
            s += 1
            if s > 100 or s % 3 == 0:
                return s

    def kind(x: int) -> int:
        return [10, x + 101, x + 1, -x, -x][x % 5]

    fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    a = np.zeros(36, np.int32)
    run(tmp_path, text, 1, 12, a)
    assert a.reshape(12, 3).tolist() == [[fib[t], odd_sum(t), kind(t)] for t in range(12)]


def test_jumps_to_labels(tmp_path: Path):
    """Out of two loops at once, back to the start, and past statements."""
    text = """
    __global__ void k(int *a) {
      int t = threadIdx.x, i, j, rounds = 0;
    again:
      ++rounds;
      for (i = 0; i < 5; ++i)
        for (j = 0; j < 5; ++j)
          if (i * j == t) goto found;
      a[t] = -rounds;
      return;
    found:
      if (rounds < t % 3) goto again;
      a[t] = 100 * rounds + 10 * i + j;
    }"""
    a = np.zeros(14, np.int32)
    run(tmp_path, text, 1, 14, a)
    expected = []
    for t in range(14):
        at = next(((i, j) for i in range(5) for j in range(5) if i * j == t), None)
        expected.append(-1 if at is None else 100 * max(1, t % 3) + 10 * at[0] + at[1])
    assert a.tolist() == expected


def test_local_arrays_and_pointers(tmp_path: Path):
    text = """
    struct Pair { int a; short b; };
    __device__ void fill(int *p, int n, int v) { while (n-- > 0) *p++ = v++; }
    __global__ void k(int *out, unsigned long long n) {
      int t = threadIdx.x, buffer[4];
      fill(buffer, 4, 10 * t);
      int *end = buffer + 4, sum = 0;
      for (int *p = buffer; p != end; ++p) sum += *p;
      Pair q = {sum, (short)(end - buffer)}, r = q, *which = t & 1 ? &q : &r;
      which->b += 7;
      int z[3] = {5};
      unsigned long long last = n - 1;
      buffer[last] += 1;
      out[t] = q.a + 1000 * q.b + 100000 * r.b + z[0] + z[2] + buffer[t % 4];
    }"""
    out = np.zeros(5, np.int32)
    run(tmp_path, text, 1, 5, out, 4)
    expected = []
    for t in range(5):
        q, r = (11, 4) if t & 1 else (4, 11)
        expected.append(40 * t + 6 + 1000 * q + 100000 * r + 5 + 10 * t + t % 4 + (t == 3))
    assert out.tolist() == expected


def test_lambdas_templates_and_pointers_to_functions(tmp_path: Path):
    text = """
    template <class F> __device__ int twice(F f, int x) { return f(f(x)); }
    __device__ int plus1(int x) { return x + 1; }
    __device__ int times2(int x) { return x * 2; }
    __global__ void k(int *out) {
      int t = threadIdx.x;
      int (*f)(int) = t % 2 ? plus1 : times2;
      out[t] = twice([=](int x) { return x * 10 + t; }, 1) + 1000 * f(t);
    }"""
    out = np.zeros(4, np.int32)
    run(tmp_path, text, 1, 4, out)
    assert out.tolist() == [100 + 11 * t + 1000 * (t + 1 if t % 2 else 2 * t) for t in range(4)]
