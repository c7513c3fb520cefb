"""Two kernels at once that update the same words by atomics: those of a block are not atomic for other blocks."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <cuda/atomic>
__global__ void count(int *h, const int *k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { UPDATE }
}
int main() {
  int *h, *k;
  cudaMalloc(&h, 64);
  cudaMalloc(&k, 1024);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  count<<<1, 256, 0, s>>>(h, k, 256);
  count<<<1, 256, 0, t>>>(h, k, 256);
}
"""


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("atomicAdd_block(&h[k[i] & 15], 1);", "atomicAdd(&h[k[i] & 15], 1);"),
        (
            "__nv_atomic_add(&h[k[i] & 15], 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);",
            "__nv_atomic_add(&h[k[i] & 15], 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);",
        ),
        (
            "cuda::atomic_ref<int, cuda::thread_scope_block> r(h[k[i] & 15]); r.fetch_add(1);",
            "cuda::atomic_ref<int, cuda::thread_scope_device> r(h[k[i] & 15]); r.fetch_add(1);",
        ),
        (
            "auto *a = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_block> *>(h); a[k[i] & 15].fetch_add(1);",
            "auto *a = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device> *>(h); a[k[i] & 15].fetch_add(1);",
        ),
        (
            'asm volatile("red.cta.global.add.s32 [%0], %1;" :: "l"(&h[k[i] & 15]), "r"(1) : "memory");',
            'asm volatile("red.gpu.global.add.s32 [%0], %1;" :: "l"(&h[k[i] & 15]), "r"(1) : "memory");',
        ),
    ],
)
def test_updates_that_are_atomic_in_a_block_alone_are_stores(tmp_path: Path, narrow: str, wide: str) -> None:
    assert _outcome(tmp_path / "narrow", narrow) is Outcome.UNKNOWN
    assert _outcome(tmp_path / "wide", wide) is Outcome.SAFE


def _outcome(folder: Path, update: str) -> Outcome:
    folder.mkdir()
    (kernel,) = analyze((parse(folder, PROGRAM.replace("UPDATE", update)),), AnalysisOptions()).kernels
    return kernel.outcome
