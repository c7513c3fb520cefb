"""Parts of one object that work on two streams uses: unknown where they clearly overlap, else an assumption."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, launched_in

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdlib>
struct View { float *p; int first; int n; };
__device__ float shared_by_name[64];
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void part(float *x, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[first + i] = i;
}
__global__ void odd(float *x, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[2 * i + k] = i;
}
__global__ void last(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
__global__ void all(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = i;
}
__global__ void shift(const float *x, float *y, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = first + i;
  if (i < n && at < 4096) y[at] = x[at];
}
__global__ void fill(View v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < v.n) v.p[v.first + i] = i; }
__global__ void named(float v) { shared_by_name[threadIdx.x] = v; }
__global__ void reads_named(float *y) { y[threadIdx.x] = shared_by_name[63 - threadIdx.x]; }

int main(int argc, char **argv) {
  const int N = 4096;
  int n = atoi(argv[1]), h = n / 2;
  float *x, *y, *d, *host;
  cudaMalloc(&x, N * sizeof(float)), cudaMalloc(&y, N * sizeof(float)), cudaMalloc(&d, n * sizeof(float));
  cudaMallocHost(&host, N * sizeof(float));
  cudaStream_t a, b, s[4];
  cudaStreamCreate(&a), cudaStreamCreate(&b);
  for (int i = 0; i < 4; i++) cudaStreamCreate(&s[i]);
  BODY
  cudaDeviceSynchronize();
}
"""

TWINS = [  # what overlaps, what does not
    ("put<<<8, 256, 0, a>>>(x, 2048); put<<<8, 256, 0, b>>>(x + {}, 2048);", "2047", "2048"),
    ("put<<<(n + 255) / 256, 256, 0, a>>>(d, h); put<<<(n + 255) / 256, 256, 0, b>>>(d + {}, n - h);", "h - 1", "h"),
    ("part<<<8, 256, 0, a>>>(x, 0, 2048); part<<<8, 256, 0, b>>>(x, {}, 2048);", "2047", "2048"),
    ("odd<<<8, 256, 0, a>>>(x, 0, 2048); odd<<<8, 256, 0, b>>>(x, {}, 2047);", "2", "1"),
    ("put<<<1, 256, 0, a>>>(x, N); last<<<1, 256, 0, b>>>(x, y, {});", "400", "N"),
    ("all<<<1, 256, 0, a>>>(x, {}); put<<<4, 256, 0, b>>>(x + 1024, 1024);", "1025", "1024"),
    ("for (int i = 0; i < 4; i++) put<<<5, 256, 0, s[i]>>>(x + i * 1024, {});", "i < 3 ? 1025 : 1024", "1024"),
    (
        "for (int i = 0; i < 3; i++) {{ put<<<4, 256, 0, s[i]>>>(x + i * 1024, 1024);"
        "shift<<<4, 256, 0, s[i]>>>(x, y, i * 1024 + {}, 1024); }}",
        "1",
        "0",
    ),
    ("fill<<<8, 256, 0, a>>>(View{{x, 0, 2048}}); fill<<<8, 256, 0, b>>>(View{{x, {}, 2048}});", "2000", "2048"),
    ("named<<<1, 64, 0, a>>>(1); reads_named<<<1, 64, 0, {}>>>(y);", "b", "a"),
    ("put<<<8, 256, 0, a>>>(x, 2048); cudaMemcpyAsync(host, x + {}, 8192, cudaMemcpyDeviceToHost, b);", "2047", "2048"),
    ("put<<<8, 256, 0, a>>>(x + 2048, 2048); cudaMemcpyAsync(x, host, {}, cudaMemcpyHostToDevice, b);", "8196", "8192"),
    ("cudaMemsetAsync(x, 0, {}, b); put<<<4, 256, 0, a>>>(x + 1024, 1024);", "4097", "4096"),
]


@pytest.mark.parametrize(("body", "over", "apart"), TWINS, ids=range(len(TWINS)))
def test_parts_that_overlap(tmp_path: Path, body: str, over: str, apart: str) -> None:
    found = [
        check(tmp_path, PROGRAM.replace("BODY", body.format(part)), kernels=launched_in(body)) for part in (over, apart)
    ]
    racing, clear = ([n for k in report.kernels for n in k.launches if n.launch_span is not None] for report in found)
    assert all(n.outcome is not Outcome.SAFE for n in racing)
    assert all("may run at the same time and" in pair.reason for n in racing for pair in n.open_pairs)
    assert {(n.outcome, n.pairs - n.discharged) for n in clear} == {(Outcome.SAFE, 0)}
    assert sum(n.pairs for n in clear) > 0
