"""Functions of CUDA's libraries that put their results into members of records leave the other members as they are."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>
struct Context { int n; cublasHandle_t blas; cudaGraph_t graph; cudaGraphExec_t exec; float *x; };
__global__ void put(float *x, int n) { x[threadIdx.x % n] = threadIdx.x; }
int main() {
  Context *c = MADE;
  c->n = 64;
  CALL
  cudaMalloc(&c->x, 4096);
  put<<<1, COUNT>>>(c->x, c->n);
  cudaDeviceSynchronize();
}
"""
CALLS = (
    "cublasCreate(&c->blas);",
    "cudaGraphInstantiateWithFlags(&c->exec, c->graph, 0);",
    "cublasGetVersion(c->blas, (int *)&c->x);",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("made", ["(Context *)malloc(sizeof(Context))", "new Context()"])
@pytest.mark.parametrize(("count", "outcome"), [(64, Outcome.SAFE), (128, Outcome.RACE)])
def test_members_beside_the_result(tmp_path: Path, call: str, made: str, count: int, outcome: Outcome) -> None:
    text = PROGRAM.replace("MADE", made).replace("CALL", call).replace("COUNT", str(count))
    report = check(tmp_path, text)
    assert decided(report) == (1, int(outcome is Outcome.SAFE))
    assert outcomes_of_launches(report) == {outcome}


def test_a_member_that_is_the_result(tmp_path: Path) -> None:
    """The version may be any number."""
    text = PROGRAM.replace("MADE", "new Context()").replace("CALL", "cublasGetVersion(c->blas, &c->n);")
    assert outcomes_of_launches(check(tmp_path, text.replace("COUNT", "64"))) == {Outcome.RACE}
