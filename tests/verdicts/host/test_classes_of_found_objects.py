"""Objects of unknown class: all virtual calls of one object are of one class."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <memory>
#include <utility>
#include <vector>
__global__ void scale(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}
__global__ void smooth(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
struct Pass {
  virtual ~Pass() = default;
  virtual void run(const float *from, float *to, int n) = 0;
  virtual bool inPlace() const { return true; }
};
struct Scale : Pass {
  void run(const float *from, float *to, int n) override { scale<<<(n + 255) / 256, 256>>>(from, to, n); }
};
struct Smooth : Pass {
  void run(const float *from, float *to, int n) override { smooth<<<(n + 255) / 256, 256>>>(from, to, n); }
  IN_PLACE
};
int main(int argc, char **argv) {
  int n = 1000 * argc;
  float *now, *next;
  cudaMalloc(&now, n * sizeof(float));
  cudaMalloc(&next, n * sizeof(float));
  PASSES passes;
  for (int i = 0; i < argc; i++) {
    if (argv[i][0] == 's') passes.push_back(SMOOTH); else passes.push_back(SCALE);
  }
  for (auto &p : passes) {
    if (p->inPlace()) p->run(now, now, n);
    else { p->run(now, next, n); std::swap(now, next); }
  }
  cudaDeviceSynchronize();
}
"""
LISTS = {
    "pointers": ("std::vector<Pass *>", "new Smooth", "new Scale"),
    "unique pointers": (
        "std::vector<std::unique_ptr<Pass>>",
        "std::make_unique<Smooth>()",
        "std::make_unique<Scale>()",
    ),
}


def program(passes: str, in_place: str) -> str:
    list_, smooth, scale = LISTS[passes]
    text = PROGRAM.replace("PASSES", list_).replace("SMOOTH", smooth).replace("SCALE", scale)
    return text.replace("IN_PLACE", in_place)


@pytest.mark.parametrize("passes", LISTS)
def test_one_class(tmp_path: Path, passes: str) -> None:
    report = check(tmp_path, program(passes, "bool inPlace() const override { return false; }"))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (17, 17)


@pytest.mark.parametrize("passes", LISTS)
@pytest.mark.parametrize("in_place", ["", "bool inPlace() { return false; }"])
def test_method_that_is_not_overridden(tmp_path: Path, passes: str, in_place: str) -> None:
    report = check(tmp_path, program(passes, in_place))
    assert outcomes_of_launches(report) == {Outcome.SAFE, Outcome.RACE}


def test_objects_of_two_classes(tmp_path: Path) -> None:
    """Two iterations find two objects: what one launches may run beside what the other one does."""
    text = program("pointers", "").replace("if (p->inPlace()) p->run(now, now, n);", "p->run(now, next, n);")
    text = text.replace("else { p->run(now, next, n); std::swap(now, next); }", "")
    for kernel, arguments in (("scale", "to, to"), ("smooth", "to, (float *)from")):
        launch = f"{kernel}<<<(n + 255) / 256, 256>>>(from, to, n)"
        text = text.replace(launch, f"{kernel}<<<(n + 255) / 256, 256, 0, s>>>({arguments}, n)")
    text = text.replace("struct Pass {", "struct Pass { cudaStream_t s; Pass() { cudaStreamCreate(&s); }")
    assert outcomes_of_launches(check(tmp_path, text)) == {Outcome.UNKNOWN}
