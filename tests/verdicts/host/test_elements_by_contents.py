"""Work at once whose elements memory contents decide: where contents may be such that the two meet, nothing is safe."""

from pathlib import Path

import pytest

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import Confidence, Outcome
from tests.checking import check

PROGRAM = """
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void above(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.5f) y[i] = 1;
}
__global__ void count(const int *key, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[key[i]], 1u);
}
__global__ void count_low(const int *key, unsigned *bins, int n) {
  int all = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) atomicAdd(&bins[key[i] & 63], 1u);
}
__global__ void until(const int *key, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 4; k++) { if (key[4 * i + k] < 0) break; y[4 * i + k] = 1; }
}
__global__ void segment(const int *begin, float *y, int k) {
  int i = begin[k] + threadIdx.x;
  if (i < begin[k + 1]) y[i] = k;
}
__global__ void within(const int *begin, float *y, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= begin[k] && i < begin[k + 1]) y[i] = k;
}
__global__ void take(const float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = y[i];
}
__global__ void total(const unsigned *bins, unsigned *out) { out[threadIdx.x] = bins[threadIdx.x]; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]); if (n < 1024) return 1;
  float *x, *y, *z; int *key, *begin; unsigned *bins, *out;
  cudaMalloc(&x, n * sizeof(float)), cudaMalloc(&y, 4 * n * sizeof(float)), cudaMalloc(&z, 4 * n * sizeof(float));
  cudaMalloc(&key, 4 * n * sizeof(int)), cudaMalloc(&begin, 9 * sizeof(int));
  cudaMalloc(&bins, 256 * sizeof(unsigned)), cudaMalloc(&out, 256 * sizeof(unsigned));
  cudaStream_t a, b, s[8];
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  for (auto &one : s) cudaStreamCreate(&one);
  cudaDeviceSynchronize();
  BODY
  cudaDeviceSynchronize();
}
"""
OF = "<<<(n + 255) / 256, 256, 0, a>>>"
MEET = {  # two pieces of work that meet for some contents, where the place in braces lets them; what keeps them apart
    "a condition": (f"above{OF}(x, y, n); take<<<4, 256, 0, b>>>(y + {{}}, z, 1024);", "0", "n"),
    "a fill of all": (f"count{OF}(key, bins, n); cudaMemsetAsync(bins, 0, 1024, {{}});", "b", "a"),
    "a fill that waits for no stream": (
        f"count{OF}(key, bins, n); {{}} cudaMemset(bins, 0, 1024);", "", "cudaStreamSynchronize(a);",
    ),
    "a look at all": (f"count{OF}(key, bins, n); total<<<1, 256, 0, {{}}>>>(bins, out);", "b", "a"),
    "bounds of the index": (
        "count_low<<<8, 256, 0, a>>>(key, bins, n); cudaMemsetAsync(bins + {}, 0, 256, b);", "0", "64",
    ),
    "a loop that is left": (f"until{OF}(key, y, n); cudaMemsetAsync(y + {{}}, 0, 64, b);", "16", "4 * n"),
    "a segment and a fill of all": (
        "segment<<<1, 256, 0, a>>>(begin, y, 0); cudaMemsetAsync(y, 0, 4 * n * sizeof(float), {});", "b", "a",
    ),
    "a segment within all and a fill of all": (
        f"within{OF}(begin, y, 0); cudaMemsetAsync(y, 0, 4 * n * sizeof(float), {{}});", "b", "a",
    ),
}  # fmt: skip
WHEREVER = ("a fill of all", "a fill that waits for no stream", "bounds of the index")  # they meet whatever it is
ASSUMED = {  # only contents say whether two pieces of work meet
    "segments": "for (int k = 0; k < 8; k++) segment<<<1, 256, 0, s[k]>>>(begin, y, k);",
    "bounds of segments": "for (int k = 0; k < 8; k++) within<<<4, 256, 0, s[k]>>>(begin, y, k);",
    "a fill of a part": f"count{OF}(key, bins, n); cudaMemsetAsync(bins, 0, 512, b);",
}


def outcomes(folder: Path, body: str) -> tuple[set[Outcome], set[str]]:
    """The outcomes of the kernels that are launched, and what is open of them."""
    report = check(folder, PROGRAM.replace("BODY", body))
    found = [n for k in report.kernels for n in k.launches if n.launch_span is not None]
    return {n.outcome for n in found}, {o.reason for n in found for o in n.open_pairs}


@pytest.mark.parametrize("name", MEET)
def test_contents_may_let_them_meet(tmp_path: Path, name: str) -> None:
    body, where, ordered = MEET[name]
    found, reasons = outcomes(tmp_path, body.format(where))
    assert found == {Outcome.RACE if name in WHEREVER else Outcome.UNKNOWN}
    assert all("may run at the same time and" in reason for reason in reasons)
    assert outcomes(tmp_path, body.format(ordered)) == ({Outcome.SAFE}, set())


def test_a_race_wherever_contents_lead(tmp_path: Path) -> None:
    body, where, _ = MEET["a fill of all"]
    report = check(tmp_path, PROGRAM.replace("BODY", body.format(where)))
    (finding,) = next(k for k in report.kernels if k.kernel == "count").findings
    assert (finding.rule, finding.confidence) == ("HGRD012", Confidence.DATA_DEPENDENT)
    assert (finding.first.span.line, finding.second.span.line) == (10, 44)
    assert (finding.first.kind, finding.second.kind) == (AccessKind.ATOMIC, AccessKind.WRITE)


@pytest.mark.parametrize("name", ASSUMED)
def test_only_contents_say_where_they_are(tmp_path: Path, name: str) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", ASSUMED[name]))
    (launch,) = (n for k in report.kernels for n in k.launches if n.launch_span is not None)
    assert launch.outcome is Outcome.SAFE
    assert any(a.text.startswith("touches other elements of") for a in launch.assumptions)
