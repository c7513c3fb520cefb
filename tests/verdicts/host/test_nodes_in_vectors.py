"""Nodes of graphs that come after others, which a vector or an initializer list holds."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <initializer_list>
#include <vector>
__global__ void add(float *x) { x[blockIdx.x * 64 + threadIdx.x] += 1; }
__global__ void twice(float *x) { x[blockIdx.x * 64 + threadIdx.x] *= 2; }
__global__ void fill(float *x) { x[blockIdx.x * 64 + threadIdx.x] = 3; }
const cudaGraphNode_t *elsewhere();
class Graph {
 public:
  explicit Graph(int given) : given_(given) { cudaGraphCreate(&graph_, 0); }
  cudaGraphNode_t kernel(void *function, void **arguments, LIST deps) {
    COPY
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = dim3(16);
    p.blockDim = dim3(64);
    p.kernelParams = arguments;
    cudaGraphNode_t node;
    cudaGraphAddKernelNode(&node, graph_, DATA, deps.size(), &p);
    return node;
  }
  void run() {
    cudaGraphExec_t made;
    cudaGraphInstantiate(&made, graph_, 0);
    cudaGraphLaunch(made, 0);
    cudaDeviceSynchronize();
  }

 private:
  cudaGraph_t graph_;
  int given_;
};
int main(int argc, char **argv) {
  float *x, *y;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  void *first[] = {&x}, *second[] = {&y};
  Graph graph(argc);
  auto a = graph.kernel((void *)fill, first, {});
  auto b = graph.kernel((void *)add, second, {});
  graph.kernel((void *)twice, first, {NODES});
  graph.run();
}
"""
VECTOR = "const std::vector<cudaGraphNode_t> &"
LISTS = {
    "a vector": (VECTOR, "", "deps.data()"),
    "a vector, if it is not empty": (VECTOR, "", "deps.empty() ? nullptr : deps.data()"),
    "an initializer list": (
        "std::initializer_list<cudaGraphNode_t>",
        "std::vector<cudaGraphNode_t> held(deps);",
        "held.data()",
    ),
}


def outcomes(tmp_path: Path, form: tuple[str, str, str], nodes: str) -> set[Outcome]:
    list_, copy, data = form
    text = PROGRAM.replace("LIST", list_).replace("COPY", copy).replace("DATA", data).replace("NODES", nodes)
    report = check(tmp_path, text)
    assert decided(report) == (5, 5)
    return outcomes_of_launches(report)


@pytest.mark.parametrize("form", LISTS)
@pytest.mark.parametrize(
    ("nodes", "expected"),
    [("a", {Outcome.SAFE}), ("b, a", {Outcome.SAFE}), ("b", {Outcome.SAFE, Outcome.RACE}), ("", None)],
)
def test_form(tmp_path: Path, form: str, nodes: str, expected: set[Outcome] | None) -> None:
    assert outcomes(tmp_path, LISTS[form], nodes) == (expected or {Outcome.SAFE, Outcome.RACE})


def test_nodes_that_are_not_known(tmp_path: Path) -> None:
    form = (VECTOR, "", "given_ > 3 ? elsewhere() : deps.data()")
    assert outcomes(tmp_path, form, "a") == {Outcome.SAFE, Outcome.UNKNOWN}
