"""Copies and fills of all kinds, of the runtime and the driver, beside a kernel in another stream."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void get(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
int main() {
  const int n = 1024; int *x, *y, *z; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096), cudaMalloc(&z, 4096);
  cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaStream_t streams[2] = {a, b}; cudaArray_t cells; cudaMemcpy3DParms all = {};
  all.srcPtr = make_cudaPitchedPtr(x, 64, 64, 64); all.extent = make_cudaExtent(64, 64, 1);
  all.dstPtr = make_cudaPitchedPtr(y, 64, 64, 64); all.kind = cudaMemcpyDeviceToDevice;
  BODY
  get<<<4, 256, 0, b>>>(y, z, n);
  cudaDeviceSynchronize();
}
"""
RACE, UNKNOWN = Outcome.RACE, Outcome.UNKNOWN
COPIES = {
    "cudaMemcpyAsync(y, x, 4096, cudaMemcpyDeviceToDevice, a);": RACE,
    "cudaMemcpyPeerAsync(y, 0, x, 0, 4096, a);": RACE,
    "cudaMemcpy2DAsync(y, 64, x, 64, 64, 64, cudaMemcpyDeviceToDevice, a);": RACE,
    "cudaMemcpy2DFromArrayAsync(y, 64, cells, 0, 0, 64, 64, cudaMemcpyDeviceToDevice, a);": UNKNOWN,
    "cudaMemcpyFromArrayAsync(y, cells, 0, 0, 4096, cudaMemcpyDeviceToDevice, a);": UNKNOWN,
    "cudaMemcpy3DAsync(&all, a);": UNKNOWN,
    "cudaMemsetAsync(y, 0, 4096, a);": RACE,
    "cudaMemset2DAsync(y, 64, 0, 64, 64, a);": RACE,
    "cudaMemset3DAsync(make_cudaPitchedPtr(y, 64, 64, 64), 0, make_cudaExtent(64, 64, 1), a);": UNKNOWN,
    "cuMemcpyAsync((CUdeviceptr)y, (CUdeviceptr)x, 4096, a);": UNKNOWN,
    "cuMemcpyDtoDAsync((CUdeviceptr)y, (CUdeviceptr)x, 4096, a);": UNKNOWN,
    "cuMemcpyPeerAsync((CUdeviceptr)y, 0, (CUdeviceptr)x, 0, 4096, a);": UNKNOWN,
    "cuMemsetD8Async((CUdeviceptr)y, 0, 4096, a);": UNKNOWN,
    "cuMemsetD32Async((CUdeviceptr)y, 0, n, a);": UNKNOWN,
    "cuMemsetD2D32Async((CUdeviceptr)y, 64, 0, 16, 64, a);": UNKNOWN,
}


@pytest.mark.parametrize("stream", ["a", "streams[0]"])
@pytest.mark.parametrize(("copy", "outcome"), COPIES.items())
def test_beside_a_kernel(tmp_path: Path, copy: str, outcome: Outcome, stream: str) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", copy.replace("a);", f"{stream});")))
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == (1, 1)


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("wait", ["cudaStreamSynchronize(a);", ""])
def test_before_a_kernel(tmp_path: Path, copy: str, wait: str) -> None:
    done = copy if wait else copy.replace("a);", "b);")
    report = check(tmp_path, PROGRAM.replace("BODY", done + wait))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)


@pytest.mark.parametrize(("wait", "outcome"), [("", UNKNOWN), ("cudaDeviceSynchronize();", Outcome.SAFE)])
def test_copies_of_unknown_form_use_any_memory(tmp_path: Path, wait: str, outcome: Outcome) -> None:
    copies = (
        "size_t size = 4096; cudaMemcpyBatchAsync((void **)&y, (const void **)&x, &size, 1, nullptr, nullptr, 0, a);"
    )
    report = check(tmp_path, PROGRAM.replace("BODY", copies + wait))
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == (1, 1)
