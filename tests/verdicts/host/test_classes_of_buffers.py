"""Classes that keep their buffers, streams and events in vectors: which of them a launch gets, and what orders it."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <utility>
#include <vector>
__global__ void delay(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = i >= 5 ? in[i - 5] : 0.f;
}
class Chain {
  std::vector<float *> buffers_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> done_;
  int n_;
public:
  Chain(int stages, int n) : buffers_(stages + 1), streams_(stages), done_(stages), n_(n) {
    for (auto &b : buffers_) cudaMalloc(&b, n * sizeof(float));
    for (auto &s : streams_) cudaStreamCreate(&s);
    for (auto &e : done_) cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  }
  void run() {
    for (size_t k = 0; k < streams_.size(); ++k) {
      if (k > 0) cudaStreamWaitEvent(streams_[k], done_[WAITS], 0);
      delay<<<(n_ + 255) / 256, 256, 0, streams_[k]>>>(buffers_[k], buffers_[OUT], n_);
      cudaEventRecord(done_[k], streams_[k]);
    }
    cudaDeviceSynchronize();
  }
};
int main() {
  Chain chain(STAGES, 1 << 16);
  chain.run();
}
"""


@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize(
    ("waits", "out", "outcome"),
    [
        ("k - 1", "k + 1", Outcome.SAFE),
        ("k", "k + 1", Outcome.RACE),
        ("0", "k + 1", Outcome.RACE),
        ("k - 1", "k + (k == 0)", Outcome.RACE),
    ],
)
def test_stages(tmp_path: Path, stages: int, waits: str, out: str, outcome: Outcome) -> None:
    if stages == 2 and waits == "0":
        outcome = Outcome.SAFE  # the first stage is the one before
    text = PROGRAM.replace("STAGES", str(stages)).replace("WAITS", waits).replace("OUT", out)
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome is outcome
    assert len(kernel.launches) == stages
    assert all(site.pairs == site.discharged for site in kernel.launches) or outcome is Outcome.RACE


COPIES = """
#include <cuda_runtime.h>
#include <utility>
#include <vector>
__global__ void shift(float *a, float *b, int n) { int i = threadIdx.x; if (i + 1 < n) a[i] = b[i + 1]; }
struct Held { int n; std::vector<float *> p, q; };
struct Twice { std::vector<float *> p, q; Twice(std::vector<float *> &v) : p(v), q(std::move(v)) {} };
int main() {
  Held d;
  d.n = 64;
  for (int i = 0; i < 3; i++) { float *x; cudaMalloc(&x, 4096); d.p.push_back(x); }
  std::vector<float *> w(2);
  for (auto &x : w) cudaMalloc(&x, 4096);
  BODY
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "Held e = d; shift<<<1, 64>>>(d.p[0], e.p[0], d.n);",
        "Held e = d; Held f = std::move(e); shift<<<1, 64>>>(d.p[0], f.p[0], d.n);",
        "d.q = d.p; shift<<<1, 64>>>(d.p[1], d.q[1], d.n);",
        "d.q = d.p; Held f; std::swap(d.p, f.q); shift<<<1, 64>>>(f.q[1], d.q[1], d.n);",
        "Twice t(w); shift<<<1, 64>>>(t.p[1], t.q[1], 64);",
    ],
)
def test_copies_of_objects_hold_the_same_buffers(tmp_path: Path, body: str) -> None:
    (kernel,) = check(tmp_path, COPIES.replace("BODY", body)).kernels
    assert kernel.outcome is not Outcome.SAFE


def test_other_buffers_of_an_object_are_apart(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, COPIES.replace("BODY", "shift<<<1, 64>>>(d.p[0], d.p[1], d.n);")).kernels
    assert kernel.outcome is Outcome.SAFE
    assert [(x.pairs, x.discharged) for x in kernel.launches] == [(1, 1)]
