"""Graphs in concrete runs with a device: captured from streams, or put together node by node."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <initializer_list>
__global__ void put(int *p, int at) { p[at + threadIdx.x] = at; }
cudaGraphNode_t add(cudaGraph_t g, std::initializer_list<cudaGraphNode_t> before, int *p, int at) {
  void *arguments[] = {&p, &at};
  cudaKernelNodeParams of = {};
  of.func = (void *)put;
  of.gridDim = 1;
  of.blockDim = 32;
  of.kernelParams = arguments;
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, g, before.begin(), before.size(), &of);
  return node;
}
int main() {
  int *p, *h;
  cudaMalloc(&p, 1 << 20), cudaMallocHost(&h, 1 << 20);
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t e, f;
  cudaEventCreate(&e), cudaEventCreate(&f);
  cudaGraph_t g;
  cudaGraphExec_t x;
  BODY
}
"""
BEGIN, END = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);", "cudaStreamEndCapture(s, &g);"
FORK, JOIN = (
    "cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);",
    "cudaEventRecord(f, t); cudaStreamWaitEvent(s, f, 0);",
)
FIRST, SECOND = "put<<<1, 32, 0, s>>>(p, 0);", "put<<<1, 32, 0, t>>>(p, 16);"
RUN = "cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, s);"
COPY = "cudaGraphAddMemcpyNode1D(&c, g, &a, 1, h, p, 128, cudaMemcpyDeviceToHost);"


def _races(folder: Path, body: str) -> int:
    tables = link((parse(folder, PROGRAM.replace("BODY", body)),))
    return len(run_beside_launches(tables, tables.functions["main"], inf).races)


@pytest.mark.parametrize(
    ("body", "races"),
    [
        (f"{BEGIN} {FORK} {FIRST} {SECOND} {JOIN} {END} {RUN}", 1),
        (f"{BEGIN} {FIRST} {FORK} {SECOND} {JOIN} {END} {RUN}", 0),
        (f"{BEGIN} {FORK} {SECOND} {JOIN} {FIRST} {END} {RUN}", 0),
        (f"{BEGIN} {FORK} {SECOND} {FIRST} {JOIN} {END} {RUN}", 1),
        (f"{BEGIN} {FORK} {FIRST} {SECOND} {JOIN} {END}", 0),  # never launched
        (f"{BEGIN} {FIRST} {END} {RUN} {SECOND}", 1),  # a launch of the graph is work of its stream
        (f"{BEGIN} {FIRST} {END} {RUN} cudaStreamSynchronize(s); {SECOND}", 0),
        (f"{BEGIN} {FIRST} {END} {RUN} cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0); {SECOND}", 0),
        (f"{BEGIN} cudaMemsetAsync(p, 1, 128, s); {END} {RUN} {SECOND}", 1),
    ],
)
def test_captured_streams(tmp_path: Path, body: str, races: int) -> None:
    assert _races(tmp_path, body) == races


@pytest.mark.parametrize(
    ("body", "races"),
    [
        ("auto a = add(g, {}, p, 0); auto b = add(g, {}, p, 16);", 1),
        ("auto a = add(g, {}, p, 0); auto b = add(g, {}, p, 32);", 0),
        ("auto a = add(g, {}, p, 0); auto b = add(g, {a}, p, 16);", 0),
        ("auto a = add(g, {}, p, 0); auto m = add(g, {a}, p, 64); add(g, {m}, p, 16);", 0),
        ("auto a = add(g, {}, p, 0); auto m = add(g, {a}, p, 64); add(g, {a}, p, 80);", 1),
        ("auto a = add(g, {}, p, 0); auto b = add(g, {}, p, 16); cudaGraphAddDependencies(g, &b, &a, 1);", 0),
        (f"auto a = add(g, {{}}, p, 0); cudaGraphNode_t c; {COPY} add(g, {{}}, p, 24);", 2),
        (f"auto a = add(g, {{}}, p, 0); cudaGraphNode_t c; {COPY} add(g, {{c}}, p, 24);", 0),
        ("auto a = add(g, {}, p, 0); cudaGraphNode_t m; cudaGraphAddEmptyNode(&m, g, &a, 1); add(g, {m}, p, 16);", 0),
    ],
)
def test_nodes_and_their_dependencies(tmp_path: Path, body: str, races: int) -> None:
    assert _races(tmp_path, f"cudaGraphCreate(&g, 0); {body} {RUN}") == races


def test_what_a_graph_has_left_is_found_by_what_comes_after_it(tmp_path: Path) -> None:
    """The host waits, and takes the number that the graph's kernel has stored."""
    body = f"{BEGIN} put<<<1, 32, 0, s>>>(p, 7); {END} {RUN} cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost);"
    raced = "put<<<1, 32, 0, s>>>(p, 0); put<<<1, 32, 0, t>>>(p, h[9] == 7 ? 16 : 64);"
    assert _races(tmp_path, f"{body} {raced}") == 1
    assert _races(tmp_path, f"{body} {raced.replace('== 7', '== 8')}") == 0
