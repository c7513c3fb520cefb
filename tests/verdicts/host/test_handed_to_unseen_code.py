"""Code that is not followed gets a pointer to memory that a copy may still read: it may write there."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <functional>
struct Params { float gain, phase; };
__global__ void step(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
DECLARED
int main(int argc, char **argv) {
  float *h, *d;
  cudaMallocHost(&h, 4096);
  cudaMalloc(&d, 4096);
  cudaStream_t s;
  cudaStreamCreate(&s);
  for (int frame = 0; frame < argc; frame++) {
    CALLED
    cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice, s);
    step<<<4, 256, 0, s>>>(d, 1024);
    WAIT
  }
  cudaDeviceSynchronize();
}
"""
CODE = {
    "a function object that gets a pointer": (
        "void put(float *h, const std::function<void(float *)> &f) { f(h); }",
        "put(h, [frame](float *p) { *p = frame; });",
    ),
    "a function object that gets a reference": (
        "void put(float *h, const std::function<void(float &)> &f) { f(*h); }",
        "put(h, [frame](float &p) { p = frame; });",
    ),
    "a function object that gets a record": (
        "void put(float *h, std::function<void(Params &)> f) { f(*reinterpret_cast<Params *>(h)); }",
        "put(h, [frame](Params &p) { p.gain = frame; });",
    ),
    "a pointer to a function": (
        "void put(float *h, void (*f)(float &)) { f(*h); }",
        "put(h, [](float &p) { p = 1; });",
    ),
    "a function of another file": ("void put(float *h, int frame);", "put(h, frame);"),
    "a method of another file": ("struct Source { void next(float *to); };", "Source source; source.next(h);"),
}


def outcomes(tmp_path: Path, declared: str, called: str, wait: str) -> set[Outcome]:
    text = PROGRAM.replace("DECLARED", declared).replace("CALLED", called).replace("WAIT", wait)
    report = check(tmp_path, text)
    assert decided(report) == (2, 2)
    return outcomes_of_launches(report)


@pytest.mark.parametrize("name", CODE)
@pytest.mark.parametrize(("wait", "outcome"), [("", Outcome.UNKNOWN), ("cudaStreamSynchronize(s);", Outcome.SAFE)])
def test_code_that_is_not_followed(tmp_path: Path, name: str, wait: str, outcome: Outcome) -> None:
    assert outcomes(tmp_path, *CODE[name], wait) == {outcome}


def test_code_that_gets_numbers(tmp_path: Path) -> None:
    declared = "void show(float first); void tell(const std::function<void(int)> &f) { f(3); }"
    assert outcomes(tmp_path, declared, "show(h[0]); tell([](int) {});", "") == {Outcome.SAFE}
