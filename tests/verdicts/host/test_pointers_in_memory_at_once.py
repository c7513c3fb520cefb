"""Kernels that come to memory by pointers which the host has copied to the device, beside work that uses it itself."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
struct View { float *p; int n; };
__global__ void put(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
__global__ void by_table(float *x, float **all) { x[threadIdx.x] = all[0][threadIdx.x]; }
__global__ void by_view(float *x, const View *v) { x[threadIdx.x] = v->p[threadIdx.x]; }
__global__ void into_table(float **all) { all[0][threadIdx.x] = threadIdx.x; }
__global__ void get(float *x, const float *a) { x[threadIdx.x] = a[threadIdx.x]; }
int main(int argc, char **argv) {
  float *b, *c, *m, **all;
  View *v;
  cudaMalloc(&b, 4096), cudaMalloc(&c, 4096), cudaMalloc(&m, 4096);
  cudaMalloc(&all, 8), cudaMalloc(&v, sizeof(View));
  float *pointers[1] = {b};
  cudaMemcpy(all, pointers, 8, cudaMemcpyHostToDevice);
  View view{b, 1024};
  cudaMemcpy(v, &view, sizeof view, cudaMemcpyHostToDevice);
  cudaStream_t s, t;
  STREAMS
  LAUNCHES
  cudaDeviceSynchronize();
}
"""
PAIRS = [
    "by_table<<<1, 32, 0, s>>>(m, all); put<<<4, 256, 0, t>>>(USED, 1024);",
    "put<<<4, 256, 0, t>>>(USED, 1024); by_table<<<1, 32, 0, s>>>(m, all);",
    "by_view<<<1, 32, 0, s>>>(m, v); put<<<4, 256, 0, t>>>(USED, 1024);",
    "into_table<<<1, 32, 0, s>>>(all); get<<<1, 32, 0, t>>>(m, USED);",
    "by_table<<<1, 32, 0, s>>>(m, all); cudaMemsetAsync(USED, 0, 4096, t);",
    "cudaMemsetAsync(USED, 0, 4096, t); by_table<<<1, 32, 0, s>>>(m, all);",
]
FREE = "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);"
STREAMS = [FREE, "cudaStreamCreate(&s), cudaStreamCreate(&t);"]


@pytest.mark.parametrize("launches", PAIRS)
@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize(("used", "outcome"), [("b", Outcome.UNKNOWN), ("c", Outcome.SAFE)])
def test_memory_that_a_table_leads_to(tmp_path: Path, streams: str, launches: str, used: str, outcome: Outcome) -> None:
    report = check(tmp_path, PROGRAM.replace("STREAMS", streams).replace("LAUNCHES", launches.replace("USED", used)))
    launched = [x for kernel in report.kernels for x in kernel.launches if x.launch_span is not None]
    assert {x.outcome for x in launched} == {outcome}


@pytest.mark.parametrize("launches", PAIRS[:3])
def test_work_in_one_stream_is_in_order(tmp_path: Path, launches: str) -> None:
    ordered = launches.replace("USED", "b").replace(", t>", ", s>")
    report = check(tmp_path, PROGRAM.replace("STREAMS", FREE).replace("LAUNCHES", ordered))
    launched = [x for kernel in report.kernels for x in kernel.launches if x.launch_span is not None]
    assert {x.outcome for x in launched} == {Outcome.SAFE}
