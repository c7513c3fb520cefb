"""Bands of one array on several streams, whose kernels read beyond their band: their bodies decide what overlaps."""

from pathlib import Path

import pytest

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import Outcome
from tests.checking import check, launched_in, outcomes_of_launches

PROGRAM = """
#include <algorithm>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
#include <vector>
struct Band { int first, last; float *out; const float *in; };
__device__ float at(const float *p, int i) { return p[i]; }
__global__ void near(float *out, const float *in, int first, int last, int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < last && i > 0 && i < n - 1) out[i] = 0.5f * (in[i - 1] + in[i + 1]);
}
__global__ void around(float *out, const float *in, int first, int last, int n, int r) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= last || i < r || i >= n - r) return;
  float s = 0;
  for (int k = -r; k <= r; k++) s += in[i + k];
  out[i] = s;
}
__global__ void rows(float *out, const float *in, int first, int last, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= w - 1 || y >= last || y < 1 || y >= h - 1) return;
  out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];
}
__global__ void part(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 1] + in[i + 1];
}
__global__ void tiled(float *out, const float *in, int first, int last, int n) {
  __shared__ float t[258];
  int i = first + blockIdx.x * 256 + threadIdx.x;
  t[threadIdx.x + 1] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) t[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 255) t[257] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < last) out[i] = t[threadIdx.x] + t[threadIdx.x + 2];
}
__global__ void ring(float *out, const float *in, int first, int count, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) out[first + k] = in[(first + k + n - 1) % n] + in[(first + k + 1) % n];
}
template <int R> __global__ void planes(float *out, const float *in, int from, int to, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  for (int z = from; z < to; z++) {
    if (z < R || z >= d - R) continue;
    float s = 0;
    for (int k = -R; k <= R; k++) s += in[((z + k) * h + y) * w + x];
    out[(z * h + y) * w + x] = s;
  }
}
__global__ void by_record(Band b) {
  int i = b.first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.last && i > 0) b.out[i] = at(b.in, i - 1);
}
__global__ void looped(float *x, int first, int last) {
  for (int i = 0; i < 4; i++) { int k = first + i * 1024 + threadIdx.x; if (k < last) x[k] = i; }
}
__global__ void one(float *x, const int *index, int k) { x[index[k]] = k; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), steps = atoi(argv[2]), w = atoi(argv[3]), h = atoi(argv[4]), m = atoi(argv[5]);
  if (n < 4096 || w < 64 || h < 64 || m < 1 || m > 64) return 1;
  const int S = 4, band = n / S;
  float *a, *b; cudaMalloc(&a, n * sizeof(float)), cudaMalloc(&b, n * sizeof(float));
  float *p, *q; cudaMalloc(&p, w * h * m * sizeof(float)), cudaMalloc(&q, w * h * m * sizeof(float));
  cudaStream_t s[S]; cudaEvent_t e[S];
  for (int i = 0; i < S; i++) cudaStreamCreate(&s[i]), cudaEventCreate(&e[i]);
  dim3 tile(16, 16), grid((w + 15) / 16, (h / S + 15) / 16), wide((w + 15) / 16, (h + 15) / 16);
  float *both[2] = {a, b};
  cudaDeviceSynchronize();
  BODY
  cudaDeviceSynchronize();
}
"""
EACH = "for (int i = 0; i < S; i++)"
LINE = "<<<(band + 255) / 256, 256, 0, s[i]>>>"
RECORD = f"{EACH} cudaEventRecord(e[i], s[i]);"
WAITS = {  # between two steps
    "the device": "cudaDeviceSynchronize();",
    "each stream": f"{EACH} cudaStreamSynchronize(s[i]);",
    "events of the neighbours": (
        f"{RECORD} {EACH} {{ if (i > 0) cudaStreamWaitEvent(s[i], e[i - 1]);"
        "if (i < S - 1) cudaStreamWaitEvent(s[i], e[i + 1]); }"
    ),
    "all events": f"{RECORD} {EACH} for (int k = 0; k < S; k++) cudaStreamWaitEvent(s[i], e[k]);",
}
LEFT = f"{RECORD} for (int i = 1; i < S; i++) cudaStreamWaitEvent(s[i], e[i - 1]);"
STEPS = {  # one step of a loop that swaps two arrays
    "elements": f"{EACH} near{LINE}(b, a, i * band, (i + 1) * band, n); WAIT std::swap(a, b);",
    "a radius": f"{EACH} around{LINE}(b, a, i * band, (i + 1) * band, n, m); WAIT std::swap(a, b);",
    "rows": (
        f"{EACH} rows<<<grid, tile, 0, s[i]>>>(q, p, i * (h / S), (i + 1) * (h / S), w, h); WAIT"
        "float *t = p; p = q; q = t;"
    ),
    "pointers into bands": (
        f"for (int i = 1; i < S - 1; i++) part{LINE}(b + i * band, a + i * band, band); WAIT std::swap(a, b);"
    ),
    "by parity": f"{EACH} near{LINE}(both[(k + 1) % 2], both[k % 2], i * band, (i + 1) * band, n); WAIT",
    "tiles in shared memory": f"{EACH} tiled{LINE}(b, a, i * band, (i + 1) * band, n); WAIT std::swap(a, b);",
    "a ring": f"{EACH} ring{LINE}(b, a, i * band, band, n); WAIT std::swap(a, b);",
    "planes": (
        f"{EACH} planes<2><<<wide, tile, 0, s[i]>>>(q, p, i * m, i == S - 1 ? 4 * m : (i + 1) * m, w, h, 4 * m); WAIT"
        "std::swap(p, q);"
    ),
    "a record": f"{EACH} {{ Band z{{i * band, (i + 1) * band, b, a}}; by_record{LINE}(z); }} WAIT std::swap(a, b);",
    "the last one to the end": (
        f"{EACH} {{ int from = i * band, to = i == S - 1 ? n : from + band; near{LINE}(b, a, from, to, n); }} WAIT"
        "std::swap(a, b);"
    ),
}
PARTS = {  # two pieces of work at once, that overlap or do not, by the places in braces
    "two launches": (
        "looped<<<1, 1024, 0, s[0]>>>(a, 0, 2048); near<<<8, 256, 0, s[1]>>>(b, a, {}, 4096, n);",
        2048,
        2049,
    ),
    "a copy": (
        "looped<<<1, 1024, 0, s[0]>>>(a, 0, 2048); cudaMemcpyAsync(b, a + {}, 64, cudaMemcpyDeviceToDevice, s[1]);",
        2047,
        2048,
    ),
    "a fill": ("looped<<<1, 1024, 0, s[0]>>>(a, 0, 2048); cudaMemsetAsync(a + {}, 0, 64, s[1]);", 2047, 2048),
    "a bound of the program": (
        "if (m {} 48) return 1; looped<<<1, 1024, 0, s[0]>>>(a, 0, m); cudaMemsetAsync(a + 48, 0, 64, s[1]);",
        "<=",
        ">",
    ),
}


def outcomes(folder: Path, body: str) -> set[Outcome]:
    return outcomes_of_launches(check(folder, PROGRAM.replace("BODY", body), kernels=launched_in(body)))


def in_steps(name: str, wait: str) -> str:
    return f"for (int k = 0; k < steps; k++) {{ {STEPS[name].replace('WAIT', wait + ' ')} }}"


@pytest.mark.parametrize("name", STEPS)
def test_steps_without_order_race_and_with_waits_they_do_not(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, in_steps(name, "")) == {Outcome.RACE}
    assert outcomes(tmp_path, in_steps(name, WAITS["the device"])) == {Outcome.SAFE}


@pytest.mark.parametrize("name", WAITS)
def test_waits_between_steps_order_the_bands(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, in_steps("rows", WAITS[name])) == {Outcome.SAFE}


def test_waits_for_one_neighbour_are_too_few(tmp_path: Path) -> None:
    assert outcomes(tmp_path, in_steps("rows", LEFT)) == {Outcome.RACE}


@pytest.mark.parametrize("name", PARTS)
def test_parts_that_overlap_race(tmp_path: Path, name: str) -> None:
    body, overlapping, apart = PARTS[name]
    assert Outcome.RACE in outcomes(tmp_path, body.format(overlapping))
    assert outcomes(tmp_path, body.format(apart)) == {Outcome.SAFE}


@pytest.mark.parametrize(("number", "outcome"), [(0, Outcome.UNKNOWN), (1, Outcome.SAFE)])
def test_launches_with_the_same_numbers_are_alike(tmp_path: Path, number: int, outcome: Outcome) -> None:
    made = "int *index, *other; cudaMalloc(&index, 256), cudaMalloc(&other, 256); one<<<1, 1, 0, s[0]>>>(a, index, 0);"
    assert outcomes(tmp_path, f"{made} one<<<1, 1, 0, s[1]>>>(a, other, {number});") == {outcome}


def test_streams_of_a_vector_are_known_apart(tmp_path: Path) -> None:
    made = "std::vector<cudaStream_t> v(m); for (auto &x : v) cudaStreamCreate(&x);"
    step = "for (int i = 0; i < m; i++) near<<<16, 256, 0, v[i]>>>(b, a, i * (n / m), (i + 1) * (n / m), n);"
    steps = f"{made} for (int k = 0; k < steps; k++) {{ {step} WAIT std::swap(a, b); }}"
    assert outcomes(tmp_path, steps.replace("WAIT", "")) == {Outcome.RACE}
    assert outcomes(tmp_path, steps.replace("WAIT", "cudaDeviceSynchronize();")) == {Outcome.SAFE}


def test_a_band_that_no_other_one_reads_keeps_its_assumption(tmp_path: Path) -> None:
    body = "for (int i = 0; i < S; i++) looped<<<1, 1024, 0, s[i]>>>(a, i * 1024, (i + 1) * 1024);"
    report = check(tmp_path, PROGRAM.replace("BODY", body))
    (launch,) = next(k for k in report.kernels if k.kernel == "looped").launches
    assert (launch.outcome, launch.pairs, launch.discharged) == (Outcome.SAFE, 1, 1)
    assert "touches other elements of 'a' than another run of this launch, which may run at the same time" in {
        a.text for a in launch.assumptions
    }


def test_the_race_has_both_places_and_the_bytes_of_two_bands(tmp_path: Path) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", in_steps("rows", "")))
    findings = next(k for k in report.kernels if k.kernel == "rows").findings
    assert {(f.rule, f.first.span.line, f.first.kind, f.second.span.line, f.second.kind) for f in findings} == {
        ("HGRD012", 23, AccessKind.WRITE, 23, AccessKind.READ),
        ("HGRD012", 23, AccessKind.READ, 23, AccessKind.WRITE),
    }
    for finding in findings:
        witness = finding.witness
        assert witness.first.first_byte == witness.second.first_byte
        assert dict(witness.inputs)["w"] >= 64
