"""Launches whose memory no input decides are run: where the kernel only follows what it finds, that stands for all."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import Confidence, LaunchReport, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.host.kinds import FactKind
from tests.checking import parse

PROGRAM = """
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;
using Put = void (*)(int *, int);
__device__ void plain(int *at, int what) { *at += what; }
__device__ void shared(int *at, int what) { atomicAdd(at, what); }
__device__ const Put adders[] = {plain, shared};
__device__ int tickets, shift;
__device__ float scale;
union Bits { float f; int i; };
__global__ void spread(const int *keys, const float *x, int *to, int *counts, int mode) {
  __shared__ int places[64];
  __shared__ int unused[64];
  int t = threadIdx.x, first = blockIdx.x * 64, key = keys[first + t];
  places[(key * 5 + 1) & 63] = t;
  __syncthreads();
  int at = places[t];
  KERNEL
  to[first + at] = key;
}
__global__ void change(int *keys) { keys[threadIdx.x] = threadIdx.x; }
int main(int argc, char **argv) {
  const int n = 256;
  std::vector<int> h(n);
  std::vector<float> hx(n);
  for (int i = 0; i < n; i++) { h[i] = i * 37 % 64; hx[i] = 0.5f * i; }
  int *keys, *to, *counts, *bare;
  float *x;
  cudaMalloc(&keys, n * sizeof(int)), cudaMalloc(&to, n * sizeof(int)), cudaMalloc(&counts, n * sizeof(int));
  cudaMalloc(&x, n * sizeof(float)), cudaMalloc(&bare, n * sizeof(int));
  cudaMemset(counts, 0, n * sizeof(int));
  HOST
  cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(keys, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  BEFORE
  LAUNCH
  cudaDeviceSynchronize();
}
"""
LAUNCH = "spread<<<n / 64, 64>>>(keys, x, to, counts, 1);"
TWICE = f"for (int i = 0; i < 2; i++) {{ {LAUNCH} change<<<1, 64>>>(keys); }}"
FILL = "cudaMemcpy(keys, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);"
SHIFT = "int by = i + 1; cudaMemcpyToSymbol(shift, &by, sizeof by);"
FOLLOWED = "no input decides what the kernel finds: a run of it on that shows all accesses, and no two conflict"
EVERY_KEY = "atomicAdd(&counts[key & 63], 1);"


def launch(
    folder: Path, kernel: str = "", *, host: str = "", before: str = "", launch: str = LAUNCH, **options: object
) -> LaunchReport:
    words = {"KERNEL": kernel, "HOST": host, "BEFORE": before, "LAUNCH": launch}
    text = PROGRAM
    for word, by in words.items():
        text = text.replace(f"  {word}\n", f"  {by}\n")
    report = analyze((parse(folder, text),), AnalysisOptions(kernels=("spread",), **options), LateReplayer(inf))
    (found,) = report.kernels
    return found.launches[0]


def is_followed(found: LaunchReport) -> bool:
    """Whether a launch is safe, all of its pairs discharged, and says that this is so by its run."""
    safe = (found.outcome, found.findings, found.open_pairs) == (Outcome.SAFE, (), ())
    assert found.pairs > 1
    assert not safe or found.discharged == found.pairs
    assert safe == (FOLLOWED in [a.text for a in found.assumptions])
    return safe


@pytest.mark.parametrize(
    "kernel",
    [
        "",
        EVERY_KEY,
        "adders[mode](&counts[key & 63], 1);",
        "at += shift;",
        "cg::thread_block block = cg::this_thread_block(); block.sync(); at += block.thread_rank() - t;",
        "to[first + at] = __shfl_xor_sync(0xffffffffu, key, 1); __syncthreads();",
        "unused[at] = key; __syncthreads(); key = unused[t]; __syncthreads();",
        "float y = sqrtf(x[first + t]) * scale; ((float *)counts)[first + t] = y + x[first + t] * 2;",
    ],
)
def test_the_run_shows_that_no_two_accesses_conflict(tmp_path: Path, kernel: str) -> None:
    assert is_followed(launch(tmp_path, kernel))


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ("at = atomicAdd(&counts[blockIdx.x], 1);", {}),  # another schedule gives other places
        ("if (atomicAdd(&tickets, 1) > 5000) at = 0;", {}),
        ("if (*(volatile int *)&tickets > 5000) at = 0;", {}),
        ("cuda::atomic_ref<int> r(tickets); if (r.load() > 5000) at = 0;", {}),
        (EVERY_KEY + "__syncthreads(); if (counts[5] > 5000) at = 0;", {}),  # others may still count
        ("if (x[first + t] > 1e9f) at = 0;", {}),  # floating-point numbers may be rounded otherwise
        ("if ((int)x[first + t] > 5000) at = 0;", {}),
        ("Bits b; b.f = x[first + t]; if (b.i == 77) at = 0;", {}),
        ("float y = x[first + t]; if (*(int *)&y == 77) at = 0;", {}),
        ("if (__float_as_int(x[first + t]) == 77) at = 0;", {}),
        ("if (((const int *)x)[first + t] == 77) at = 0;", {}),
        ("if (clock() == 77) at = 0;", {}),
        ("if (__activemask() == 77) at = 0;", {}),
        ("if (unused[t] == 77) at = 0;", {}),  # nobody has written it
        ("", {"without": frozenset({FactKind.CONTENTS})}),
        ("", {"grid_dim": (4, 1, 1)}),
    ],
)
def test_a_run_that_does_not_stand_for_all_says_nothing(
    tmp_path: Path, kernel: str, options: dict[str, object]
) -> None:
    assert not is_followed(launch(tmp_path, kernel, **options))


@pytest.mark.parametrize(
    "words",
    [
        {"host": "if (argc > 1) h[3] = 5;"},
        {"host": "h[3] = rand();"},
        {"host": 'scanf("%d", &h[3]);'},
        {"before": "cudaMemset(keys, argc, 4);"},
        {"before": "change<<<1, 64>>>(keys);"},
        {"before": f"int *other; cudaHostGetDevicePointer((void **)&other, keys, 0); {FILL} change<<<1, 64>>>(other);"},
        {"launch": LAUNCH.replace("(keys", "(bare")},
        {"launch": LAUNCH.replace("1);", "argc);"), "kernel": "if (mode == 7) at = 0;"},
        {"launch": LAUNCH.replace("n / 64", "argc")},
        {"launch": TWICE},
        {"launch": f"for (int i = 0; i < 2; i++) {{ {LAUNCH} {SHIFT} }}", "kernel": "at -= shift;"},
        {"before": "struct Late { int *to; ~Late() { cudaMemset(to, 0, 256); } }; { Late late = {keys}; }"},
    ],
)
def test_what_the_input_or_a_kernel_decides_is_not_run(tmp_path: Path, words: dict[str, str]) -> None:
    assert not is_followed(launch(tmp_path, **words))


def test_it_is_run_where_each_launch_finds_the_same(tmp_path: Path) -> None:
    assert is_followed(launch(tmp_path, launch=f"for (int i = 0; i < 2; i++) {{ {LAUNCH} }}"))


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("at = at / 2;", {}),
        ("adders[mode](&counts[key & 63], 1);", {"launch": LAUNCH.replace("1);", "0);")}),
        (
            "if (key > 10) at = 7;",
            {"launch": TWICE},
        ),
        ("at = atomicAdd(&counts[blockIdx.x], 1) / 2;", {}),
    ],
)
def test_a_race_that_the_run_shows_is_confirmed(tmp_path: Path, kernel: str, words: dict[str, str]) -> None:
    found = launch(tmp_path, kernel, **words)
    races = {(f.first.kind.value, f.second.kind.value, f.confidence) for f in found.findings if not f.same_value}
    assert found.outcome is Outcome.RACE
    assert any("write" in (one, other) and sure is Confidence.CONFIRMED for one, other, sure in races)
