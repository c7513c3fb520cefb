"""Kernels that begin before the one before them has ended (programmatic dependent launch), and what they use early."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
__device__ int total;
__global__ void first(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  if (i < n) x[i] = i;
}
__global__ void second(const float *x, float *y, const float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  BODY
  if (i < n) y[i] = v;
}
int main() {
  float *x, *y, *z; cudaMalloc(&x, 8192), cudaMalloc(&y, 4096), cudaMalloc(&z, 4096);
  cudaStream_t s; cudaStreamCreate(&s);
  first<<<4, 256, 0, s>>>(x, 1024);
  cudaLaunchAttribute a[2];
  a[0].id = cudaLaunchAttributePriority; a[0].val.priority = 0;
  a[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a[1].val.programmaticStreamSerializationAllowed = ALLOWED;
  cudaLaunchConfig_t c = {}; c.gridDim = dim3(4); c.blockDim = dim3(256); c.stream = s; c.attrs = a; c.numAttrs = 2;
  MIDDLE
  cudaLaunchKernelEx(&c, second, (const float *)x FROM, y, (const float *)z, 1024);
  cudaStreamSynchronize(s);
}
"""
WAIT = "cudaGridDependencySynchronize();"
READ = "if (i < n) v = x[i];"
RACING = {"body": READ + WAIT, "allowed": "1", "middle": "", "from": ""}
ORDERED = {
    "waits first": {"body": WAIT + READ},
    "reads something else before": {"body": "if (i < n) v = z[i];" + WAIT + READ},
    "keeps something else in shared memory before": {
        "body": "__shared__ float b[256]; b[threadIdx.x] = z[i & 255]; __syncthreads();" + WAIT + READ + "v += b[0];"
    },
    "keeps something else in a local array before": {
        "body": "float b[2]; b[n & 1] = z[i & 255];" + WAIT + READ + "v += b[0];"
    },
    "may not begin early": {"allowed": "0"},
    "something else is before it": {"middle": "cudaMemsetAsync(z, 0, 4096, s);"},
    "the host waits": {"middle": "cudaStreamSynchronize(s);"},
    "other elements": {"from": "+ 1024"},
}
UNORDERED = {
    "reads before it waits": {},
    "never waits": {"body": READ},
    "waits under a condition": {"body": "if (n > 4) { " + WAIT + " }" + READ},
    "reads through a copy of the pointer": {"body": "const float *p = x + i; if (i < n) v = *p;" + WAIT},
    "keeps it in shared memory": {
        "body": "__shared__ float b[256]; b[threadIdx.x] = i < n ? x[i] : 0;" + WAIT + "v = b[threadIdx.x];"
    },
    "some of the same elements": {"from": "+ 1000"},
}


def launches(folder: Path, changes: dict[str, str]) -> list[tuple[str, Outcome, list[str]]]:
    """The kernels with their verdicts, and why they are open."""
    text = PROGRAM
    for name, part in (RACING | changes).items():
        text = text.replace(name.upper(), part)
    found = [(k.kernel, n) for k in check(folder, text).kernels for n in k.launches]
    return [(name, n.outcome, [pair.reason for pair in n.open_pairs]) for name, n in found]


@pytest.mark.parametrize("name", UNORDERED)
def test_what_a_kernel_uses_before_it_waits_is_not_in_order(tmp_path: Path, name: str) -> None:
    (first, one, why), (second, other, because) = launches(tmp_path, UNORDERED[name])
    assert (first, one, second, other) == ("first", Outcome.UNKNOWN, "second", Outcome.UNKNOWN)
    assert why == ["kernel 'second' at program.cu:25 may run at the same time and reads 'x', which this kernel writes"]
    assert because == [
        "kernel 'first' at program.cu:18 may run at the same time and writes 'x', which this kernel reads"
    ]


@pytest.mark.parametrize("name", ORDERED)
def test_what_it_uses_after_that_is(tmp_path: Path, name: str) -> None:
    assert launches(tmp_path, ORDERED[name]) == [("first", Outcome.SAFE, []), ("second", Outcome.SAFE, [])]
