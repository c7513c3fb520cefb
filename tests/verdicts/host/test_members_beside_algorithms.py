"""Containers of numbers that are members: what the library does with them and with streams stores no pointers there."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>
#include <vector>
struct More { __device__ float operator()(float x) const { return x + 1; } };
__global__ void smooth(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i > 0) y[i] = x[i] + x[i - 1];
}
class Pipe {
 public:
  explicit Pipe(int n) : raw_(n), more_(n), smooth_(n) { cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking); }
  void run(const std::vector<float> &in) {
    const int n = int(in.size());
    cudaMemcpy(thrust::raw_pointer_cast(raw_.data()), in.data(), n * 4, cudaMemcpyHostToDevice);
    ALGORITHM
    smooth<<<(n + 255) / 256, 256, 0, s_>>>(thrust::raw_pointer_cast(more_.data()), GIVEN, n);
    cudaStreamSynchronize(s_);
  }

 private:
  thrust::device_vector<float> raw_, more_, smooth_;
  cudaStream_t s_{};
};
int main() {
  const int n = 1 << 20;
  Pipe pipe(n);
  std::vector<float> in(n);
  for (int p = 0; p < 3; p++) pipe.run(in);
}
"""
ALGORITHMS = (
    "thrust::transform(thrust::cuda::par.on(s_), raw_.begin(), raw_.end(), more_.begin(), More());",
    "thrust::transform(raw_.begin(), raw_.end(), more_.begin(), More());",
    "thrust::copy(raw_.begin(), raw_.end(), more_.begin()); thrust::sort(more_.begin(), more_.end());",
    "thrust::fill(more_.begin(), more_.end(), 1.f);",
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_members_are_apart(tmp_path: Path, algorithm: str) -> None:
    text = PROGRAM.replace("ALGORITHM", algorithm).replace("GIVEN", "thrust::raw_pointer_cast(smooth_.data())")
    (kernel,) = check(tmp_path, text, kernels=("smooth",)).kernels
    assert kernel.outcome is Outcome.SAFE
    assert [(n.pairs, n.discharged) for n in kernel.launches] == [(1, 1)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_of_them_given_twice_is_not(tmp_path: Path, algorithm: str) -> None:
    text = PROGRAM.replace("ALGORITHM", algorithm).replace("GIVEN", "thrust::raw_pointer_cast(more_.data())")
    (kernel,) = check(tmp_path, text, kernels=("smooth",)).kernels
    line = 1 + text[: text.index("y[i] =")].count("\n")
    assert [(f.first.span.line, f.second.span.line) for f in kernel.findings] == [(line, line)]
