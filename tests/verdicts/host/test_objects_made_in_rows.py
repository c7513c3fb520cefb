"""Objects that a program's constructors make in arrays, containers, pairs and holders of the library.

`Own` has memory of its own, all of `Shared` have the same.  What a constructor does is seen in each object that it
makes; where it is not known which these are, the memory behind two of them may be one.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
__global__ void step(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[max(i - 1, 0)];
}
const int N = 4096;
float *make() { float *p; cudaMalloc(&p, N * sizeof(float)); return p; }
float *once() { static float *made = nullptr; if (!made) made = make(); return made; }
struct Own { float *p; explicit Own(int = 0) : p(make()) {} };
struct Shared { float *p; explicit Shared(int = 0) : p(once()) {} };
struct Members { std::array<TYPE, 2> array; TYPE plain[2]; std::vector<TYPE> vector; Members() : vector(2) {} };
int main(int argc, char **argv) {
  DECLARED
  step<<<N / 256, 256>>>(FROM, TO, N);
  cudaDeviceSynchronize();
}
"""
SAFE, RACE, UNKNOWN = Outcome.SAFE, Outcome.RACE, Outcome.UNKNOWN
PLACES = {  # with the outcomes of memory of their own, and of the same memory
    "TYPE v[2];": ("v[0].p", "v[1].p", SAFE, RACE),
    "TYPE v[2][2];": ("v[0][1].p", "v[1][0].p", SAFE, RACE),
    "TYPE *v = new TYPE[2];": ("v[0].p", "v[1].p", SAFE, RACE),
    "TYPE *v = new TYPE[argc];": ("v[0].p", "v[argc - 1].p", UNKNOWN, UNKNOWN),
    "std::array<TYPE, 2> v;": ("v[0].p", "v[1].p", SAFE, RACE),
    "std::vector<TYPE> v(2);": ("v[0].p", "v[1].p", SAFE, RACE),
    "std::vector<TYPE> v(20);": ("v[0].p", "v[1].p", SAFE, UNKNOWN),
    "std::vector<TYPE> v(argc);": ("v[0].p", "v[1].p", SAFE, UNKNOWN),
    "std::vector<TYPE> v; v.emplace_back(1); v.emplace_back(2);": ("v[0].p", "v[1].p", SAFE, RACE),
    "auto v = std::make_unique<TYPE[]>(2);": ("v[0].p", "v[1].p", SAFE, RACE),
    "auto v = std::make_shared<std::vector<TYPE>>(2);": ("(*v)[0].p", "(*v)[1].p", UNKNOWN, UNKNOWN),
    "std::pair<TYPE, TYPE> v;": ("v.first.p", "v.second.p", SAFE, RACE),
    "std::optional<TYPE> v, w; v.emplace(1); w.emplace(2);": ("v->p", "w->p", SAFE, UNKNOWN),
    "auto v = std::make_optional<TYPE>(1), w = std::make_optional<TYPE>(2);": ("v->p", "w->p", SAFE, UNKNOWN),
    "Members v;  // an array": ("v.array[0].p", "v.array[1].p", SAFE, RACE),
    "Members v;  // a plain array": ("v.plain[0].p", "v.plain[1].p", SAFE, RACE),
    "Members v;  // a vector": ("v.vector[0].p", "v.vector[1].p", SAFE, RACE),
}


def outcome_of(tmp_path: Path, declared: str, class_: str) -> Outcome:
    from_, to, *_ = PLACES[declared]
    text = PROGRAM.replace("DECLARED", declared).replace("FROM", from_).replace("TO", to).replace("TYPE", class_)
    report = check(tmp_path, text)
    (outcome,) = outcomes_of_launches(report)
    if outcome is SAFE:
        pairs, discharged = decided(report)
        assert pairs == discharged > 0
    return outcome


@pytest.mark.parametrize("declared", PLACES)
def test_own_memory(tmp_path: Path, declared: str) -> None:
    assert outcome_of(tmp_path, declared, "Own") is PLACES[declared][2]


@pytest.mark.parametrize("declared", PLACES)
def test_the_same_memory(tmp_path: Path, declared: str) -> None:
    assert outcome_of(tmp_path, declared, "Shared") is PLACES[declared][3]


INSERTED = {
    "std::generate_n(std::back_inserter(v), 2, once);": UNKNOWN,
    "std::generate_n(std::back_inserter(v), 2, [] { return once(); });": UNKNOWN,
    "std::vector<int> k(2); std::transform(k.begin(), k.end(), std::back_inserter(v), [](int) { return once(); });": (
        UNKNOWN
    ),
    "v.push_back(make()); v.push_back(make());": SAFE,
    "v.push_back(once()); v.push_back(once());": RACE,
}


@pytest.mark.parametrize("inserted", INSERTED)
def test_inserted_elements(tmp_path: Path, inserted: str) -> None:
    text = PROGRAM.replace("DECLARED", "std::vector<float *> v; " + inserted)
    report = check(tmp_path, text.replace("FROM", "v[0]").replace("TO", "v[1]").replace("TYPE", "Own"))
    assert outcomes_of_launches(report) == {INSERTED[inserted]}


EVENTS = """
#include <array>
struct Event {
  cudaEvent_t e;
  Event() { cudaEventCreateWithFlags(&e, cudaEventDisableTiming); }
  operator cudaEvent_t() const { return e; }
};
struct Pipeline {
  cudaStream_t copy, compute;
  float *in[2], *out;
  CONTAINER loaded, used;
  void run(const float *from, int n, int rounds);
};
__global__ void scale(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
void Pipeline::run(const float *from, int n, int rounds) {
  for (int r = 0; r < rounds; r++) {
    const int k = r & 1;
    if (r >= 2) cudaStreamWaitEvent(copy, used[k], 0);
    cudaMemcpyAsync(in[k], from + size_t(r) * n, n * sizeof(float), cudaMemcpyHostToDevice, copy);
    cudaEventRecord(loaded[k], copy);
    cudaStreamWaitEvent(compute, loaded[k], 0);
    BEFORE
    scale<<<n / 256, 256, 0, compute>>>(in[k], out, n);
    BEHIND
  }
}
int main() {
  const int n = 1 << 16, rounds = 8;
  float *from;
  cudaMallocHost(&from, rounds * n * sizeof(float));
  Pipeline p;
  cudaStreamCreate(&p.copy);
  cudaStreamCreate(&p.compute);
  cudaMalloc(&p.in[0], n * sizeof(float));
  cudaMalloc(&p.in[1], n * sizeof(float));
  cudaMalloc(&p.out, n * sizeof(float));
  p.run(from, n, rounds);
  cudaDeviceSynchronize();
}
"""


MEMBERS = {
    "std::array<Event, 2> loaded, used;": (SAFE, UNKNOWN),
    "Event loaded[2], used[2];": (SAFE, RACE),
}


@pytest.mark.parametrize("members", MEMBERS)
@pytest.mark.parametrize("behind", [True, False])
def test_events_of_members(tmp_path: Path, members: str, behind: bool) -> None:
    record = "cudaEventRecord(used[k], compute);"
    text = EVENTS.replace("CONTAINER loaded, used;", members)
    text = text.replace("BEFORE", "" if behind else record).replace("BEHIND", record if behind else "")
    report = check(tmp_path, text)
    assert outcomes_of_launches(report) == {MEMBERS[members][not behind]}
    if behind:
        pairs, discharged = decided(report)
        assert pairs == discharged > 0
