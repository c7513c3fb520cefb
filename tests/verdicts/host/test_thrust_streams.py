"""Algorithms and vectors of Thrust: they work in the default stream, or in that of their policy, and the host waits."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
__global__ void step(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
int main() {
  thrust::device_vector<float> v(1024), w(1024);
  thrust::host_vector<float> h(1024);
  float *x = thrust::raw_pointer_cast(v.data());
  cudaStream_t own, blocking;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking);
  cudaDeviceSynchronize();
  BODY
  cudaDeviceSynchronize();
}
"""
STEP = "step<<<4, 256, 0, own>>>(x, 1024);"
ON_THE_VECTOR = {
    "a reduction": "thrust::reduce(v.begin(), v.end());",
    "a reduction of pointers": "thrust::reduce(thrust::device, x, x + 1024);",
    "a reduction of wrapped pointers": "thrust::device_ptr<float> p(x); thrust::reduce(p, p + 1024);",
    "a sort": "thrust::sort(v.begin(), v.end());",
    "a copy": "thrust::copy(v.begin(), v.end(), w.begin());",
    "another stream": "thrust::sort(thrust::cuda::par.on(blocking), v.begin(), v.end());",
    "an element": "float first = v[0];",
    "the last element": "float last = v.back();",
    "an element that is set": "v[7] = 3;",
    "a vector of the host": "thrust::host_vector<float> copied = v;",
    "an assignment to the host": "h = v;",
    "an assignment from the host": "v = h;",
}
APART = {
    "another vector": "thrust::reduce(w.begin(), w.end());",
    "the stream of the kernel": "thrust::sort(thrust::cuda::par.on(own), v.begin(), v.end());",
    "the address of an element": "float *y = thrust::raw_pointer_cast(&v[0]);",
    "the size": "int size = v.size();",
    "memory of the host": "thrust::sort(h.begin(), h.end());",
}


def outcomes(tmp_path: Path, body: str) -> set[Outcome]:
    report = check(tmp_path, PROGRAM.replace("BODY", body))
    assert decided(report) == (2, 2)
    return outcomes_of_launches(report)


@pytest.mark.parametrize("name", ON_THE_VECTOR)
def test_beside_a_kernel_in_a_stream_of_its_own(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, f"{STEP} {ON_THE_VECTOR[name]}") == {Outcome.UNKNOWN}


@pytest.mark.parametrize("name", ON_THE_VECTOR)
def test_after_the_kernel(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, f"{STEP} cudaStreamSynchronize(own); {ON_THE_VECTOR[name]}") == {Outcome.SAFE}


@pytest.mark.parametrize("name", ON_THE_VECTOR)
def test_before_the_kernel(tmp_path: Path, name: str) -> None:
    """The host waits for them."""
    assert outcomes(tmp_path, f"{ON_THE_VECTOR[name]} {STEP}") == {Outcome.SAFE}


@pytest.mark.parametrize("name", [name for name in ON_THE_VECTOR if name != "another stream"])
def test_beside_a_kernel_whose_stream_waits_for_the_default_one(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, f"{STEP.replace('own', 'blocking')} {ON_THE_VECTOR[name]}") == {Outcome.SAFE}


@pytest.mark.parametrize("name", APART)
def test_of_other_memory(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, f"{STEP} {APART[name]}") == {Outcome.SAFE}


IN_A_LOOP = """
for (int k = 0; k < 3; k++) {
  sum_of(thrust::cuda::par.on(own), v);
  step<<<4, 256, 0, own>>>(x, 1024);
  sum_of(thrust::cuda::par.on(SECOND), v);
}
"""
SUM = """
template <class P> float sum_of(const P &policy, const thrust::device_vector<float> &of) {
  return thrust::reduce(policy, of.begin(), of.end());
}
int main() {"""


@pytest.mark.parametrize(("second", "outcome"), [("own", Outcome.SAFE), ("blocking", Outcome.UNKNOWN)])
def test_policies_made_in_a_loop(tmp_path: Path, second: str, outcome: Outcome) -> None:
    text = PROGRAM.replace("int main() {", SUM).replace("BODY", IN_A_LOOP.replace("SECOND", second))
    report = check(tmp_path, text)
    assert decided(report) == (2, 2)
    assert outcomes_of_launches(report) == {outcome}
