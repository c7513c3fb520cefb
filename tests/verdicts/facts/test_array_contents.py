"""Known contents of index arrays, and all that may change them between the host's loop and the kernel.

A kernel writes at indexes from an array.  It is safe if the host's loop makes all indexes different, and races as soon
as anything may change them.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome, Report
from hgrd.host.kinds import FactKind
from hgrd.host.run import run_host
from tests.checking import check, parse

KERNELS = """
#include <cuda.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <thread>
#include <thrust/device_ptr.h>
#include <utility>
#include <vector>
__global__ void scatter(int *out, const int *idx, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[idx[t]] = t;
}
__global__ void clear(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) a[t] = 0;
}
__global__ void look(int *out, const int *a) {
  const int *p = a + 1;
  out[threadIdx.x] = p[threadIdx.x];
}
__device__ int *behind;
__global__ void clear_behind() { behind[threadIdx.x] = 0; }
__device__ void zero(int *p) { *p = 0; }
__global__ void clear_below(int *a) { zero(a + threadIdx.x); }
struct Array { int *data; };
__global__ void clear_member(Array a) { a.data[threadIdx.x] = 0; }
void change(int *p);                       // its body is not given
void change_all();
void inspect(const int *p, int n) { for (int i = 0; i < n; i++) printf("%d", p[i]); }
void spoil(int *p) { p[3] = 0; }
int *somewhere();
struct Watch { void clock(int *p); };
struct Holder { int *p; };
int table[64];
void zero_table(int) { table[3] = 0; }
__device__ int named[1024];
__managed__ int managed[1024];
__global__ void clear_named() { named[threadIdx.x] = managed[threadIdx.x] = 0; }
__global__ void clear_by_number(int *a) {
  int *p;
  *(long *)&p = (long)a;
  p[threadIdx.x] = 0;
}
struct Zero { void operator()(int) const { table[3] = 0; } };
"""
MAIN = """
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]);
  int *h = (int *)malloc(n * sizeof(int)), *other = (int *)malloc(n * sizeof(int));
  int *d, *out;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&out, 100 * n * sizeof(int));
  FILL
  COPY
  BETWEEN
  scatter<<<(n + 255) / 256, 256>>>(out, d, n);
  AFTER
}
"""
IOTA = "for (int i = 0; i < n; i++) h[i] = i;"
COPY = "cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);"


def run(
    folder: Path, fill: str = IOTA, copy: str = COPY, between: str = "", after: str = "", **options: object
) -> Report:
    """The report on `scatter` with these pieces of host code."""
    pieces = {"FILL": fill, "COPY": copy, "BETWEEN": between, "AFTER": after}
    main = MAIN
    for name, piece in pieces.items():
        main = main.replace(f"  {name}\n", f"  {piece}\n")
    return check(folder, KERNELS + main, kernels=("scatter",), **options)


def outcome(report: Report) -> Outcome:
    (kernel,) = report.kernels
    return kernel.outcome


# ---------------------------------------------------------------- loops that fill an array


@pytest.mark.parametrize(
    "fill",
    [
        IOTA,
        "for (int i = 0; i <= n - 1; ++i) { h[i] = 3 * i + 7; }",
        "for (int i = n - 1; i >= 0; i--) h[i] = i;",
        "for (int i = 0; i < n; i++) h[i] = n - 1 - i;",
        "for (int i = 0; i < n; i += 1) *(h + i) = i * 2;",
        "for (size_t i = 0; i < (size_t)n; i++) h[i] = (int)i;",
        "for (unsigned i = 0; i < (unsigned)n; i++) h[i] = i;",
        "int *p = h; for (int i = 0; i < n; i++) *p++ = i;",
        "int c = 5; for (int i = 0; i < n; i++) { h[i] = c; c += 2; }",
        "int i = 0; while (i < n) { h[i] = i; i++; }",
        "for (int i = 0, j = 0; i < n; i++) { h[j] = j; j++; other[i] = 0; }",
        "int sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += 1 + rand() % 5; }",
        "h[0] = 0; for (int i = 1; i < n; i++) h[i] = h[i - 1] + 1 + rand() % 5;",
        "h[0] = 4; for (int i = 0; i < n - 1; i++) h[i + 1] = h[i] + 3;",
        "for (int i = 0; i < 1000; i++) other[i] = 1 + rand() % 5;"
        " h[0] = 0; for (int i = 0; i < 999; i++) h[i + 1] = h[i] + other[i]; n = 1000;",
        "for (int i = 0; i < 1000; i++) other[i] = 1 + rand() % 5;"
        " int sum = 0; for (int i = 0; i < 1000; i++) { h[i] = sum; sum += other[i]; } n = 1000;",
        "for (int i = 0; i < 1000; i++) h[i] = i;"
        " for (int i = 999; i > 0; i--) std::swap(h[i], h[rand() % (i + 1)]); n = 1000;",
        "for (int i = 0; i < 1000; i++) h[i] = 3 * i;"
        " for (int i = 999; i > 0; i--) { int j = rand() % 1000, t = h[i]; h[i] = h[j]; h[j] = t; } n = 1000;",
        "std::iota(h, h + n, 2);",
        "std::iota(h, h + n, 2); std::shuffle(h, h + n, std::mt19937(3));",
        "for (int i = 0; i < n; i++) h[i] = 5 * i; std::reverse(h, h + n);",
        "for (int i = 0; i < n; i++) h[i] = i; std::reverse((unsigned *)h, (unsigned *)h + n);",
        "for (int i = n - 1; i >= 0; i--) h[i] = 5 * i; std::sort(h, h + n, [](int a, int b) { return a > b; });",
    ],
)
def test_indexes_that_a_loop_makes_different(tmp_path: Path, fill: str) -> None:
    assert outcome(run(tmp_path, fill)) is Outcome.SAFE


@pytest.mark.parametrize(
    "fill",
    [
        "",
        "for (int i = 0; i < n; i++) h[i] = 0;",
        "for (int i = 0; i < n; i++) h[i] = i / 2;",
        "for (int i = 0; i < n; i++) h[i] = i & 7;",
        "for (int i = 0; i < n; i++) h[i] = (char)i;",
        "for (int i = 0; i < n / 2; i++) h[i] = i;",
        "for (int i = 1; i < n; i++) h[i] = i;",
        "for (int i = 0; i < m; i++) h[i] = i;",
        "for (int i = 0; i < n; i += 2) h[i] = i;",
        "for (int i = 0; i < n; i++) if (i != m) h[i] = i;",
        "for (int i = 0; i < n; i++) { if (i == m) continue; h[i] = i; }",
        "for (int i = 0; i < n; i++) { if (rand() == 3) break; h[i] = i; }",
        "for (int i = 0; i < n; i++) { h[i] = i; h[0] = 5; }",
        "for (int i = 0; i < n; i++) { h[i] = i; h[m] = 5; }",
        "for (int i = 0; i < n; i++) { h[i] = i; h[n - 1 - i] = 5; }",
        "for (int i = 0; i < n; i++) { h[i] = 5; h[i] = rand(); }",
        "for (int i = 0; i < n; i++) { h[i] = i; if (m > i) h[i] = 0; }",
        "for (int i = 0; i < n; i++) h[rand() % n] = i;",
        "for (int i = 0; i < n; i++) h[i + rand() % 2] = i;",
        "for (int i = 0; i < n; i++) h[i] = 10 * i + rand();",
        "for (int i = 0; i < n; i++) h[i] = other[i] + i;",
        "for (int i = 0; i < n; i++) { m += i % 3; h[i] = m; }",
        "for (int i = 0; i < n; i++) { h[i] = i; change(h); }",
        "for (int i = 0; i < n; i++) { h[i] = i; *somewhere() = 1; }",
        "int sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += rand() % 5; }",
        "int sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += other[i]; }",
        "int sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += 1; sum = sum % 8; }",
        "unsigned sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += 1 + (unsigned)rand(); }",
        "h[0] = 0; for (int i = 2; i < n; i++) h[i] = h[i - 2] + 1;",
        "h[0] = 9; for (int i = 1; i < n; i++) h[i] = other[i - 1] + 1;",
        "h[0] = 9; for (int i = 1; i < n; i++) h[i] = h[i - 1] - rand() % 2;",
        "if (m > 3) for (int i = 0; i < n; i++) h[i] = i;",
        "for (int j = 0; j < 2; j++) for (int i = 0; i < n; i++) h[i * j] = i;",
        "short *s = (short *)h; for (int i = 0; i < n; i++) s[i] = i;",
        "int *p = h; for (int i = 0; i < n; i++) { *p = i; p += m; }",
        "for (int i = 0; i < 1000; i++) other[i] = rand() % 5;"
        " h[0] = 0; for (int i = 0; i < 999; i++) h[i + 1] = h[i] + other[i]; n = 1000;",
        "for (int i = 0; i < 998; i++) other[i] = 1 + rand() % 5;"
        " h[0] = 0; for (int i = 0; i < 999; i++) h[i + 1] = h[i] + other[i]; n = 1000;",
        "for (int i = 0; i < 1000; i++) other[i] = 1 + rand() % 5; change(other);"
        " h[0] = 0; for (int i = 0; i < 999; i++) h[i + 1] = h[i] + other[i]; n = 1000;",
        "for (int i = 0; i < 1000; i++) h[i] = i; for (int i = 999; i > 0; i--) h[i] = h[rand() % (i + 1)]; n = 1000;",
        "for (int i = 0; i < 999; i++) h[i] = i;"
        " for (int i = 999; i > 0; i--) std::swap(h[i], h[rand() % (i + 1)]); n = 1000;",
        "for (int i = 0; i < 900; i++) h[i] = i;"
        " for (int i = 999; i > 0; i--) std::swap(h[i], h[rand() % (i + 1)]); n = 900;",
        "for (int i = 0; i < 1000; i++) h[i] = i / 2;"
        " for (int i = 999; i > 0; i--) std::swap(h[i], h[rand() % (i + 1)]); n = 1000;",
        "for (int i = 0; i < 1000; i++) h[i] = i;"
        " for (int i = 999; i > 0; i--) { std::swap(h[i], h[rand() % (i + 1)]); h[m] = 3; } n = 1000;",
        "for (int i = 0; i < 1000; i++) h[i] = i;"
        " for (int i = 999; i > 0; i--) { int t = h[i]; h[i] = h[i - 1]; h[m] = t; } n = 1000;",
        "for (int i = 0; i < 1000; i++) h[i] = other[i] = i;"
        " for (int i = 999; i > 0; i--) std::swap(h[i], other[rand() % (i + 1)]); n = 1000;",
        "std::iota(h, h + m, 0);",
        "std::iota(h, h + n, 0); std::shuffle(h, h + m, std::mt19937(3));",
        "std::iota(h, h + m, 0); std::shuffle(h, h + n, std::mt19937(3));",
        "std::iota(h, h + n, 0); h[3] = 5; std::shuffle(h, h + n, std::mt19937(3));",
        "std::iota(h, h + n, 0); std::shuffle(h + 1, h + n, std::mt19937(3));",
        "std::iota(h, h + n, 0); std::shuffle(h, h + n, std::mt19937(3)); h[3] = 5;",
        "for (int i = 0; i < n; i++) h[i] = m * i; std::reverse(h, h + n);",
        "for (int i = 0; i < 900 && i * i != 2500; i++) h[i] = i; n = 900;",
        "int p = 1; for (int i = 0; i < n; i++) { h[i] = (char)i; p <<= 1; }",
        "char c = 0; for (int i = 0; i < n; i++) { h[i] = c; c++; }",
        "short s = 0; for (int i = 0; i < n; i++) { h[i] = s; s += 3; }",
        "for (int i = 0; i < n; i++) h[i] = i; std::reverse((short *)h, (short *)h + n);",
        "long s = 0; for (int i = 0; i < n; i++) { h[i] = s; s += 1L << 31; }",
        "long s = 0; for (int i = 0; i < n; i++) { h[i] = s; s += 1 + rand(); }",
        "for (long i = 0; i < n; i++) h[i] = i << 31;",
        "for (int i = 0; i < n; i++) h[i] = (float)i;",
        "std::thread t([&] { h[3] = 0; }); for (int i = 0; i < n; i++) h[i] = i; t.join();",
    ],
)
def test_indexes_that_may_be_the_same(tmp_path: Path, fill: str) -> None:
    assert outcome(run(tmp_path, fill)) is Outcome.RACE


# ---------------------------------------------------------------- between the loop and the copy


@pytest.mark.parametrize(
    "then",
    [
        "inspect(h, n);",
        'printf("%d", h[0]);',
        "other[0] = 3;",
        "for (int i = 0; i < n; i++) other[i] = 0;",
        "memset(other, 0, n * sizeof(int));",
        "if (m > 3) other[m] = 0;",
        "auto start = std::chrono::steady_clock::now();",
        "cudaStream_t s; cudaStreamCreate(&s); cudaStreamSynchronize(s);",
        "std::vector<int> v(n); v[0] = 3; v.push_back(4);",
    ],
)
def test_what_leaves_the_array_alone(tmp_path: Path, then: str) -> None:
    assert outcome(run(tmp_path, f"{IOTA} {then}")) is Outcome.SAFE


@pytest.mark.parametrize(
    "then",
    [
        "h[3] = 0;",
        "h[m] = 0;",
        "*h = 5;",
        "h[m] += 1;",
        "int *p = h; p[m] = 0;",
        "int *p = m > 3 ? h : other; p[m] = 0;",
        "int *p = m > 3 ? h : m > 2 ? other : d; p[m] = 0;",
        "Holder x{h}; x.p[m] = 0;",
        "Holder *x = (Holder *)malloc(sizeof(Holder) * n); x[m].p = h; x[m / 2].p[3] = 0;",
        "int *all[2] = {h, other}; all[m][3] = 0;",
        "int **all = (int **)malloc(16); all[m] = h; *all[0] = 3;",
        "spoil(h);",
        "change(h);",
        "change_all();",
        "Holder x{h}; [&] { x.p[m] = 0; }();",
        "std::function<void()> f = [&] { h[m] = 0; }; f();",
        "std::for_each(other, other + n, [&](int i) { h[i] = 0; });",
        "memset(h, 0, n * sizeof(int));",
        "memset(h + m, 0, 4);",
        "memcpy(h, other, n * sizeof(int));",
        "memcpy(h + 2, other, m);",
        "std::fill(h, h + n, 3);",
        "std::swap(h[0], h[m]);",
        "std::swap(h, other);",
        "h = other;",
        "if (m > 3) h[m] = 0;",
        "for (int i = 0; i < m; i++) h[i] = 0;",
        "for (int i = 0; i < m; i++) if (i == 7) spoil(h);",
        "fread(h, 4, n, stdin);",
        'scanf("%d", h);',
        "cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);",
        "h = (int *)realloc(h, n * sizeof(int));",
        "*somewhere() = 3;",
        "try { if (m > 3) throw 1; } catch (int) { h[3] = 0; }",
        "again: h[m] = 0; if (rand() == 3) goto again;",
        "switch (m) { case 3: h[3] = 0; default: break; }",
        "char *c = (char *)h; c[m] = 0;",
        "long a = (long)h; *(int *)a = 7;",
        "static int *keep; keep = h; keep[m] = 0;",
        "void (*f)(int *) = m ? spoil : change; f(h);",
        "int *e = h + n; while (e-- > h + m) *e = 0;",
        "std::copy(other, other + n, h);",
        "new (h) int(4);",
        "Watch().clock(h);",
        "thrust::device_ptr<int> p(h); p[m] = 0;",
    ],
)
def test_what_may_write_the_array(tmp_path: Path, then: str) -> None:
    assert outcome(run(tmp_path, f"{IOTA} {then}")) is Outcome.RACE


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("", Outcome.SAFE),
        ("other[m] = 3; std::sort(other, other + n);", Outcome.SAFE),
        ("std::for_each(other, other + n, [](int i) { table[3] = i; });", Outcome.RACE),
        ("std::for_each(other, other + n, zero_table);", Outcome.RACE),
        ("std::for_each(other, other + n, Zero());", Outcome.RACE),
        ("zero_table(3);", Outcome.RACE),
        ("change_all();", Outcome.RACE),
        ("cudaGraphExec_t graph; cudaGraphLaunch(graph, 0);", Outcome.RACE),
    ],
)
def test_an_array_that_everybody_can_write(tmp_path: Path, then: str, expected: Outcome) -> None:
    fill = f"for (int i = 0; i < 64; i++) table[i] = 2 * i; {then} n = 64;"
    assert outcome(run(tmp_path, fill, "cudaMemcpy(d, table, sizeof(table), cudaMemcpyHostToDevice);")) is expected


# ---------------------------------------------------------------- the copy


@pytest.mark.parametrize(
    "copy",
    [
        COPY,
        "cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, 0);",
        "memcpy(other, h, n * sizeof(int)); cudaMemcpy(d, other, n * sizeof(int), cudaMemcpyHostToDevice);",
        "int bytes = n * sizeof(int); cudaMemcpy(d, h, bytes, cudaMemcpyDefault);",
        "int *e; cudaMalloc(&e, 4 * n); cudaMemcpy(e, h, n * 4, cudaMemcpyDefault);"
        "cudaMemcpy(d, e, n * 4, cudaMemcpyDefault);",
        "d = h;",
    ],
)
def test_copies(tmp_path: Path, copy: str) -> None:
    assert outcome(run(tmp_path, copy=copy)) is Outcome.SAFE


@pytest.mark.parametrize(
    "copy",
    [
        "",
        "cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);",
        "cudaMemcpy(d, h, m * sizeof(int), cudaMemcpyHostToDevice);",
        "cudaMemcpy(d, h, (n - 1) * sizeof(int), cudaMemcpyHostToDevice);",
        "cudaMemcpy(d + 1, h, n * sizeof(int), cudaMemcpyHostToDevice);",
        "cudaMemcpy(d, other, n * sizeof(int), cudaMemcpyHostToDevice);",
        "cudaMemcpy(m > 3 ? d : out, h, n * sizeof(int), cudaMemcpyHostToDevice);",
        "if (m > 3) cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);",
        "cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);",
        "cudaMemcpy2D(d, 8, h, 4, 4, n, cudaMemcpyHostToDevice);",
        "cudaStream_t s; cudaStreamCreate(&s); cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, s);",
        "cudaHostRegister(h, n * sizeof(int), 0); cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, 0);"
        " h[3] = 0;",
    ],
)
def test_copies_of_something_else(tmp_path: Path, copy: str) -> None:
    assert outcome(run(tmp_path, copy=copy)) is Outcome.RACE


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ("cudaStreamCreate(&s);", Outcome.SAFE),
        ("cudaStreamCreateWithFlags(&s, cudaStreamDefault);", Outcome.SAFE),
        ("cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);", Outcome.RACE),
        ("cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 0);", Outcome.RACE),
    ],
)
def test_a_stream_that_does_not_wait_for_a_copy(tmp_path: Path, streams: str, expected: Outcome) -> None:
    copy = f"cudaStream_t s; {streams} cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, 0);"
    assert outcome(run(tmp_path, copy=copy, between="scatter<<<n, 256, 0, s>>>(out, d, n);")) is expected


def test_an_array_that_a_library_knows_by_another_name(tmp_path: Path) -> None:
    copy = f"cusparseDnVecDescr_t v; cusparseCreateDnVec(&v, n, d, CUDA_R_32I); {COPY} MORE"
    assert outcome(run(tmp_path, copy=copy.replace("MORE", ""))) is Outcome.SAFE
    assert outcome(run(tmp_path, copy=copy.replace("MORE", "cusparseScatter(0, 0, v);"))) is Outcome.RACE


# ---------------------------------------------------------------- between the copy and the launch

CAPTURE = "cudaStream_t s; cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
LOOP = "for (int r = 0; r < m; r++) scatter<<<(n + 255) / 256, 256>>>(out, d, n);"


@pytest.mark.parametrize(
    "between",
    [
        "h[3] = 0; free(h);",
        "clear<<<n, 256>>>(out, n);",
        "look<<<1, 32>>>(out, d);",
        "cudaDeviceSynchronize();",
        "cudaMemset(out, 0, n * sizeof(int));",
        "cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);",
        LOOP,
    ],
)
def test_what_leaves_the_copy_alone(tmp_path: Path, between: str) -> None:
    assert outcome(run(tmp_path, between=between)) is Outcome.SAFE


@pytest.mark.parametrize(
    "between",
    [
        "cudaMemset(d, 0, n * sizeof(int));",
        "cudaMemset(d + m, 0, 4);",
        "cudaMemcpy(d, other, 8, cudaMemcpyHostToDevice);",
        "clear_behind<<<1, 256>>>();",
        "change(d);",
        "cuMemsetD32((CUdeviceptr)d, 0, n);",
    ],
)
def test_what_may_write_the_copy(tmp_path: Path, between: str) -> None:
    assert outcome(run(tmp_path, between=between)) is Outcome.RACE


@pytest.mark.parametrize(
    "between",
    [
        "clear<<<n, 256>>>(d, n);",
        "clear<<<n, 256>>>(m > 3 ? d : out, n);",
        "int *e = d + 1; clear<<<n, 256>>>(e, n);",
        "clear_below<<<1, 256>>>(d);",
        "clear_member<<<1, 256>>>(Array{d});",
        "clear_by_number<<<1, 256>>>(d);",
        "for (int r = 0; r < m; r++) clear<<<n, 256>>>(d, n);",
        "auto k = m > 3 ? clear : nullptr; k<<<n, 256>>>(d, n);",
        "void *a[] = {&d, &n}; cudaLaunchKernel((void *)clear, dim3(n), dim3(256), a, 0, 0);",
    ],
)
def test_what_a_kernel_writes_there_is_not_known(tmp_path: Path, between: str) -> None:
    assert outcome(run(tmp_path, between=between)) is Outcome.UNKNOWN


def test_a_kernel_behind_the_launch_in_a_loop_comes_before_the_next_one(tmp_path: Path) -> None:
    loop = "for (int r = 0; r < m; r++) { scatter<<<(n + 255) / 256, 256>>>(out, d, n); MORE }"
    assert outcome(run(tmp_path, between=loop.replace("MORE", "clear<<<n, 256>>>(out, n);"))) is Outcome.SAFE
    assert outcome(run(tmp_path, between=loop.replace("MORE", "clear<<<n, 256>>>(d, n);"))) is Outcome.UNKNOWN
    assert outcome(run(tmp_path, between=loop.replace("MORE", "cudaMemset(d, r, n);"))) is Outcome.RACE
    assert outcome(run(tmp_path, between=loop.replace("MORE", "std::swap(d, out);"))) is Outcome.UNKNOWN


@pytest.mark.parametrize(("then", "expected"), [("out", Outcome.SAFE), ("d", Outcome.RACE)])
def test_a_pointer_that_an_iteration_leaves_for_the_next_one(tmp_path: Path, then: str, expected: Outcome) -> None:
    launch = "scatter<<<(n + 255) / 256, 256>>>(out, d, n);"
    loop = f"int *p = out; for (int r = 0; r < m; r++) {{ {launch} clear<<<1, 256>>>(p, 256); p = {then}; }}"
    assert outcome(run(tmp_path, between=f"{loop} {IOTA} {COPY}")) is expected
    then = "other" if then == "out" else "h"
    loop = f"int *p = other; for (int r = 0; r < m; r++) {{ {COPY} {launch} p[3] = 0; p = {then}; }}"
    assert outcome(run(tmp_path, f"{IOTA} {loop} {IOTA}")) is expected


@pytest.mark.parametrize(("capture", "expected"), [("", Outcome.SAFE), (CAPTURE, Outcome.RACE)])
def test_a_launch_that_is_captured_runs_when_its_graph_does(tmp_path: Path, capture: str, expected: Outcome) -> None:
    between = f"{capture} scatter<<<(n + 255) / 256, 256>>>(out, d, n); cudaMemset(d, 0, n); {IOTA} {COPY}"
    assert outcome(run(tmp_path, between=between)) is expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [("clear_named<<<1, 1024>>>();", Outcome.UNKNOWN), ("cudaMemcpyToSymbol(named, other, 400);", Outcome.RACE)],
)
def test_variables_of_the_device_are_known_by_their_names(tmp_path: Path, between: str, expected: Outcome) -> None:
    copy = f"cudaGetSymbolAddress((void **)&d, named); {COPY}"
    assert outcome(run(tmp_path, copy=copy, between=between)) is expected
    assert outcome(run(tmp_path, copy=COPY, between=between)) is Outcome.SAFE


def test_a_destructor_may_write(tmp_path: Path) -> None:
    guard = "struct Guard { int *p; ~Guard() { WHAT; } } g{h};"
    assert outcome(run(tmp_path, f"{IOTA} {guard.replace('WHAT', 'free(p)')}")) is Outcome.SAFE
    assert outcome(run(tmp_path, f"{{ {guard.replace('WHAT', 'p[3] = 0')} {IOTA} }}")) is Outcome.RACE


def test_an_array_that_is_filled_and_copied_again_in_a_loop(tmp_path: Path) -> None:
    launch = "scatter<<<(n + 255) / 256, 256>>>(out, d, n);"
    loop = f"for (int r = 0; r < m; r++) {{ {IOTA} MORE {COPY} {launch} }} {IOTA} {COPY}"
    assert outcome(run(tmp_path, between=loop.replace("MORE", ""))) is Outcome.SAFE
    assert outcome(run(tmp_path, between=loop.replace("MORE", "h[3] = 0;"))) is Outcome.RACE


# ---------------------------------------------------------------- vectors


@pytest.mark.parametrize(
    ("fill", "expected"),
    [
        ("std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = i;", Outcome.SAFE),
        ("std::vector<int> v(n); for (int i = 0; i < (int)v.size(); i++) v[i] = i;", Outcome.SAFE),
        ("std::vector<int> v(n), w(n); for (int i = 0; i < n; i++) v[i] = i; w[0] = 3;", Outcome.SAFE),
        ("std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = i; v[m] = 0;", Outcome.RACE),
        ("std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = i; v.insert(v.begin(), 3);", Outcome.RACE),
        ("std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = i; for (auto &x : v) x = 0;", Outcome.RACE),
        (
            "std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = i; std::fill(v.begin(), v.end(), 0);",
            Outcome.RACE,
        ),
        ("std::vector<int> v(n), w(n); for (int i = 0; i < n; i++) v[i] = i; v.swap(w);", Outcome.RACE),
        ("std::vector<int> v(n), w(n); for (int i = 0; i < n; i++) v[i] = i; std::swap(v, w);", Outcome.RACE),
        ("std::vector<int> v(n), w(n); for (int i = 0; i < n; i++) v[i] = i; v = w;", Outcome.RACE),
        ("std::vector<int> v(n); for (int i = 0; i < n; i++) { v[i] = i; v.clear(); }", Outcome.RACE),
        (
            "std::vector<int> vs[2]; for (int i = 0; i < n; i++) vs[0][i] = i; std::vector<int> &v = vs[1];",
            Outcome.RACE,
        ),
        (
            "struct { std::vector<int> a, v; } s; for (int i = 0; i < n; i++) s.a[i] = i; std::vector<int> &v = s.v;",
            Outcome.RACE,
        ),
    ],
)
def test_vectors(tmp_path: Path, fill: str, expected: Outcome) -> None:
    copy = "cudaMemcpy(d, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);"
    assert outcome(run(tmp_path, fill, copy)) is expected


# ---------------------------------------------------------------- members, rows, ranges

BOXES = """
#include <cuda_runtime.h>
#include <cstdlib>
struct Box { int tag, offset; float weight; };
__global__ void boxes(float *out, const Box *box, int n) {
  out[box[blockIdx.x].offset + threadIdx.x] = box[blockIdx.x].weight;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]);
  Box *h = (Box *)malloc(n * sizeof(Box)), *d;
  float *out;
  cudaMalloc(&d, n * sizeof(Box));
  cudaMalloc(&out, n * 64 * sizeof(float));
  for (int i = 0; i < n; i++) { h[i].tag = rand(); h[i].offset = 64 * i; h[i].weight = 1; MORE }
  AFTER
  cudaMemcpy(d, h, n * sizeof(Box), cudaMemcpyHostToDevice);
  boxes<<<n, 64>>>(out, d, n);
}
"""


@pytest.mark.parametrize(
    ("more", "after", "expected"),
    [
        ("", "", Outcome.SAFE),
        ("h[i].tag = h[i].tag + 1;", "h[m].tag = 3; h[m].weight = 4;", Outcome.SAFE),
        ("h[i].offset = 32 * i;", "", Outcome.RACE),
        ("((int *)h)[i] = 3;", "", Outcome.RACE),
        ("*(short *)&h[m].offset = 3;", "", Outcome.RACE),
        ("", "h[m].offset = 3;", Outcome.RACE),
        ("", "((int *)h)[m] = 3;", Outcome.RACE),
        ("", "*(double *)&h[m].tag = 3;", Outcome.RACE),
        ("", "h[m] = Box{0, 0, 0};", Outcome.RACE),
    ],
)
def test_members_of_records(tmp_path: Path, more: str, after: str, expected: Outcome) -> None:
    assert outcome(check(tmp_path, BOXES.replace("MORE", more).replace("AFTER", after))) is expected


ROWS = """
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void rows(int *out, const int *row, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n)
    for (int k = row[t]; k < row[t + 1]; k++) out[k] = t;
}
__global__ void ends(int *out, const int *row, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[row[t + 1]] = t;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]);
  int *h = (int *)malloc((n + 1) * sizeof(int)), *d, *out;
  cudaMalloc(&d, (n + 1) * sizeof(int));
  cudaMalloc(&out, n * m * sizeof(int));
  FILL
  cudaMemcpy(d, h, BYTES, cudaMemcpyHostToDevice);
  KERNEL<<<(n + 127) / 128, 128>>>(out, d, n);
}
"""


SUM = "int sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += rand() % m; }"
RISE = "int sum = 0; for (int i = 0; i < n; i++) { h[i] = sum; sum += 1 + rand() % 5; }"


@pytest.mark.parametrize(
    ("kernel", "fill", "size", "expected"),
    [
        ("rows", SUM, "n", Outcome.SAFE),  # who comes last has all that is behind
        ("rows", "h[0] = 0; for (int i = 0; i < n; i++) h[i + 1] = h[i] + rand() % 7;", "n + 1", Outcome.SAFE),
        ("rows", "for (int i = 0; i <= n; i++) h[i] = i * m;", "n + 1", Outcome.SAFE),
        ("rows", f"{SUM} h[m] = sum;", "n + 1", Outcome.RACE),
        ("rows", SUM, "n - 1", Outcome.RACE),
        ("rows", "h[0] = 0; for (int i = 0; i < n; i++) h[i + 1] = h[i] + rand() % 7 - 1;", "n + 1", Outcome.RACE),
        ("ends", f"{RISE} h[n] = sum;", "n + 1", Outcome.SAFE),
        ("ends", RISE, "n + 1", Outcome.RACE),
        ("ends", f"{RISE} h[n] = sum;", "n", Outcome.RACE),
        ("ends", f"{RISE} h[n] = sum - 3;", "n + 1", Outcome.RACE),
        ("ends", f"{RISE} sum = m; h[n] = sum;", "n + 1", Outcome.RACE),
        ("ends", f"{RISE} h[0] = m; h[n] = sum;", "n + 1", Outcome.SAFE),
        ("ends", f"{RISE} h[1] = m; h[n] = sum;", "n + 1", Outcome.RACE),
        ("ends", f"{SUM} h[n] = sum;", "n + 1", Outcome.RACE),
    ],
)
def test_rows(tmp_path: Path, kernel: str, fill: str, size: str, expected: Outcome) -> None:
    program = ROWS.replace("FILL", fill).replace("BYTES", f"({size}) * sizeof(int)").replace("KERNEL", kernel)
    assert outcome(check(tmp_path, program, kernels=(kernel,))) is expected


COLUMNS = """
#include <cuda_runtime.h>
#include <cstdlib>
int below(int width) { return (int)((long)rand() * rand()) % width; }
__global__ void mark(int *out, const int *column, int n, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t * width + column[t]] = t;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), width = atoi(argv[2]);
  if (width < 1) return 1;
  unsigned seed = 7;
  int *h = (int *)malloc(n * sizeof(int)), *d, *out;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&out, n * width * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = VALUE;
  cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
  mark<<<(n + 127) / 128, 128>>>(out, d, n, width);
}
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("rand() % width", Outcome.SAFE),
        ("i % width", Outcome.SAFE),
        ("rand() % (width + 1)", Outcome.RACE),
        ("(rand() - 5) % width", Outcome.RACE),
        ("rand()", Outcome.RACE),
        ("(int)((long)rand() * rand()) % width", Outcome.RACE),
        ("(seed = seed * 1664525u + 1013904223u, (int)seed) % width", Outcome.RACE),
        ("below(width)", Outcome.RACE),
    ],
)
def test_ranges(tmp_path: Path, value: str, expected: Outcome) -> None:
    assert outcome(check(tmp_path, COLUMNS.replace("VALUE", value))) is expected


NARROW = """
#include <numeric>
#include <cstdlib>
__global__ void mark(int *out, const unsigned char *a) { out[a[threadIdx.x]] = threadIdx.x; }
int main() {
  unsigned char h[512], *d;
  int *out;
  cudaMalloc(&d, 512);
  cudaMalloc(&out, 1024);
  std::iota(h, h + 512, (unsigned char)0);
  cudaMemcpy(d, h, 512, cudaMemcpyHostToDevice);
  mark<<<1, COUNT>>>(out, d);
}
"""


@pytest.mark.parametrize(("count", "expected"), [("256", Outcome.SAFE), ("512", Outcome.RACE)])
def test_iota_begins_again_where_the_type_ends(tmp_path: Path, count: str, expected: Outcome) -> None:
    assert outcome(check(tmp_path, NARROW.replace("COUNT", count))) is expected


MOVED = """
#include <algorithm>
__global__ void mark(int *out, const int *a) { out[a[threadIdx.x]] = threadIdx.x; }
int main() {
  int h[64], other[64] = {}, *d, *out;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&out, 1024);
  for (int i = 0; i < 64; ++i) h[i] = i;
  MOVE
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  mark<<<1, 64>>>(out, d);
}
"""


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        ("", Outcome.SAFE),
        ("int *same = std::move(h);", Outcome.SAFE),
        ("std::move(other, other + 64, h);", Outcome.RACE),
    ],
)
def test_moving_a_range_changes_what_it_is_moved_to(tmp_path: Path, move: str, expected: Outcome) -> None:
    assert outcome(check(tmp_path, MOVED.replace("MOVE", move))) is expected


# ---------------------------------------------------------------- how it is said


def test_a_proof_names_what_it_rests_on_and_does_without_when_asked_to(tmp_path: Path) -> None:
    report = run(tmp_path)
    (kernel,) = report.kernels
    line = 1 + (KERNELS + MAIN).splitlines().index("  FILL")
    used = [(u.text, u.span.line) for u in kernel.launches[0].assumptions if u.kind == FactKind.CONTENTS.value]
    assert used == [("d[k] == k for 0 <= k < n", line)]
    assert outcome(run(tmp_path, without=frozenset({FactKind.CONTENTS}))) is Outcome.RACE


def test_a_number_of_bytes_in_an_int_is_not_cut(tmp_path: Path) -> None:
    report = run(tmp_path, copy="int bytes = n * sizeof(int); cudaMemcpy(d, h, bytes, cudaMemcpyDefault);")
    texts = [u.text for u in report.kernels[0].launches[0].assumptions]
    assert "bytes == n * 4" in texts
    assert "n * 4 does not leave 32 bits signed" in texts


@pytest.mark.parametrize(
    ("fill", "said"),
    [
        (IOTA, "d[k] == k for 0 <= k < n"),
        (
            "for (int i = 2; i < n; i++) h[i] = 3 * i;",
            "d[k + 2] == k * 3 + 6 for 0 <= k < n - 2, if nothing signed overflows there",
        ),
        ("for (int i = n; i > 0; i--) h[i - 1] = m;", "d[n - 1 + k * -1] == m for 0 <= k < n"),
        (
            "int s = 3; for (int i = 0; i < n; i++) { h[i] = s; s = s + m; }",
            "d[k] == m * k + 3 for 0 <= k < n, if nothing signed overflows there",
        ),
        (f"{IOTA} h[m] = 3;", "d[k] == k for 0 <= k < n, but in 4 bytes at m * 4"),
        ("for (int i = 0; i < n; i++) h[i] = rand() % 6;", "0 <= d[k] < 6 for 0 <= k < n"),
        (
            "int s = 3; for (int i = 0; i < n; i++) { h[i] = s; s += rand() % 6 + 2; }",
            "d[k] + 2 <= d[k + 1] for 0 <= k < n - 1",
        ),
    ],
)
def test_facts_are_said_in_source_terms(tmp_path: Path, fill: str, said: str) -> None:
    main = MAIN.replace("FILL", fill).replace("COPY", COPY).replace("BETWEEN", "").replace("AFTER", "")
    (launch,) = run_host((parse(tmp_path, KERNELS + main),)).launches
    assert [holding.fact.text for holding in launch.contents] == [said]
