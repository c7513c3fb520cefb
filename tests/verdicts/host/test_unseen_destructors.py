"""Unseen destructors: the library runs them; where they do more than give back memory, nothing is assumed."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
constexpr int N = 1024;
__global__ void put(float *a, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = v + i;
}
struct Pool {
  std::vector<float *> idle;
  float *get() {
    if (idle.empty()) {
      float *p;
      cudaMalloc(&p, N * 4);
      return p;
    }
    float *p = idle.back();
    idle.pop_back();
    return p;
  }
};
struct Lease {
  Pool *p;
  float *f;
  Lease(Pool &q) : p(&q), f(q.get()) {}
  Lease(Lease &&o) : p(o.p), f(o.f) { o.p = nullptr; }
  ~Lease() { RELEASE }
};
struct Deleter {
  Pool *p;
  void operator()(float *f) const { DELETE }
};
int main() {
  Pool pool;
  cudaStream_t s[2];
  for (auto &x : s) cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
  for (int k = 0; k < 6; ++k) {
    MAKE
    put<<<4, 256, 0, s[k % 2]>>>(USE, N, k);
  }
  cudaDeviceSynchronize();
}
"""


def _outcome(folder: Path, make: str, use: str, *, kept: bool) -> Outcome:
    text = PROGRAM.replace("MAKE", make).replace("USE", use)
    text = text.replace("RELEASE", "if (p) p->idle.push_back(f);" if kept else "cudaFree(f);")
    text = text.replace("DELETE", "p->idle.push_back(f);" if kept else "cudaFree(f);")
    (kernel,) = analyze((parse(folder, text),), AnalysisOptions(), LateReplayer(inf)).kernels
    (launch,) = kernel.launches
    assert launch.pairs == launch.discharged > 0
    return kernel.outcome


HELD = [
    ("std::unique_ptr<Lease> l(new Lease(pool));", "l->f"),
    ("auto l = std::make_unique<Lease>(pool);", "l->f"),
    ("auto l = std::make_shared<Lease>(pool);", "l->f"),
    ("std::vector<Lease> l; l.emplace_back(pool);", "l[0].f"),
    ("std::map<int, Lease> l; l.emplace(k, pool);", "l.at(k).f"),
    ("std::unique_ptr<float, Deleter> l(pool.get(), Deleter{&pool});", "l.get()"),
]
MOVED = [
    ("std::optional<Lease> l; l.emplace(pool);", "l->f"),
    ("std::pair<int, Lease> l(1, Lease(pool));", "l.second.f"),
]


@pytest.mark.parametrize(("make", "use"), [*HELD, *MOVED])
def test_memory_that_a_destructor_hands_on_may_be_used_again(tmp_path: Path, make: str, use: str) -> None:
    assert _outcome(tmp_path, make, use, kept=True) is Outcome.UNKNOWN


@pytest.mark.parametrize(("make", "use"), HELD)
def test_memory_that_a_destructor_gives_back_is_not_used_again(tmp_path: Path, make: str, use: str) -> None:
    assert _outcome(tmp_path, make, use, kept=False) is Outcome.SAFE


def test_a_variable_that_a_destructor_changes_may_lead_to_memory_in_use(tmp_path: Path) -> None:
    kept = (
        "float *spare; struct Spare { float *f; ~Spare() { spare = f; }"
        "  Spare() : f(spare) { if (!f) cudaMalloc(&f, N * 4); spare = nullptr; } };"
    )
    text = PROGRAM.replace("MAKE", "auto l = std::make_unique<Spare>();").replace("USE", "l->f")
    text = text.replace("RELEASE", "").replace("DELETE", "").replace("int main() {", f"{kept}\nint main() {{")
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions(), LateReplayer(inf)).kernels
    assert kernel.outcome is Outcome.UNKNOWN


def test_a_lambda_that_hands_memory_on_is_a_destructor_too(tmp_path: Path) -> None:
    make = "std::shared_ptr<float> l(pool.get(), [&](float *f) { HERE });"
    handed = make.replace("HERE", "pool.idle.push_back(f);")
    assert _outcome(tmp_path, handed, "l.get()", kept=False) is Outcome.UNKNOWN
    (tmp_path / "freed").mkdir()
    freed = make.replace("HERE", "cudaFree(f);")
    assert _outcome(tmp_path / "freed", freed, "l.get()", kept=False) is Outcome.SAFE


ALIAS = """
#include <cuda_runtime.h>
#include <memory>
__global__ void add(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) a[i] = b[i + 1] + 1.0f;
}
float *spare = nullptr;
int spared = 0;
struct Spare {
  float *f, **kept;
  explicit Spare(float *p) : f(p), kept(&spare) {}
  ~Spare() { RELEASE }
};
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  { auto s = std::make_unique<Spare>(a); }
  float *from = b;
  if (TEST) from = a;
  add<<<4, 256>>>(a, from, 1024);
}
"""


@pytest.mark.parametrize(
    ("release", "test", "outcome"),
    [
        ("spare = f;", "spare != nullptr", Outcome.RACE),
        ("*kept = f;", "spare != nullptr", Outcome.UNKNOWN),
        ("cudaFree(f);", "spare != nullptr", Outcome.SAFE),
        ("++spared;", "spared", Outcome.RACE),
        ("cudaFree(f);", "spared", Outcome.SAFE),
    ],
)
def test_variables_that_a_destructor_changes_are_not_known(
    tmp_path: Path, release: str, test: str, outcome: Outcome
) -> None:
    text = ALIAS.replace("RELEASE", release).replace("TEST", test)
    (kernel,) = analyze((parse(tmp_path, text),), AnalysisOptions()).kernels
    assert kernel.outcome is outcome
