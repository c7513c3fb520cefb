"""Work at once of which the bodies show that it uses the same elements: no assumption may say that it does not."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>
#include <future>
#include <memory>
#include <thread>
#include <vector>
struct Release { void operator()(cudaStream_t s) const { cudaStreamDestroy(s); } };
using Owned = std::unique_ptr<CUstream_st, Release>;
Owned made() { cudaStream_t s; cudaStreamCreate(&s); return Owned(s); }
__global__ void integrate(double a, long points, double *to) {
  double s = 0;
  for (long i = threadIdx.x; i < points; i += 32) s += exp(-a * i) * fabsf(s);
  if (threadIdx.x == 0) *to = s;
}
__global__ void gather(const double *parts, int lanes, double *total) {
  double s = 0;
  for (int k = 0; k < lanes; k++) s += parts[k];
  *total = s;
}
__global__ void scale(double *x, int begin, int end) {
  int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < end) x[i] = log1p(x[i]);
}
int main(int argc, char **argv) {
  const int lanes = argc > 1 ? atoi(argv[1]) : 8, n = argc > 2 ? atoi(argv[2]) : 100000;
  if (lanes < 1 || lanes > 64 || n < 1 || n > 1 << 20) return 1;
  const int chunk = (n + lanes - 1) / lanes;
  double *parts, *total, *x, *shared;
  cudaMalloc(&parts, lanes * sizeof(double)), cudaMalloc(&total, sizeof(double)), cudaMalloc(&x, n * sizeof(double));
  cudaMallocManaged(&shared, 8000 * sizeof(double));
  std::vector<cudaStream_t> lane(lanes);
  for (auto &s : lane) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStream_t last; cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking);
  cudaEvent_t done; cudaEventCreate(&done);
  std::vector<Owned> owned;
  cudaDeviceSynchronize();
  BODY
  cudaDeviceSynchronize();
}
"""
WAITS = "cudaStreamWaitEvent(last, done, 0);"
LANES = (
    "for (int k = 0; k < lanes; k++) {{ integrate<<<1, 32, 0, lane[k]>>>(k, n, parts + k);"
    "cudaEventRecord(done, lane[k]); {} }} {} gather<<<1, 1, 0, last>>>(parts, lanes, total);"
)
SLICES = (
    "for (int begin = 0; begin < n; begin += chunk) {{ owned.push_back(made()); int end = std::min(n, begin + chunk);"
    "scale<<<(chunk + 255) / 256, 256, 0, owned.back().get()>>>(x, begin, {}); }}"
)
THREAD = "gather<<<1, 1>>>(shared, 4000, total); {{ {} }} cudaDeviceSynchronize();"
USES = {
    "a thread": "std::thread t([shared] { shared[%s] = 1; }); t.join();",
    "a thread that is given the pointer": "std::thread t([](double *p) { p[%s] = 1; }, shared); t.join();",
    "a task": "auto t = std::async(std::launch::async, [=, begin = %s] { shared[begin] = 1; }); t.get();",
}


def outcomes(folder: Path, body: str) -> dict[str, tuple[Outcome, bool]]:
    """The outcomes of the kernels that are launched, and whether all of their pairs are discharged."""
    report = check(folder, PROGRAM.replace("BODY", body))
    launched = [(k.kernel, x) for k in report.kernels for x in k.launches if x.launch_span is not None]
    return {kernel: (x.outcome, x.pairs == x.discharged) for kernel, x in launched}


def test_an_event_stands_for_what_it_was_recorded_behind_last(tmp_path: Path) -> None:
    after = outcomes(tmp_path, LANES.format("", WAITS))
    assert {k: o for k, (o, _) in after.items()} == {"integrate": Outcome.RACE, "gather": Outcome.RACE}
    each = outcomes(tmp_path, LANES.format(WAITS, ""))
    assert each == {"integrate": (Outcome.SAFE, True), "gather": (Outcome.SAFE, True)}


def test_slices_on_streams_of_which_little_is_known(tmp_path: Path) -> None:
    assert outcomes(tmp_path, SLICES.format("n"))["scale"][0] is Outcome.UNKNOWN
    assert outcomes(tmp_path, SLICES.format("end")) == {"scale": (Outcome.SAFE, True)}


@pytest.mark.parametrize("use", USES)
def test_what_threads_of_the_host_use_that_launch_nothing(tmp_path: Path, use: str) -> None:
    assert outcomes(tmp_path, THREAD.format(USES[use] % "3999"))["gather"][0] in (Outcome.RACE, Outcome.UNKNOWN)
    assert outcomes(tmp_path, "cudaDeviceSynchronize();" + USES[use] % "3999" + THREAD.format("")) == {
        "gather": (Outcome.SAFE, True)
    }
