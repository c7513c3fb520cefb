"""Divergence is shown for sizes that are not negative, and is not said of a kernel that needs negative ones for it."""

from pathlib import Path

from tests.checking import check

SOURCE = """
__global__ void rows(float *a, int rows, int columns) {
  __shared__ float s[512];
  for (int i = threadIdx.x / 32; i < rows * columns; i += blockDim.x / 32) {
    s[threadIdx.x] = a[i];
    __syncthreads();
  }
}
__global__ void all(int n) { if (threadIdx.x < 64 + n) __syncthreads(); }
__global__ void all_but_four(int n) { if (threadIdx.x < 60 + n) __syncthreads(); }
void run(float *a, int n, int m) {
  rows<<<1, 512>>>(a, n, m);
  all<<<1, 64>>>(n);
  all_but_four<<<1, 64>>>(n);
}
"""


def test_sizes_are_not_negative(tmp_path: Path) -> None:
    kernels = {k.kernel: k for k in check(tmp_path, SOURCE).kernels}
    for name, line in (("rows", 6), ("all_but_four", 10)):
        (divergence,) = kernels[name].divergences
        assert divergence.span.line == line
        assert divergence.witness.inputs
        assert all(value >= 0 for _, value in divergence.witness.inputs)
    assert kernels["all"].divergences == ()
    (launch,) = kernels["all"].launches
    assert [b.reason for b in launch.open_barriers] == ["it is found only where a size is negative: n"]
