"""Arrays that the host fills without any input: the program is run, and their contents are what they are.

Each program stands with its racy twin, in which one line is another one.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, KernelReport, Outcome
from tests.checking import check

BEGIN = """
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <vector>
#include <cuda_runtime.h>
__constant__ unsigned short order[96];
struct Part { int begin, length; };
__global__ void scatter(int *out, const int *at, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[at[t]] = t;
}
__global__ void rows(float *out, const int *begin, const int *length, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  for (int k = 0; k < length[t]; k++) out[begin[t] + k] = k;
}
__global__ void parts(float *out, const Part *list) {
  Part own = list[blockIdx.x];
  for (int k = threadIdx.x; k < own.length; k += blockDim.x) out[own.begin + k] = k;
}
__global__ void reorder(int *out) {
  int t = threadIdx.x;
  out[blockIdx.x * 96 + order[t]] = t;
}
__global__ void change(int *at, int value) { at[threadIdx.x] = value; }
int *sent(const std::vector<int> &v) {
  int *p;
  cudaMalloc(&p, v.size() * sizeof(int));
  cudaMemcpy(p, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice);
  return p;
}
int *room(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  return p;
}
int main(int argc, char **argv) {
"""
SCATTER = "scatter<<<(n + 31) / 32, 32>>>(room(n + 1), sent(at), n); }"
ROWS = "rows<<<(n + 31) / 32, 32>>>((float *)room(9 * n), sent(begin), sent(length), n); }"
PROGRAMS = {
    "ranks in buckets": (
        """const int n = 200, buckets = 7;
           std::vector<int> next(buckets), at(n);
           for (int i = 0; i < n; i++) next[(i * 5 + i / 3) % buckets]++;
           for (int b = 0, sum = 0; b < buckets; b++) { int here = next[b]; next[b] = sum; sum += here; }
           for (int i = 0; i < n; i++) at[i] = next[(i * 5 + i / 3) % buckets]++;"""
        + SCATTER,
        "at[i] = next[(i * 5 + i / 3) % buckets]++;",
        "at[i] = next[(i * 5 + i / 3) % buckets];",
    ),
    "swaps by a temporary": (
        """const int n = 150;
           int *list = (int *)malloc(n * sizeof(int));
           for (int i = 0; i < n; i++) list[i] = i;
           unsigned seed = 7;
           for (int i = n - 1; i > 0; i--) {
             seed = seed * 1664525u + 1013904223u;
             int j = seed % (i + 1), old = list[i];
             list[i] = list[j];
             list[j] = old;
           }
           std::vector<int> at(list, list + n);"""
        + SCATTER,
        "list[j] = old;",
        "list[j] = list[i];",
    ),
    "a generator of the library": (
        """const int n = 90;
           std::vector<int> at(n);
           std::iota(at.begin(), at.end(), 0);
           std::mt19937 draw(3);
           for (int i = 0; i < n - 1; i++) std::swap(at[i], at[i + draw() % (n - i)]);"""
        + SCATTER,
        "std::swap(at[i], at[i + draw() % (n - i)]);",
        "at[i] = at[i + draw() % (n - i)];",
    ),
    "distinct keys": (
        """std::vector<int> at;
           for (int i = 0; i < 60; i++) at.push_back(i * i % 64);
           std::sort(at.begin(), at.end());
           at.erase(std::unique(at.begin(), at.end()), at.end());
           int n = at.size();
           scatter<<<2, 32>>>(room(64), sent(at), n); }""",
        "at.erase(std::unique(at.begin(), at.end()), at.end());",
        "",
    ),
    "begins of rows": (
        """const int n = 100;
           std::vector<int> length(n), begin(n);
           for (int i = 0; i < n; i++) length[i] = 1 + i * 3 % 8;
           begin[0] = 0;
           std::partial_sum(length.begin(), length.end() - 1, begin.begin() + 1);"""
        + ROWS,
        "length.end() - 1, begin.begin() + 1",
        "length.end(), begin.begin()",
    ),
    "lengths that change": (
        """const int n = 100;
           std::vector<int> length(n), begin(n);
           for (int i = 0; i < n; i++) length[i] = 1 + i * 3 % 7;
           for (int &l : length) l += l & 1;
           std::exclusive_scan(length.begin(), length.end(), begin.begin(), 0);"""
        + ROWS,
        """for (int &l : length) l += l & 1;
           std::exclusive_scan(length.begin(), length.end(), begin.begin(), 0);""",
        """std::exclusive_scan(length.begin(), length.end(), begin.begin(), 0);
           for (int &l : length) l += l & 1;""",
    ),
    "a scan on the device": (
        """const int n = 64;
           thrust::host_vector<int> h(n);
           for (int i = 0; i < n; i++) h[i] = i % 5;
           thrust::device_vector<int> length = h, begin(n);
           thrust::exclusive_scan(length.begin(), length.end(), begin.begin());
           rows<<<2, 32>>>((float *)room(400), thrust::raw_pointer_cast(begin.data()),
                           thrust::raw_pointer_cast(length.data()), n); }""",
        "exclusive_scan(length",
        "inclusive_scan(length",
    ),
    "records": (
        """std::vector<Part> list;
           for (int p = 0; p < 6; p++) list.push_back({p * 40, std::min(40, 230 - p * 40)});
           Part *d;
           cudaMalloc(&d, list.size() * sizeof(Part));
           cudaMemcpy(d, list.data(), list.size() * sizeof(Part), cudaMemcpyHostToDevice);
           parts<<<list.size(), 32>>>((float *)room(256), d); }""",
        "{p * 40, std::min",
        "{p * 38, std::min",
    ),
    "constant memory": (
        """unsigned short h[96];
           for (int i = 0; i < 96; i++) h[i] = i * 35 % 96;
           cudaMemcpyToSymbol(order, h, sizeof h);
           reorder<<<3, 96>>>(room(3 * 96)); }""",
        "i * 35 % 96",
        "i * 33 % 96",
    ),
    "managed memory": (
        """const int n = 80;
           int *at;
           cudaMallocManaged(&at, n * sizeof(int));
           for (int i = 0; i < n; i++) at[i] = (i + n - 1) % n;
           scatter<<<3, 32>>>(room(n), at, n);
           cudaDeviceSynchronize(); }""",
        "(i + n - 1) % n",
        "std::max(i - 1, 0)",
    ),
}
REVERSED = """
  const int n = 128;
  std::vector<int> at(n);
  for (int i = 0; i < n; i++) for (int b = 0; b < 7; b++) if (i >> b & 1) at[i] |= 64 >> b;
"""
NOT_KNOWN = {
    "by the input": "for (int i = 0; i < n; i++) if (i < argc) at[i] = atoi(argv[i]);" + SCATTER,
    "by the input at one place": "at[argc] = 3;" + SCATTER,
    "by another kernel": "int *p = sent(at); change<<<1, n>>>(p, argc); scatter<<<4, 32>>>(room(n), p, n); }",
    "by unknown code": "std::shuffle(at.begin(), at.end() - 1, std::mt19937(std::random_device{}())); at[2] = rand();"
    + SCATTER,
    "in one of two iterations": """
      int *p = sent(at);
      for (int k = 0; k < 2; k++) {
        scatter<<<4, 32>>>(room(n), p, n);
        at[5] = at[6];
        cudaMemcpy(p, at.data(), n * sizeof(int), cudaMemcpyHostToDevice);
      } }""",
}


def launched(tmp_path: Path, body: str, name: str = "") -> KernelReport:
    """What came of the kernel that the program launches (with this name, if there are several)."""
    report = check(tmp_path, BEGIN + body)
    (kernel,) = (k for k in report.kernels if k.launches[0].launch_span is not None and name in k.kernel)
    return kernel


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_right_is_safe(tmp_path: Path, name: str):
    kernel = launched(tmp_path, PROGRAMS[name][0])
    (launch,) = kernel.launches
    assert (kernel.outcome, launch.pairs, launch.discharged) == (Outcome.SAFE, 1, 1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_twin_races(tmp_path: Path, name: str):
    body, line, other = PROGRAMS[name]
    assert body.count(line) == 1
    (race,) = launched(tmp_path, body.replace(line, other)).findings
    assert (race.confidence, race.condition, race.same_value) == (Confidence.DEFINITE, "", False)


def test_bits_in_reverse(tmp_path: Path):
    assert launched(tmp_path, REVERSED + SCATTER).outcome is Outcome.SAFE


MAY_RACE = {"by the input": Confidence.DATA_DEPENDENT, "in one of two iterations": Confidence.CONDITIONAL}


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_changes_them_counts(tmp_path: Path, name: str):
    kernel = launched(tmp_path, REVERSED + NOT_KNOWN[name], "scatter")
    assert [f.confidence for f in kernel.findings] == ([MAY_RACE[name]] if name in MAY_RACE else [])
    assert kernel.outcome is (Outcome.RACE if name in MAY_RACE else Outcome.UNKNOWN)
