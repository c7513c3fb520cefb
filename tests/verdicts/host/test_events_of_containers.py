"""Events that are kept in containers and in objects of the library: which one is recorded, and which is waited for."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
__global__ void scale(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
struct Event {
  cudaEvent_t e;
  Event() { cudaEventCreateWithFlags(&e, cudaEventDisableTiming); }
};
struct Ring {
  std::vector<Event> events;
  Ring() : events(2) {}
  Event &at(int i) { return events[i % events.size()]; }
};
struct Owner { std::shared_ptr<Event> event = std::make_shared<Event>(); };
struct Pool {
  std::vector<cudaEvent_t> free;
  cudaEvent_t get() {
    if (free.empty()) { cudaEvent_t made; cudaEventCreate(&made); return made; }
    cudaEvent_t last = free.back();
    free.pop_back();
    return last;
  }
};
extern "C" cudaEvent_t event_with(int number);
int main(int argc, char **argv) {
  const int n = 1 << 16, rounds = 8;
  float *from, *in[2], *out;
  cudaStream_t copy, compute;
  cudaMallocHost(&from, rounds * n * sizeof(float));
  cudaStreamCreate(&copy);
  cudaStreamCreate(&compute);
  cudaMalloc(&in[0], n * sizeof(float));
  cudaMalloc(&in[1], n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  MADE
  for (int r = 0; r < rounds; r++) {
    const int k = r & 1;
    if (r >= 2) cudaStreamWaitEvent(copy, USED, 0);
    cudaMemcpyAsync(in[k], from + size_t(r) * n, n * sizeof(float), cudaMemcpyHostToDevice, copy);
    cudaEventRecord(LOADED, copy);
    cudaStreamWaitEvent(compute, LOADED, 0);
    BEFORE
    scale<<<n / 256, 256, 0, compute>>>(in[k], out, n);
    BEHIND
  }
  cudaDeviceSynchronize();
}
"""
RACE, UNKNOWN = Outcome.RACE, Outcome.UNKNOWN
KEPT = {  # how the events are made, the two of a round, and what it is when `used` is recorded before the kernel
    "map": ("std::map<int, Event> l, u;", "l[k].e", "u[k].e", UNKNOWN),
    "map of vectors": (
        'std::map<std::string, std::vector<Event>> m; m["l"].resize(2); m["u"].resize(2);',
        'm["l"][k].e',
        'm["u"][k].e',
        RACE,
    ),
    "unique pointers": (
        "std::vector<std::unique_ptr<Event>> l, u;"
        "for (int i = 0; i < 2; i++) l.push_back(std::make_unique<Event>()), u.push_back(std::make_unique<Event>());",
        "l[k]->e",
        "u[k]->e",
        RACE,
    ),
    "vector, member": ("Ring l, u;", "l.at(r).e", "u.at(r).e", RACE),
    "vectors of some length": ("std::vector<Event> l(argc + 1), u(argc + 1);", "l[k].e", "u[k].e", RACE),
    "shared pointers": ("Owner l[2], u[2];", "l[k].event->e", "u[k].event->e", RACE),
    "pairs": (
        "std::vector<std::pair<cudaEvent_t, cudaEvent_t>> p(2);"
        "for (auto &[a, b] : p) cudaEventCreate(&a), cudaEventCreate(&b);",
        "p[k].first",
        "p[k].second",
        UNKNOWN,
    ),
    "arrays": (
        "std::vector<std::array<cudaEvent_t, 2>> p(2); for (auto &a : p) for (auto &b : a) cudaEventCreate(&b);",
        "p[k][0]",
        "p[k][1]",
        UNKNOWN,
    ),
    "pool": (
        "Pool pool; cudaEvent_t l[2] = {pool.get(), pool.get()}, u[2] = {pool.get(), pool.get()};",
        "l[k]",
        "u[k]",
        RACE,
    ),
    "got": ("", "event_with(k)", "event_with(k + 2)", UNKNOWN),
}


def program(kept: str, before: str, behind: str) -> str:
    made, loaded, used, _ = KEPT[kept]
    text = PROGRAM.replace("MADE", made).replace("BEFORE", before).replace("BEHIND", behind)
    return text.replace("RECORD", "cudaEventRecord(USED, compute);").replace("USED", used).replace("LOADED", loaded)


@pytest.mark.parametrize("kept", KEPT)
def test_recorded_behind_the_kernel(tmp_path: Path, kept: str) -> None:
    report = check(tmp_path, program(kept, "", "RECORD"))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    pairs, discharged = decided(report)
    assert pairs == discharged > 0


@pytest.mark.parametrize("kept", KEPT)
def test_recorded_before_the_kernel(tmp_path: Path, kept: str) -> None:
    assert outcomes_of_launches(check(tmp_path, program(kept, "RECORD", ""))) == {KEPT[kept][3]}
