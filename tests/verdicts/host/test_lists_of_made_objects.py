"""Lists of objects that a program makes: each has buffers of its own, unless the program gives it others."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <memory>
#include <utility>
#include <vector>
struct Frame {
  explicit Frame(int n) { cudaMalloc(&raw, n * sizeof(float)); cudaMalloc(&clean, n * sizeof(float)); }
  float *raw, *clean;
};
__global__ void smooth(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
void alias(Frame *frame) { frame->clean = frame->raw; }
int main(int argc, char **argv) {
  int n = 1000 * argc;
  FRAMES
  CHANGE
  LAUNCHES
  cudaDeviceSynchronize();
}
"""
FRAMES = {
    "vector of unique pointers": (
        "std::vector<std::unique_ptr<Frame>> f; TIMES f.push_back(std::make_unique<Frame>(n));"
    ),
    "vector of unique pointers, in place": "std::vector<std::unique_ptr<Frame>> f; TIMES f.emplace_back(new Frame(n));",
    "vector of shared pointers": (
        "std::vector<std::shared_ptr<Frame>> f; TIMES f.push_back(std::make_shared<Frame>(n));"
    ),
    "vector of pointers": "std::vector<Frame *> f; TIMES f.push_back(new Frame(n));",
    "array of pointers": "Frame *f[6]; TIMES f[i] = new Frame(n);",
    "array of unique pointers": "std::unique_ptr<Frame> f[6]; TIMES f[i] = std::make_unique<Frame>(n);",
}
COUNTS = {"six": "for (int i = 0; i < 6; i++)", "argc": "for (int i = 0; i < argc; i++)"}
CHANGES = {
    "itself": "TIMES f[i]->clean = f[i]->raw;",
    "the first": "TIMES f[i]->clean = f[0]->raw;",
    "one of them": "f[argc]->clean = f[argc]->raw;",
    "by reference": "Frame &one = *f[2]; one.clean = one.raw;",
    "one buffer": "float *p; cudaMalloc(&p, n * sizeof(float)); TIMES { f[i]->raw = p; f[i]->clean = p; }",
    "one buffer, later": "float *p; cudaMalloc(&p, n * 4); TIMES f[i]->raw = p; TIMES f[i]->clean = p;",
    "a copy": "float *p; cudaMalloc(&p, n * 4); Frame two = *f[0]; two.raw = p; two.clean = p; *f[1] = two;",
    "after a swap": "std::swap(f[0], f[1]); f[0]->clean = f[0]->raw;",
}
LAUNCHES = "TIMES smooth<<<(n + 255) / 256, 256>>>(f[i]->raw, f[i]->clean, n);"


def program(frames: str, count: str, change: str, launches: str = LAUNCHES) -> str:
    text = PROGRAM.replace("FRAMES", FRAMES[frames]).replace("CHANGE", change).replace("LAUNCHES", launches)
    return text.replace("TIMES", COUNTS[count])


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("frames", FRAMES)
def test_own_buffers(tmp_path: Path, frames: str, count: str) -> None:
    report = check(tmp_path, program(frames, count, ""))
    if (frames, count) == ("array of unique pointers", "argc"):  # of some of its elements nothing is known
        assert outcomes_of_launches(report) == {Outcome.UNKNOWN}
        return
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    pairs, discharged = decided(report)
    assert pairs == discharged > 0


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("frames", FRAMES)
def test_common_buffers(tmp_path: Path, frames: str, count: str, change: str) -> None:
    report = check(tmp_path, program(frames, count, CHANGES[change]))
    assert outcomes_of_launches(report) != {Outcome.SAFE}


@pytest.mark.parametrize("count", COUNTS)
def test_function_that_makes_buffers_one(tmp_path: Path, count: str) -> None:
    report = check(tmp_path, program("vector of pointers", count, "alias(f[argc]);"))
    assert outcomes_of_launches(report) != {Outcome.SAFE}


@pytest.mark.parametrize("frames", FRAMES)
def test_buffers_of_two_elements(tmp_path: Path, frames: str) -> None:
    launches = "TIMES smooth<<<(n + 255) / 256, 256>>>(f[i]->raw, f[argc - 1 - i]->raw, n);"
    report = check(tmp_path, program(frames, "argc", "", launches))
    assert outcomes_of_launches(report) != {Outcome.SAFE}


def test_elements_that_stand_twice(tmp_path: Path) -> None:
    twice = "TIMES f.push_back(f[0]); TIMES smooth<<<(n + 255) / 256, 256>>>(f[0]->raw, f[6 + i]->raw, n);"
    report = check(tmp_path, program("vector of pointers", "six", "", twice))
    assert outcomes_of_launches(report) != {Outcome.SAFE}
