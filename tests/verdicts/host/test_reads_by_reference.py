"""What functions of the library get by reference, they read: a result that is kept too early is a race."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <any>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
struct Result { std::optional<float> loss; };
static std::optional<float> first(const float *p) { return p[0]; }
static std::pair<float, int> both(const float *p) { return {p[0], 1}; }
int main() {
  float *d, *h;
  cudaMalloc(&d, 4096);
  cudaMallocHost(&h, 4096);
  cudaStream_t a;
  cudaStreamCreate(&a);
  put<<<4, 256, 0, a>>>(d, 1024);
  cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, a);
  WAIT
  USE
  cudaStreamSynchronize(a);
}
"""
READING = [
    "std::optional<float> v = h[0];",
    "std::optional<float> v; v = h[0];",
    "auto v = std::make_optional(h[0]);",
    "auto v = first(h);",
    "Result r; r.loss = h[0];",
    "std::pair<float, int> v(h[0], 1);",
    "auto v = std::make_pair(h[0], 1);",
    "auto v = both(h);",
    "std::tuple<float, int> v{h[0], 1};",
    "std::vector<float> v; v.push_back(h[0]);",
    "std::deque<float> v; v.push_back(h[0]);",
    "std::map<int, float> v; v.emplace(1, h[0]);",
    "std::set<float> v; v.insert(h[0]);",
    "std::variant<int, float> v = h[0];",
    "std::any v = h[0];",
    "auto v = std::make_unique<float>(h[0]);",
    "std::optional<float> o; float v = o.value_or(h[0]);",
    "bool v = std::less<float>()(h[0], 1.0f);",
    "float v; int k; std::tie(v, k) = std::make_pair(h[0], 1);",
]
LOOKING = ["float *v = std::addressof(h[0]);", "auto &v = std::as_const(h[0]);", "float *v = &h[0];"]


@pytest.mark.parametrize("use", READING)
def test_a_value_that_is_kept_too_early(tmp_path: Path, use: str) -> None:
    assert _outcomes(tmp_path / "early", use, "") == {Outcome.RACE}
    assert _outcomes(tmp_path / "late", use, "cudaStreamSynchronize(a);") == {Outcome.SAFE}


def test_a_reference_that_an_object_of_the_program_keeps(tmp_path: Path) -> None:
    """Whether it is read is not followed."""
    declared = "struct Worker { const float &r; explicit Worker(const float &r) : r(r) {} };"
    text = PROGRAM.replace("int main", f"{declared}\nint main").replace("WAIT", "")
    kept = text.replace("USE", "auto v = std::make_unique<Worker>(h[0]);")
    assert outcomes_of_launches(check(tmp_path, kept)) == {Outcome.UNKNOWN}
    (tmp_path / "copied").mkdir()
    copied = text.replace("USE", "auto v = std::make_unique<float>(h[0]);")
    assert outcomes_of_launches(check(tmp_path / "copied", copied)) == {Outcome.RACE}


def test_a_flag_that_the_host_polls_by_an_atomic_reference(tmp_path: Path) -> None:
    """The reference itself reads nothing, and what the host makes of the flag is not followed."""
    text = PROGRAM.replace("#include <any>", "#include <any>\n#include <cuda/atomic>").replace("WAIT", "")
    poll = "cuda::atomic_ref<float, cuda::thread_scope_system> f(h[0]); while (f.load() == 0.0f) {}"
    assert outcomes_of_launches(check(tmp_path, text.replace("USE", poll))) == {Outcome.UNKNOWN}


@pytest.mark.parametrize("use", LOOKING)
def test_an_address_that_is_taken_early(tmp_path: Path, use: str) -> None:
    assert _outcomes(tmp_path / "early", use, "") == {Outcome.SAFE}


def _outcomes(folder: Path, use: str, wait: str) -> set[Outcome]:
    folder.mkdir()
    return outcomes_of_launches(check(folder, PROGRAM.replace("WAIT", wait).replace("USE", use)))
