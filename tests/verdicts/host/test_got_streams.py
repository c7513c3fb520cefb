"""Streams from maps, pools, helpers and members: two that are not known to be one may be two, and order nothing."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }
static cudaStream_t pool[4];
static int next_one = 0;
static cudaStream_t from_pool() { return pool[next_one++ % 4]; }
static std::unordered_map<std::string, cudaStream_t> table;
static cudaStream_t from_table(const char *name) { return table[name]; }
class Pool {
  std::vector<cudaStream_t> all;
  size_t at = 0;
public:
  Pool(int n) : all(n) { for (auto &s : all) cudaStreamCreate(&s); }
  cudaStream_t get() { return all[at++ % all.size()]; }
  void wait() { for (auto s : all) cudaStreamSynchronize(s); }
};
struct Job {
  float *x;
  cudaStream_t s;
  Job(float *x) : x(x) { cudaStreamCreate(&s); }
  void run() { put<<<4, 256, 0, s>>>(x, 1024); }
  void wait() { cudaStreamSynchronize(s); }
};
struct Context { cudaStream_t s; Context() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); } };
#define both(x, a, b) put<<<4, 256, 0, a>>>(x, 1024), put<<<4, 256, 0, b>>>(x, 1024)
int main(int argc, char **argv) {
  float *x, *y; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096);
  for (auto &s : pool) cudaStreamCreate(&s);
  std::map<int, cudaStream_t> streams; for (int i = 0; i < 4; i++) cudaStreamCreate(&streams[i]);
  Pool p(4); Job a(x), b(x), c(y);
  std::vector<std::unique_ptr<Context>> contexts;
  for (int i = 0; i < 2; i++) contexts.push_back(std::make_unique<Context>());
  BODY
  cudaDeviceSynchronize();
}
"""
TWINS = {  # a program, what leaves it without order, what orders it or gives it other memory
    "keys of a map": ("both(x, streams[0], streams[{}]);", "1", "0"),
    "a key that is not known": ("both(x, streams[argc], streams[{}]);", "0", None),
    "a map in a loop": ("for (int i = 0; i < 4; i++) put<<<4, 256, 0, streams[{}]>>>(x, 1024);", "i", "1"),
    "waits for one in a map": ("both(x, streams[0], streams[0]); {} both(x, streams[1], streams[1]);", "",
                               "cudaStreamSynchronize(streams[0]);"),
    "a map of names": ("both(x, from_table(\"a\"), from_table(\"{}\"));", "b", None),
    "a map filled in a loop": (
        "std::map<std::string, cudaStream_t> made;"
        "for (const char *n : {{\"a\", \"b\"}}) cudaStreamCreateWithFlags(&made[n], cudaStreamNonBlocking);"
        "both(x, made[\"a\"], made[\"{}\"]);", "b", "a",
    ),
    "in turn": ("cudaStream_t one = from_pool(); both(x, one, {});", "from_pool()", "one"),
    "a pool": ("both(x, p.get(), p.get()); p.wait();", "", None),
    "a pool that is waited for": (
        "put<<<4, 256, 0, p.get()>>>(x, 1024); {} put<<<4, 256, 0, p.get()>>>(x, 1024);", "", "p.wait();"
    ),
    "members": ("a.run(); {}.run();", "b", "c"),
    "members that are waited for": ("a.run(); {} b.run();", "", "a.wait();"),
    "pointers to objects": ("both(x, contexts[0]->s, contexts[1]->s);", "", None),
}  # fmt: skip


SURE = (
    "a map filled in a loop",
    "in turn",
    "a pool",
    "a pool that is waited for",
    "members",
    "members that are waited for",
    "pointers to objects",
)
"""The programs that surely use several streams, so that they race."""


def outcomes(folder: Path, body: str) -> tuple[set[Outcome], list[str]]:
    """The verdicts of the kernels that are launched, and why they are open."""
    report = check(folder, PROGRAM.replace("BODY", body))
    launched = [n for k in report.kernels for n in k.launches if n.launch_span is not None]
    return {n.outcome for n in launched}, [pair.reason for n in launched for pair in n.open_pairs]


@pytest.mark.parametrize("name", TWINS)
def test_twins(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    found, reasons = outcomes(tmp_path, body.format(without))
    assert found - {Outcome.SAFE} == {Outcome.RACE if name in SURE else Outcome.UNKNOWN}
    assert all("may run at the same time and writes 'x', too" in reason for reason in reasons)
    if ordered is not None:
        assert outcomes(tmp_path, body.format(ordered)) == ({Outcome.SAFE}, [])
