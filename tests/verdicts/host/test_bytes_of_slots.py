"""Files get the bytes of a slot while a copy may still fill it: what the pointer of a slot leads to is read there."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <array>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <fstream>
#include <future>
struct Slot { float *host = nullptr; std::future<void> written; };
__global__ void step(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
class Dumper {
public:
  Dumper() : out_("frames", std::ios::binary), file_(fopen("frames", "wb")) {
    for (auto &s : slots_) cudaMallocHost(&s.host, 4096);
  }
  void submit(const float *x, cudaStream_t stream) {
    Slot &s = slots_[count_++ % slots_.size()];
    BEFORE
    cudaMemcpyAsync(s.host, x, 4096, cudaMemcpyDeviceToHost, stream);
    AFTER
    s.written = std::async(std::launch::async, [this, &s, stream] {
      cudaStreamSynchronize(stream);
      float copied[1024];
      USE
    });
  }
private:
  std::ofstream out_;
  FILE *file_;
  size_t count_ = 0;
  std::array<Slot, 3> slots_;
};
int main(int argc, char **argv) {
  float *d;
  cudaMalloc(&d, 4096);
  cudaStream_t s;
  cudaStreamCreate(&s);
  Dumper dumper;
  for (int frame = 0; frame < argc; frame++) {
    step<<<4, 256, 0, s>>>(d, 1024);
    dumper.submit(d, s);
  }
  cudaDeviceSynchronize();
}
"""
USES = {
    "a stream": "out_.write(reinterpret_cast<const char *>(s.host), 4096);",
    "a file": "fwrite(s.host, sizeof(float), 1024, file_);",
    "a copy": "memcpy(copied, s.host, 4096);",
}
JOIN = "if (s.written.valid()) s.written.get();"


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(("before", "after", "outcome"), [(JOIN, "", Outcome.SAFE), ("", JOIN, Outcome.UNKNOWN)])
def test_threads_that_write_slots(tmp_path: Path, use: str, before: str, after: str, outcome: Outcome) -> None:
    text = PROGRAM.replace("BEFORE", before).replace("AFTER", after).replace("USE", USES[use])
    report = check(tmp_path, text)
    assert decided(report) == (2, 2)
    assert outcomes_of_launches(report) == {outcome}
