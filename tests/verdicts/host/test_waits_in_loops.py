"""Waits in loops over containers of objects: where it is not known which streams these wait for, nothing is assumed."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
class Part {
 public:
  Part(float *host, int n) : host_(host) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&data_, n * 4);
    put<<<(n + 255) / 256, 256, 0, stream_>>>(data_, n);
    cudaMemcpyAsync(host_, data_, 4, cudaMemcpyDeviceToHost, stream_);
  }
  Part(Part &&o) noexcept : stream_(o.stream_), data_(o.data_), host_(o.host_) { o.stream_ = nullptr; }
  void wait() const { cudaStreamSynchronize(stream_); }
  const float &value() const { return *host_; }

 private:
  cudaStream_t stream_ = nullptr;
  float *data_ = nullptr, *host_;
};
int main(int argc, char **argv) {
  int parts = argc + 3;
  float *results, sum = 0;
  cudaMallocHost(&results, parts * 4);
  std::vector<Part> all;
  for (int k = 0; k < parts; ++k) all.emplace_back(results + k, 1000);
  WAIT
  for (const auto &part : all) sum += part.value();
  printf("%f", sum);
}
"""


@pytest.mark.parametrize(
    ("wait", "outcome"),
    [
        ("for (size_t k = 0; k + 1 < all.size(); ++k) all[k].wait();", Outcome.UNKNOWN),
        ("cudaDeviceSynchronize();", Outcome.SAFE),
    ],
)
def test_a_loop_that_may_leave_one_out(tmp_path: Path, wait: str, outcome: Outcome) -> None:
    assert outcomes_of_launches(check(tmp_path, PROGRAM.replace("WAIT", wait))) == {outcome}
