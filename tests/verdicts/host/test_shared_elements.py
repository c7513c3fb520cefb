"""Elements of arrays and containers that may hold one pointer: what is used by different ones is one memory then."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <array>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
struct Box { float *data; int n; };
struct Lane { cudaStream_t stream; float *in, *out; Box *box; };
__global__ void put(float *x, int n, int k) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i + k; }
int main(int argc, char **argv) {
  const int w = atoi(argv[1]), jobs = atoi(argv[2]), n = atoi(argv[3]);
  if (w < 2 || w > 16 || jobs < 1 || n < 256 || n > 100000) return 1;
  const int bytes = n * sizeof(float), blocks = (n + 255) / 256;
  float *one, *two; cudaMalloc(&one, bytes), cudaMalloc(&two, bytes);
  std::vector<Box> boxes(w); for (auto &b : boxes) cudaMalloc(&b.data, bytes);
  std::vector<float *> all(w); for (auto &x : all) cudaMalloc(&x, bytes);
  std::vector<cudaStream_t> s(w); for (auto &t : s) cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  std::vector<Lane> lanes; std::vector<float *> p;
  FILL
  cudaDeviceSynchronize();
  for (int j = 0; j < jobs; j++) { USE }
  cudaDeviceSynchronize();
}
"""
RECORDS = "lanes.resize(w); for (int k = 0; k < w; k++) {{ lanes[k].stream = s[k]; {} }}"
POINTERS = "p.resize(w); for (int k = 0; k < w; k++) {{ {} }}"
ADDED = "for (int k = 0; k < w; k++) {{ {} }}"
IN = "put<<<blocks, 256, 0, lanes[j % w].stream>>>(lanes[j % w].in, n, j);"
BOX = "Lane &l = lanes[j % w]; put<<<blocks, 256, 0, l.stream>>>(l.box->data, n, j);"
PART = "put<<<blocks, 256, 0, s[j % w]>>>(p[j % w], n, j);"
CASES = {  # what fills the elements, so that several hold one pointer, so that each has its own; their use
    "records": (RECORDS, "lanes[k].in = k % 2 ? one : two;", "cudaMalloc(&lanes[k].in, bytes);", IN),
    "records that lead to others": (RECORDS, "lanes[k].box = &boxes[k / 2];", "lanes[k].box = &boxes[k];", BOX),
    "the first one for all": (RECORDS, "lanes[k].box = &boxes.front();", "lanes[k].box = &boxes[k];", BOX),
    "one for the last": (
        RECORDS, "lanes[k].box = &boxes[k < w - 1 ? k : 0];", "lanes[k].box = &boxes[k];", BOX,
    ),
    "new records": (
        RECORDS,
        "lanes[k].box = new Box; lanes[k].box->data = one;",
        "lanes[k].box = new Box; cudaMalloc(&lanes[k].box->data, bytes);",
        BOX,
    ),
    "pointers": (POINTERS, "p[k] = one;", "cudaMalloc(&p[k], bytes);", PART),
    "pointers of others": (POINTERS, "p[k] = all[k / 2];", "p[k] = all[k];", PART),
    "added pointers": (
        ADDED, "p.push_back(one);", "float *x; cudaMalloc(&x, bytes); p.push_back(x);", PART,
    ),
    "added twice": (
        ADDED,
        "float *x; cudaMalloc(&x, bytes); p.push_back(x), p.push_back(x);",
        "float *x; cudaMalloc(&x, bytes); p.push_back(x);",
        PART,
    ),
    "added records": (
        ADDED,
        "lanes.push_back(Lane{s[k], nullptr, nullptr, &boxes[k / 2]});",
        "lanes.push_back(Lane{s[k], nullptr, nullptr, &boxes[k]});",
        BOX,
    ),
    "added and filled": (
        ADDED,
        "lanes.emplace_back(); lanes.back().stream = s[k]; lanes.back().box = &boxes[k / 2];",
        "lanes.emplace_back(); lanes.back().stream = s[k]; lanes.back().box = &boxes[k];",
        BOX,
    ),
    "what a shared container had": (
        "for (auto &x : all) x = one;" + POINTERS,
        "p[k] = all[k];",
        "cudaMalloc(&p[k], bytes);",
        PART,
    ),
}  # fmt: skip
LISTS = {  # of a list
    "a vector": "std::vector<float *> q{one, two, one};",
    "an array": "std::array<float *, 3> q{one, two, one};",
}


def outcomes(folder: Path, fill: str, use: str) -> tuple[set[Outcome], set[str]]:
    """The outcomes of the kernels that are launched, and what is open of them."""
    report = check(folder, PROGRAM.replace("FILL", fill).replace("USE", use))
    found = [n for k in report.kernels for n in k.launches if n.launch_span is not None]
    return {n.outcome for n in found}, {o.reason for n in found for o in n.open_pairs}


@pytest.mark.parametrize("name", CASES)
def test_elements_that_hold_one_pointer(tmp_path: Path, name: str) -> None:
    fill, shared, own, use = CASES[name]
    found, reasons = outcomes(tmp_path, fill.format(shared), use)
    assert found == {Outcome.UNKNOWN}
    assert all(r.startswith("another run of this launch may run at the same time and writes") for r in reasons)
    assert outcomes(tmp_path, fill.format(own), use) == ({Outcome.SAFE}, set())
    ordered = f"{use} cudaDeviceSynchronize();"
    assert outcomes(tmp_path, fill.format(shared), ordered) == ({Outcome.SAFE}, set())


@pytest.mark.parametrize("name", LISTS)
def test_lists_with_one_pointer_twice(tmp_path: Path, name: str) -> None:
    use = "put<<<blocks, 256, 0, s[j % w]>>>(q[j % 3], n, j);"
    found, _ = outcomes(tmp_path, LISTS[name], use)
    assert found == {Outcome.UNKNOWN}
