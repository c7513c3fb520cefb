"""Kernels of CUDA samples and HeCBench, executed on the data of their programs, against references in numpy.

    python -m benchmarks.simulate_corpus --root DIR [--only TEXT]

`DIR` holds checkouts `cuda-samples` and `HeCBench`.  Prints for each kernel the seconds, the millions of
thread-statements a second, and whether the output is the reference's within the program's tolerance.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hgrd.program.linked import link
from hgrd.simulate.execute import execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Extent3, Finished
from hgrd.simulate.lockstep.memory import Memory
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

Array = NDArray[Any]
RANDOM = np.random.default_rng(1)
SAMPLES, CONCEPTS = "cuda-samples/Samples", "cuda-samples/Samples/2_Concepts_and_Techniques"


@dataclass(frozen=True)
class Case:
    """`data` makes the arguments; `check` compares them after the run."""

    file: str
    kernel: str
    grid: Extent3
    block: Extent3
    data: Callable[[], list[Any]]
    check: Callable[[list[Any]], bool]
    shared: int = 0
    template: tuple[int | str, ...] | None = None
    constants: tuple[tuple[str, float], ...] = ()  # __constant__ floats that the host sets


def close(a: Array, b: Array, relative: float) -> bool:
    return bool(np.allclose(a, b, rtol=relative, atol=relative * float(np.abs(b).max())))


def floats(count: int, low: float = 0.0, high: float = 1.0) -> Array:
    return (RANDOM.random(count) * (high - low) + low).astype(np.float32)


def zeros(count: int, dtype: type = np.float32) -> Array:
    return np.zeros(count, dtype)


def words(count: int, high: int = 1 << 32) -> Array:
    return RANDOM.integers(0, high, count, dtype=np.uint32)


def call_price(s: Array, x: Array, t: Array, r: float, v: float) -> Array:
    from math import erf

    s, x, t = (a.astype(float) for a in (s, x, t))
    d1 = (np.log(s / x) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    n = np.vectorize(lambda d: 0.5 + 0.5 * erf(d / 2**0.5))
    return s * n(d1) - x * np.exp(-r * t) * n(d1 - v * np.sqrt(t))


def partial_histograms(a: list[Any]) -> bool:
    return a[0].reshape(-1, 256).sum(0).tolist() == np.bincount(a[1].view(np.uint8), minlength=256).tolist()


def sorted_rows(a: list[Any]) -> bool:
    keys, values = a[0].reshape(-1, 1024), a[2].reshape(-1, 1024)
    return bool((keys == np.sort(values, axis=1)).all())


def stencil(a: list[Any]) -> bool:
    given, n = a[0].astype(np.int64), a[1].size
    padded = np.concatenate((np.zeros(7, np.int64), given))
    expected = sum(padded[k : k + n] for k in range(15))
    return a[1].tolist() == expected.tolist()


def exclusive_rows(a: list[Any]) -> bool:
    rows = a[1].reshape(-1, 1024)
    return bool((a[0].reshape(-1, 1024) == np.cumsum(rows, axis=1, dtype=np.uint32) - rows).all())


def bodies(a: list[Any]) -> bool:
    old, new, speed = (x.reshape(-1, 4).astype(float) for x in (a[1], a[0], a[2]))
    r = old[None, :, :3] - old[:, None, :3]
    d = (r**2).sum(-1) + 0.01
    moved = old[:, :3] + 0.016 * (speed[:, :3])
    expected = 0.016 * (r * (old[None, :, 3] / d**1.5)[..., None]).sum(1)
    return close(speed[:, :3], expected, 1e-4) and close(new[:, :3], moved, 1e-5)


CASES = (
    Case(f"{SAMPLES}/0_Introduction/matrixMul/matrixMul.cu", "MatrixMulCUDA", (20, 10, 1), (32, 32, 1),
         lambda: [zeros(320 * 640), np.full(320 * 320, 1, np.float32), np.full(320 * 640, 0.01, np.float32), 320, 640],
         lambda a: close(a[0], np.full(320 * 640, 3.2), 1e-6), template=(32,)),
    Case(f"{SAMPLES}/6_Performance/transpose/transpose.cu", "transposeNoBankConflicts", (8, 8, 1), (32, 16, 1),
         lambda: [zeros(65536), np.arange(65536, dtype=np.float32), 256, 256],
         lambda a: bool((a[0].reshape(256, 256) == a[1].reshape(256, 256).T).all())),
    Case(f"{CONCEPTS}/histogram/histogram256.cu", "histogram256Kernel", (240, 1, 1), (192, 1, 1),
         lambda: [zeros(240 * 256, np.uint32), words(1 << 16), 1 << 16], partial_histograms),
    Case(f"{SAMPLES}/5_Domain_Specific/BlackScholes/BlackScholes.cu", "BlackScholesGPU", (157, 1, 1), (128, 1, 1),
         lambda: [zeros(40000), zeros(40000), floats(40000, 5, 30), floats(40000, 1, 100), floats(40000, 0.25, 10),
                  0.02, 0.3, 40000],
         lambda a: close(a[0], call_price(*a[2:5], 0.02, 0.3), 1e-4)),
    Case(f"{CONCEPTS}/shfl_scan/shfl_scan.cu", "shfl_scan_test", (256, 1, 1), (256, 1, 1),
         lambda: [np.ones(65536, np.int32), 32, zeros(256, np.int32)],
         lambda a: a[0].tolist() == list(range(1, 257)) * 256 and a[2].tolist() == [256] * 256, shared=32),
    Case(f"{CONCEPTS}/scan/scan.cu", "scanExclusiveShared", (64, 1, 1), (256, 1, 1),
         lambda: [zeros(65536, np.uint32), words(65536), 1024], exclusive_rows),
    Case(f"{CONCEPTS}/scalarProd/scalarProd.cu", "scalarProdGPU", (128, 1, 1), (256, 1, 1),
         lambda: [zeros(256), floats(1 << 20), floats(1 << 20), 256, 4096],
         lambda a: close(a[0], (a[1].astype(float) * a[2]).reshape(256, 4096).sum(1), 1e-6)),
    Case(f"{CONCEPTS}/sortingNetworks/bitonicSort.cu", "bitonicSortShared", (32, 1, 1), (512, 1, 1),
         lambda: [zeros(32768, np.uint32), zeros(32768, np.uint32), words(32768, 65536),
                  np.arange(32768, dtype=np.uint32), 1024, 1], sorted_rows),
    Case(f"{CONCEPTS}/reductionMultiBlockCG/reductionMultiBlockCG.cu", "reduceSinglePassMultiBlockCG",
         (32, 1, 1), (256, 1, 1), lambda: [floats(1 << 18), zeros(32), 1 << 18],
         lambda a: close(a[1][:1], a[0].astype(float).sum()[None], 1e-6), shared=256 * 8),
    Case(f"{SAMPLES}/5_Domain_Specific/nbody/bodysystemcuda.cu", "integrateBodies", (4, 1, 1), (256, 1, 1),
         lambda: [zeros(4096), floats(4096), zeros(4096), 0, 1024, 0.016, 1.0, 4], bodies, shared=4096,
         template=("float",), constants=(("softeningSquared", 0.01),)),
    Case("HeCBench/src/stencil1d-cuda/stencil_1d.cu", "stencil_1d", (256, 1, 1), (256, 1, 1),
         lambda: [words(65536 + 7, 100).astype(np.int32), zeros(65536, np.int32)], stencil),
    Case("HeCBench/src/spmv-cuda/kernels.cu", "mv_dense", (2, 1, 1), (256, 1, 1),
         lambda: [512, floats(512 * 512), floats(512), zeros(512)],
         lambda a: close(a[3], a[1].reshape(512, 512).astype(float) @ a[2], 1e-5)),
)  # fmt: skip


def run(root: Path, case: Case) -> str:
    program = parse_file(str(root / case.file), SourceOptions())
    kernels = [
        k for k in program.kernels()
        if k.ref.name == case.kernel and (case.template is None or k.ref.template_args == case.template)
    ]  # fmt: skip
    if not kernels:
        return "no such kernel"
    executable, memory, arguments = prepare(link((program,)), kernels[0]), Memory(), case.data()
    given = tuple(int(memory.allocate("array", a)) if isinstance(a, np.ndarray) else a for a in arguments)
    for name, value in case.constants:
        key = next(k for k, (variable, _) in executable.unit.globals.items() if variable.name == name)
        memory.define(key, name, np.array([value], np.float32))
    begin = perf_counter()
    outcome = execute(executable, ConcreteLaunch(case.grid, case.block, given, case.shared), memory)
    seconds = perf_counter() - begin
    if not isinstance(outcome, Finished):
        return str(outcome)
    verdict = "right" if case.check(arguments) else "WRONG"
    return f"{verdict}  {seconds:6.2f} s  {outcome.statements / seconds / 1e6:7.1f} M statements/s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for case in CASES:
        if options.only in f"{case.file} {case.kernel}":
            print(f"{case.kernel:30} {run(options.root, case)}", flush=True)


if __name__ == "__main__":
    main()
