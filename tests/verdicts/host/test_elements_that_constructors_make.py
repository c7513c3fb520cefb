"""Elements of containers that constructors of the program make, copy and move."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

EVENTS = """
#include <vector>
struct Events {
  cudaEvent_t filled, used;
  Events() { cudaEventCreate(&filled); cudaEventCreate(&used); }
};
__global__ void correct(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
int main() {
  const int n = 1 << 18, rounds = 8;
  float *from, *to, *slot[2];
  cudaMallocHost(&from, rounds * sizeof(float) * n);
  cudaMalloc(&to, rounds * sizeof(float) * n);
  for (auto &s : slot) cudaMalloc(&s, sizeof(float) * n);
  cudaStream_t copy, compute;
  cudaStreamCreate(&copy);
  cudaStreamCreate(&compute);
  std::vector<Events> events(2);
  for (int r = 0; r < rounds; r++) {
    int k = r % 2;
    cudaStreamWaitEvent(copy, events[k].used, 0);
    cudaMemcpyAsync(slot[k], from + size_t(r) * n, sizeof(float) * n, cudaMemcpyHostToDevice, copy);
    cudaEventRecord(events[k].filled, copy);
    cudaStreamWaitEvent(compute, events[k].filled, 0);
    BEFORE
    correct<<<n / 256, 256, 0, compute>>>(slot[k], to + size_t(r) * n, n);
    BEHIND
  }
  cudaDeviceSynchronize();
}
"""
RECORD = "cudaEventRecord(events[k].used, compute);"


def test_events_recorded_behind(tmp_path: Path) -> None:
    report = check(tmp_path, EVENTS.replace("BEFORE", "").replace("BEHIND", RECORD))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)


@pytest.mark.parametrize("wrong", ["events[k].used", "events[k].filled"])
def test_events_recorded_before(tmp_path: Path, wrong: str) -> None:
    before = RECORD.replace("events[k].used", wrong)
    report = check(tmp_path, EVENTS.replace("BEFORE", before).replace("BEHIND", ""))
    assert outcomes_of_launches(report) == {Outcome.RACE}


MOVED = """
#include <utility>
#include <vector>
struct Staging {
  float *p = nullptr;
  Staging() = default;
  CONSTRUCTORS
  float *ensure(int n) { if (!p) cudaMalloc(&p, n * sizeof(float)); return p; }
};
__global__ void fill(float *to, int n, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value + i;
}
int main() {
  const int n = 1 << 16;
  cudaStream_t streams[3];
  for (auto &s : streams) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Staging staging;
  std::vector<Staging> kept;
  for (int r = 0; r < 3; r++) {
    fill<<<n / 256, 256, 0, streams[r]>>>(staging.ensure(n), n, r);
    kept.push_back(GIVEN);
  }
  cudaDeviceSynchronize();
}
"""
MOVING = "Staging(Staging &&o) noexcept : p(std::exchange(o.p, nullptr)) {}"
COPYING = "Staging(const Staging &o) : p(o.p) {}"
WAYS = {
    "moved away": (MOVING, "std::move(staging)", Outcome.SAFE),
    "moved, and kept": ("Staging(Staging &&o) noexcept : p(o.p) {}", "std::move(staging)", Outcome.UNKNOWN),
    "copied": (COPYING + MOVING, "staging", Outcome.UNKNOWN),
    "moved as a copy": (COPYING, "std::move(staging)", Outcome.UNKNOWN),
    "moved by members": ("", "std::move(staging)", Outcome.UNKNOWN),
}


@pytest.mark.parametrize("way", WAYS)
def test_element(tmp_path: Path, way: str) -> None:
    constructors, given, outcome = WAYS[way]
    report = check(tmp_path, MOVED.replace("CONSTRUCTORS", constructors).replace("GIVEN", given))
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == (3, 3)
