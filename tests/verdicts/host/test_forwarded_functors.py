"""Functors that a template forwards before it calls them: what they launch is launched there, and nowhere else."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <functional>
#include <utility>
__global__ void put(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
template <class B> void forwarded(B &&b, int *x) { std::forward<B>(b)(x); }
template <class B> void moved(B b, int *x) { std::move(b)(x); }
template <class B> void invoked(B &&b, int *x) { std::invoke(std::forward<B>(b), x); }
template <class B, class... T> void packed(B &&b, T &&...x) { std::forward<B>(b)(std::forward<T>(x)...); }
template <class B> void keep(B &&b);
template <class B> void kept(B &&b, int *x) { std::forward<B>(b)(x); keep(std::forward<B>(b)); }
int main() {
  int *x; cudaMalloc(&x, 4096);
  BODY
  cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("name", ["forwarded", "moved", "invoked", "packed"])
def test_what_they_launch_is_known(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", f"{name}([&](int *y) {{ put<<<4, 256>>>(y); }}, x);"))
    assert outcomes_of_launches(report) == {Outcome.SAFE}
    assert decided(report) == (1, 1)


def test_one_that_is_given_to_code_without_a_body_may_be_called_again(tmp_path: Path) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", "kept([&](int *y) { put<<<4, 256>>>(y); }, x);"))
    assert {launch.outcome for kernel in report.kernels for launch in kernel.launches} == {
        Outcome.SAFE,
        Outcome.UNKNOWN,
    }
