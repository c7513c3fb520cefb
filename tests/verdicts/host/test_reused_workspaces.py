"""Memory that a cache or a pool hands out: in other iterations of a loop, or for other streams, it may be the same."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>
__global__ void fill(const float *x, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}
__global__ void sum(const float *in, int n, float *r) {
  float s = 0;
  for (int i = 0; i < n; i++) s += in[i];
  *r = s;
}
struct Lane { float *p; cudaStream_t s; };
struct Owner {
  float *p; cudaStream_t s;
  Owner(float *q) : p(q) { cudaStreamCreate(&s); }
};
CLASS
int main() {
  int n = 1024;
  std::vector<cudaStream_t> streams(4);
  for (auto &s : streams) cudaStreamCreate(&s);
  float *x, *r, *q;
  cudaMalloc(&x, 8 * n * sizeof(float)); cudaMalloc(&r, 8 * sizeof(float)); cudaMalloc(&q, n * sizeof(float));
  BODY
  cudaDeviceSynchronize();
}
"""
LOOP = (
    "for (int t = 0; t < 8; t++) { cudaStream_t s = streams[t % 4]; TAKE "
    "fill<<<4, 256, 0, s>>>(x + t * n, n, w); sum<<<1, 1, 0, s>>>(w, n, r + t); BACK }"
)
MAKE = "float *p; cudaMalloc(&p, b); "
REUSED = {  # a class, its object, how the memory for an iteration is taken, and given back
    "an element": ("", "std::map<int, float *> c;", "float *&w = c[0]; if (!w) cudaMalloc(&w, n * 4);", ""),
    "of a pair": (
        "struct C { std::map<std::pair<cudaStream_t, size_t>, float *> m; float *get(cudaStream_t s, size_t b) {"
        "auto &p = m[{s, b}]; if (!p) cudaMalloc(&p, b); return p; } };",
        "C c;", "float *w = c.get(nullptr, n * 4);", "",
    ),
    "looked for and put there": (
        "struct C { std::map<size_t, float *> m; float *get(size_t b) { auto it = m.find(b); if (it == m.end()) {"
        + MAKE + "it = m.emplace(b, p).first; } return it->second; } };",
        "C c;", "float *w = c.get(n * 4);", "",
    ),
    "looked for": (
        "struct C { std::unordered_map<int, float *> m; float *get(int k, size_t b) { auto it = m.find(k);"
        "if (it != m.end()) return it->second;" + MAKE + "m[k] = p; return p; } };",
        "C c;", "float *w = c.get(t % 2, n * 4);", "",
    ),
    "tried to put there": (
        "struct C { std::map<int, float *> m; float *get(int k, size_t b) {"
        "auto [it, fresh] = m.try_emplace(k, nullptr); if (fresh) cudaMalloc(&it->second, b); return it->second; } };",
        "C c;", "float *w = c.get(0, n * 4);", "",
    ),
    "a free list": (
        "struct C { std::vector<float *> free; float *get(size_t b) { if (free.empty()) {" + MAKE + "return p; }"
        "float *p = free.back(); free.pop_back(); return p; } };",
        "C c;", "float *w = c.get(n * 4);", "c.free.push_back(w);",
    ),
    "a queue": (
        "", "std::deque<float *> c; for (int i = 0; i < 3; i++) { float *p; cudaMalloc(&p, n * 4); c.push_back(p); }",
        "float *w = c.front(); c.pop_front();", "c.push_back(w);",
    ),
    "an iterator that goes round": (
        "struct C { std::list<float *> all; std::list<float *>::iterator next; float *get() { float *p = *next;"
        "if (++next == all.end()) next = all.begin(); return p; } };",
        "C c; for (int i = 0; i < 3; i++) { float *p; cudaMalloc(&p, n * 4); c.all.push_back(p); }",
        "if (t == 0) c.next = c.all.begin(); float *w = c.get();", "",
    ),
    "a static pointer that grows": (
        "static float *get(size_t b) { static float *p = nullptr; static size_t have = 0;"
        "if (have < b) { cudaFree(p); cudaMalloc(&p, b); have = b; } return p; }",
        "", "float *w = get(n * 4);", "",
    ),
    "a member that grows": (
        "struct C { float *p = nullptr; size_t have = 0; float *get(size_t b) {"
        "if (have < b) { cudaFree(p); cudaMalloc(&p, b); have = b; } return p; } };",
        "C c;", "float *w = c.get(n * 4);", "",
    ),
    "made when it is asked for": (
        "", "std::vector<float *> c(4, nullptr);",
        "if (!c[t % 2]) cudaMalloc(&c[t % 2], n * 4); float *w = c[t % 2];", "",
    ),
}  # fmt: skip
OWN = {
    "made each time": ("", "", "float *w; cudaMalloc(&w, n * 4);", ""),
    "kept each time": ("", "std::vector<float *> c;", "float *w; cudaMalloc(&w, n * 4); c.push_back(w);", ""),
    "made for each stream when it is asked for": (
        "", "std::vector<float *> c(4, nullptr);",
        "if (!c[t % 4]) cudaMalloc(&c[t % 4], n * 4); float *w = c[t % 4];", "",
    ),
}  # fmt: skip
OWNED_EACH_TIME = (
    "", "std::vector<std::shared_ptr<Owner>> c;",
    "float *o; cudaMalloc(&o, n * 4); auto a = std::make_shared<Owner>(o); c.push_back(a); float *w = a->p;", "",
)  # fmt: skip


def program(class_: str, body: str) -> str:
    return PROGRAM.replace("CLASS", class_).replace("BODY", body)


def looped(class_: str, before: str, take: str, back: str) -> str:
    return program(class_, before + LOOP.replace("TAKE", take).replace("BACK", back))


@pytest.mark.parametrize("name", REUSED)
def test_memory_that_may_be_handed_out_again(tmp_path: Path, name: str) -> None:
    surely = name == "a free list"  # what one iteration gives back, the next one gets for another stream
    expected = Outcome.RACE if surely else Outcome.UNKNOWN
    assert outcomes_of_launches(check(tmp_path, looped(*REUSED[name]))) == {expected}


def test_memory_that_an_owner_has_each_time(tmp_path: Path) -> None:
    assert outcomes_of_launches(check(tmp_path, looped(*OWNED_EACH_TIME))) == {Outcome.SAFE}


@pytest.mark.parametrize("name", OWN)
def test_memory_of_its_own(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, looped(*OWN[name]))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    launches = 8 if name == "kept each time" else 1  # that loop is unrolled
    assert decided(report) == (launches, launches)


USE = "{ fill<<<4, 256, 0, L.s>>>(x + t * n, n, L.p); sum<<<1, 1, 0, L.s>>>(L.p, n, r + t); }"
BY_NUMBER = "for (int t = 0; t < 4; t++) " + USE.replace("L.", "c[t].")
BY_POINTER = "for (int t = 0; t < 4; t++) " + USE.replace("L.", "c[t]->")
STEPPED = "int t = 0; for (auto it = c.begin(); it != c.end(); ++it) { " + USE.replace("L.", "it->") + " t++; }"
WALKED = "int t = 0; for (auto &l : c) { " + USE.replace("L.", "l.") + " t++; }"
LANE = "Lane a; cudaMalloc(&a.p, n * 4); cudaStreamCreate(&a.s); "
OWNED = "float *o; cudaMalloc(&o, n * 4); "
FOUR = "for (int i = 0; i < 4; i++) { "
PAIRED = {  # lanes with memory of their own, used by one expression or another; what makes two of them share it
    "a deque": ("std::deque<Lane> c; " + FOUR + LANE + "MIX c.push_back(a); }", BY_NUMBER, "a.p = q;"),
    "a deque, one copied": (
        "std::deque<Lane> c; " + FOUR + LANE + "c.push_back(a); } MIX", BY_NUMBER, "c[3].p = c[0].p;",
    ),
    "a map": ("std::map<int, Lane> c; " + FOUR + LANE + "MIX c[i] = a; }", BY_NUMBER, "a.p = q;"),
    "a map, one copied": ("std::map<int, Lane> c; " + FOUR + LANE + "c[i] = a; } MIX", BY_NUMBER, "c[2].p = c[1].p;"),
    "a map and at": (
        "std::map<int, Lane> c; " + FOUR + LANE + "MIX c[i] = a; }",
        BY_NUMBER.replace("[t].p", ".at(t).p"), "a.p = q;",
    ),
    "a list": ("std::list<Lane> c; " + FOUR + LANE + "MIX c.push_back(a); }", STEPPED, "a.p = q;"),
    "a list that is walked": ("std::list<Lane> c; " + FOUR + LANE + "MIX c.push_back(a); }", WALKED, "a.p = q;"),
    "a map that is stepped through": (
        "std::map<int, Lane> c; " + FOUR + LANE + "MIX c[i] = a; }", STEPPED.replace("it->", "it->second."), "a.p = q;",
    ),
    "optional lanes": (
        "std::vector<std::optional<Lane>> c(4); " + FOUR + LANE + "MIX c[i] = a; }", BY_POINTER, "a.p = q;",
    ),
    "owners": (
        "std::vector<std::unique_ptr<Owner>> c; " + FOUR + OWNED + "MIX c.push_back(std::make_unique<Owner>(o)); }",
        BY_POINTER, "o = q;",
    ),
    "owners, one copied": (
        "std::vector<std::unique_ptr<Owner>> c; " + FOUR + OWNED + "c.push_back(std::make_unique<Owner>(o)); } MIX",
        BY_POINTER, "c[1]->p = c[0]->p;",
    ),
    "a deque of owners that are shared": (
        "std::deque<std::shared_ptr<Owner>> c; " + FOUR + OWNED + "c.push_back(std::make_shared<Owner>(o)); } MIX",
        BY_POINTER, "c[1] = c[0]; cudaStreamCreate(&c[0]->s);",
    ),
    "owners that are shared": (
        "std::vector<std::shared_ptr<Owner>> c; " + FOUR + OWNED + "c.push_back(std::make_shared<Owner>(o)); } MIX",
        BY_POINTER, "c[1] = std::make_shared<Owner>(c[0]->p);",
    ),
}  # fmt: skip


FOLLOWED = [name for name in PAIRED if name.startswith("owners")]  # element by element


@pytest.mark.parametrize("name", PAIRED)
def test_lanes_with_memory_of_their_own(tmp_path: Path, name: str) -> None:
    make, use, _ = PAIRED[name]
    report = check(tmp_path, program("", make.replace("MIX", "") + use))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    launches = 4 if name in FOLLOWED else 1
    assert decided(report) == (launches, launches)


@pytest.mark.parametrize("name", PAIRED)
def test_lanes_that_share_memory(tmp_path: Path, name: str) -> None:
    make, use, mix = PAIRED[name]
    outcome = Outcome.RACE if name in FOLLOWED else Outcome.UNKNOWN
    assert outcomes_of_launches(check(tmp_path, program("", make.replace("MIX", mix) + use))) == {outcome}


STEPS = {  # what a loop does with an iterator besides stepping it
    "": Outcome.SAFE,
    "++it; if (it == c.end()) break;": Outcome.UNKNOWN,
    "it = c.begin();": Outcome.UNKNOWN,
    "std::advance(it, 1);": Outcome.UNKNOWN,
}


@pytest.mark.parametrize("more", STEPS)
def test_iterators_that_are_more_than_stepped(tmp_path: Path, more: str) -> None:
    use = "fill<<<4, 256, 0, it->s>>>(x, n, it->p); MORE sum<<<1, 1, 0, it->s>>>(it->p, n, r + t);"
    walk = "int t = 0; for (auto it = c.begin(); it != c.end(); ++it) { " + use.replace("MORE", more) + " t++; }"
    make = "std::list<Lane> c; " + FOUR + LANE + "c.push_back(a); } "
    assert outcomes_of_launches(check(tmp_path, program("", make + walk))) == {STEPS[more]}


CHANGED = {  # two pieces of work on what one lookup gets, between which it is changed, or what has no part in it
    "owners swapped": (
        "std::vector<std::unique_ptr<Owner>> c; " + FOUR + OWNED + "c.push_back(std::make_unique<Owner>(o)); }"
        "float *w = c[0]->p; fill<<<4, 256, 0, c[0]->s>>>(x, n, w); BETWEEN sum<<<1, 1, 0, c[0]->s>>>(w, n, r);",
        "std::swap(c[0], c[1]);",
    ),
    "owners rotated": (
        "std::vector<std::unique_ptr<Owner>> c; " + FOUR + OWNED + "c.push_back(std::make_unique<Owner>(o)); }"
        "float *w = c[0]->p; fill<<<4, 256, 0, c[0]->s>>>(x, n, w); BETWEEN sum<<<1, 1, 0, c[0]->s>>>(w, n, r);",
        "std::rotate(c.begin(), c.begin() + 1, c.end());",
    ),
    "elements of a map swapped": (
        "std::map<int, Lane> c; " + FOUR + LANE + "c[i] = a; }"
        "float *w = c[0].p; fill<<<4, 256, 0, c[0].s>>>(x, n, w); BETWEEN sum<<<1, 1, 0, c[0].s>>>(w, n, r);",
        "std::swap(c[0], c[1]);",
    ),
    "another stream in a map": (
        "std::map<int, Lane> c; " + FOUR + LANE + "c[i] = a; }"
        "float *w = c[0].p; fill<<<4, 256, 0, c[0].s>>>(x, n, w); BETWEEN sum<<<1, 1, 0, c[0].s>>>(w, n, r);",
        "cudaStreamCreate(&c[0].s);",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_lookups_that_get_another_element(tmp_path: Path, name: str) -> None:
    body, change = CHANGED[name]
    outcome = Outcome.RACE if name.startswith("owners") else Outcome.UNKNOWN
    assert outcomes_of_launches(check(tmp_path, program("", body.replace("BETWEEN", change)))) == {outcome}


@pytest.mark.parametrize("between", ["", "std::vector<int> k; k.push_back(n); std::sort(k.begin(), k.end());"])
@pytest.mark.parametrize("name", CHANGED)
def test_lookups_that_get_the_same_element(tmp_path: Path, name: str, between: str) -> None:
    body, _ = CHANGED[name]
    report = check(tmp_path, program("", body.replace("BETWEEN", between)))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)
