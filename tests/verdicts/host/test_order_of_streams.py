"""Order of work on streams, each program with its twin where nothing orders two kernels, or a kernel and a copy."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided

PROGRAM = """
#include <cuda_runtime.h>
#include <utility>
__device__ float factor[1];
__constant__ float held[1];
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void scale(float *x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
__global__ void use(float *x) { x[threadIdx.x] = factor[0]; }
__global__ void use_held(float *x) { x[threadIdx.x] = held[0]; }
static void note(void *given) { float *x = (float *)given; x[0] = 3; }

int main(int argc, char **argv) {
  const int N = 4096;
  float *x, *y, *z, *h;
  cudaMalloc(&x, N * sizeof(float)), cudaMalloc(&y, N * sizeof(float)), cudaMallocHost(&h, 10 * N * sizeof(float));
  cudaSetDevice(1), cudaMalloc(&z, N * sizeof(float)), cudaSetDevice(0);
  float *buffer[2] = {x, y};
  cudaStream_t a, b, free, s[4];
  cudaStreamCreate(&a), cudaStreamCreate(&b), cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
  for (int i = 0; i < 4; i++) cudaStreamCreate(&s[i]);
  cudaEvent_t e, ready[2], unused[2];
  cudaEventCreate(&e);
  for (int i = 0; i < 2; i++) cudaEventCreate(&ready[i]), cudaEventCreate(&unused[i]);
  BODY
  cudaDeviceSynchronize();
}
"""
PUT, SCALE = "put<<<16, 256, 0, a>>>(x, N);", "scale<<<16, 256, 0, b>>>(x, 2, N);"
NODES = """
  int n = N; float two = 2;
  void *first[] = {{&x, &n}}, *second[] = {{&x, &two, &n}}, *third[] = {{&y, &two, &n}};
  cudaKernelNodeParams p = {{}}, q = {{}};
  p.func = (void *)put, p.gridDim = dim3(16), p.blockDim = dim3(256), p.kernelParams = first;
  q.func = (void *)scale, q.gridDim = dim3(16), q.blockDim = dim3(256), q.kernelParams = third;
  cudaGraph_t g; cudaGraphCreate(&g, 0);
  cudaGraphNode_t one, other;
  cudaGraphAddKernelNode(&one, g, nullptr, 0, &p), cudaGraphAddKernelNode(&other, g, nullptr, 0, &q);
  cudaGraphExec_t run; cudaGraphInstantiate(&run, g, nullptr, nullptr, 0);
  q.kernelParams = {};
  cudaGraphExecKernelNodeSetParams(run, other, &q);
  cudaGraphLaunch(run, 0);
"""
BUFFERS = """
  int k = 0;
  for (int i = 0; i < 10; i++) {{
    cudaStreamWaitEvent(a, unused[k], 0);
    cudaMemcpyAsync(buffer[k], h + i * N, N * sizeof(float), cudaMemcpyHostToDevice, a);
    cudaEventRecord(ready[k], a);
    cudaStreamWaitEvent(b, ready[{}], 0);
    scale<<<16, 256, 0, b>>>(buffer[k], 2, N);
    cudaEventRecord(unused[k], b);
    k = 1 - k;
  }}
"""
TWINS = {  # a program, what leaves it without order, what orders it
    "a wait in one arm": (f"{PUT} {{}} cudaStreamSynchronize(a); {SCALE}", "if (argc > 5)", ""),
    "an event recorded twice": (
        f"{PUT} cudaEventRecord(e, a); cudaEventRecord(e, {{}}); cudaStreamWaitEvent(b, e, 0); {SCALE}",
        "b",
        "a",
    ),
    "one look whether a stream is complete": (f"{PUT} {{}}; {SCALE}", "cudaStreamQuery(a)", "cudaStreamSynchronize(a)"),
    "one look whether an event is complete": (
        f"{PUT} cudaEventRecord(e, a); {{}} (cudaEventQuery(e) == cudaErrorNotReady); {SCALE}",
        "if",
        "while",
    ),
    "streams that change places": (
        "for (int i = 0; i < 10; i++) {{ scale<<<16, 256, 0, s[0]>>>(x, 2, N); {} std::swap(s[0], s[1]); }}",
        "",
        "cudaStreamSynchronize(s[0]);",
    ),
    "an index that changes": (
        "int k = 0; for (int i = 0; i < 10; i++) {{ scale<<<16, 256, 0, s[k]>>>(x, 2, N); {} k ^= 1; }}",
        "",
        "cudaStreamSynchronize(s[k]);",
    ),
    "two buffers": (BUFFERS, "1 - k", "k"),
    "some streams are waited for": (
        "for (int i = 0; i < 4; i++) put<<<4, 256, 0, s[i]>>>(x + i * 1024, 1024);"
        "for (int i = 0; i < {}; i++) cudaStreamSynchronize(s[i]); get<<<16, 256, 0, s[0]>>>(x, y, N);",
        "3",
        "4",
    ),
    "another device is waited for": (
        "put<<<16, 256>>>(x, N); {} cudaDeviceSynchronize(); cudaSetDevice(1); scale<<<16, 256>>>(x, 2, N);",
        "cudaSetDevice(1);",
        "",
    ),
    "a fill that the host does not wait for": (
        "cudaMemset(x, 0, N * sizeof(float)); scale<<<16, 256, 0, {}>>>(x, 2, N);",
        "free",
        "a",
    ),
    "a copy to another device": (
        f"{PUT} cudaMemcpyPeerAsync(z, 1, x, 0, N * sizeof(float), {{}});",
        "b",
        "a",
    ),
    "a copy of rows": (
        f"{PUT} cudaMemcpy2DAsync(h, 256, x, 256, 256, 64, cudaMemcpyDeviceToHost, {{}});",
        "b",
        "a",
    ),
    "a copy to a variable": (
        "use<<<1, 64, 0, a>>>(x); cudaMemcpyToSymbolAsync(factor, h, 4, 0, cudaMemcpyHostToDevice, {});",
        "b",
        "a",
    ),
    "a copy to constant memory": (
        "use_held<<<1, 64, 0, a>>>(x); cudaMemcpyToSymbolAsync(held, h, 4, 0, cudaMemcpyHostToDevice, {});",
        "b",
        "a",
    ),
    "memory that is given back": (
        "float *t; cudaMallocAsync(&t, N * sizeof(float), a); put<<<16, 256, 0, a>>>(t, N); cudaFreeAsync(t, {});",
        "b",
        "a",
    ),
    "a function of the host": (
        "float *m; cudaMallocManaged(&m, N * sizeof(float)); put<<<16, 256, 0, a>>>(m, N);"
        "cudaLaunchHostFunc({}, note, m);",
        "b",
        "a",
    ),
    "a node that gets other memory": (NODES, "second", "third"),
}


@pytest.mark.parametrize("name", TWINS)
def test_without_order_nothing_is_safe(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    found = [check(tmp_path, PROGRAM.replace("BODY", body.format(part))) for part in (without, ordered)]
    racing, clear = ([n for k in report.kernels for n in k.launches if n.launch_span is not None] for report in found)
    reasons = [pair.reason for n in racing for pair in n.open_pairs]
    assert any(
        "may run at the same time and" in why for why in (*reasons, *(f.cause for n in racing for f in n.findings))
    )
    assert all(n.outcome is not Outcome.SAFE for n in racing if n.open_pairs)
    assert {(n.outcome, n.pairs - n.discharged) for n in clear} == {(Outcome.SAFE, 0)}
    assert sum(n.pairs for n in clear) > 0


BY_FUNCTION = """
#include <cuda_runtime.h>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
int main() {
  int n = 1024; float *x; cudaMalloc(&x, n * 4);
  void *args[] = {&x, &n};
  cudaStream_t own; cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaLaunchKernel((void *)k, dim3(4), dim3(256), args, 0, ONE);
  k<<<4, 256, 0, OTHER>>>(x, n);
  cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize(
    ("one", "other", "outcome"),
    [
        ("own", "own", Outcome.SAFE),
        ("own", "0", Outcome.RACE),
        ("cudaStreamPerThread", "cudaStreamPerThread", Outcome.SAFE),
        ("cudaStreamPerThread", "own", Outcome.RACE),
        ("cudaStreamLegacy", "0", Outcome.SAFE),
        ("cudaStreamLegacy", "cudaStreamPerThread", Outcome.SAFE),
    ],
)
def test_the_stream_of_a_kernel_that_a_function_launches(tmp_path: Path, one: str, other: str, outcome: Outcome):
    report = check(tmp_path, BY_FUNCTION.replace("ONE", one).replace("OTHER", other))
    assert decided(report) == (4, 4)
    assert [kernel.outcome for kernel in report.kernels] == [outcome]
