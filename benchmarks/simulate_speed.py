"""How fast the executor is: thread-statements a second, bytes a thread, and how often faster than interpreters.

    python -m benchmarks.simulate_speed [--repeat 5]

A thread-statement is a statement of the source (or a condition of an `if` or loop) executed by one thread.  The
baseline is `plain_interpreter`, which walks the same IR thread after thread and does nothing else; it runs a smaller
launch of the same kernel with the same blocks, and its time is taken for each thread-statement of that launch.  So does
the interleaving semantics (`small steps`), which is slower as it can run any schedule.  Memory is the highest of what
Python allocated in a run, without the arrays of the launch.
"""

from __future__ import annotations

import argparse
import tempfile
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.plain_interpreter import Pointer, interpret
from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.interleaving.execution import Execution, Launched
from hgrd.simulate.launch import ConcreteLaunch, Extent3, Finished
from hgrd.simulate.lockstep.memory import Memory
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

SOURCE = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void reduce(const int *x, int *sums, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  s[t] = sum;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
"""
Argument = int | float | NDArray[np.generic]


@dataclass(frozen=True)
class Case:
    """A kernel at a launch, a smaller launch of it for the interpreters, and whether its arrays are right."""

    name: str
    grid: Extent3
    block: Extent3
    arguments: Callable[[int], tuple[Argument, ...]]  # of the number of elements (or of rows)
    size: int
    small_grid: Extent3
    small_size: int
    right: Callable[[tuple[Argument, ...], int], bool]


def _saxpy(n: int) -> tuple[Argument, ...]:
    return n, 2.0, np.arange(n, dtype=np.float32), np.ones(n, np.float32)


def _transpose(n: int) -> tuple[Argument, ...]:
    return np.arange(n * n, dtype=np.float32), np.zeros(n * n, np.float32), n


def _reduce(n: int) -> tuple[Argument, ...]:
    return np.arange(n, dtype=np.int32) % 1000, np.zeros(256, np.int32), n


CASES = (
    Case("saxpy", (4096, 1, 1), (256, 1, 1), _saxpy, 1 << 20, (16, 1, 1), 4096,
         lambda a, n: bool((a[3] == 2 * a[2] + 1).all())),
    Case("transpose", (32, 32, 1), (32, 8, 1), _transpose, 1024, (4, 4, 1), 128,
         lambda a, n: bool((a[1].reshape(n, n) == a[0].reshape(n, n).T).all())),
    Case("reduce", (256, 1, 1), (256, 1, 1), _reduce, 1 << 18, (16, 1, 1), 1 << 14,
         lambda a, n: int(a[1].sum()) == int(a[0].sum())),
)  # fmt: skip


def _run(
    kernel: Executable, grid: Extent3, block: Extent3, arguments: tuple[Argument, ...], together: bool | None = None
) -> tuple[float, int]:
    """Seconds, and statements executed."""
    memory = Memory()
    given = tuple(int(memory.allocate("array", a)) if isinstance(a, np.ndarray) else a for a in arguments)
    begin = perf_counter()
    outcome = execute(kernel, ConcreteLaunch(grid, block, given), memory, together=together)
    seconds = perf_counter() - begin
    assert isinstance(outcome, Finished), outcome
    return seconds, outcome.statements


def _plainly(kernel: Executable, case: Case) -> float:
    """Thread-statements a second of the plain interpreter."""
    _, statements = _run(kernel, case.small_grid, case.block, case.arguments(case.small_size))
    arguments = case.arguments(case.small_size)
    given = [Pointer(a.tolist(), a.itemsize, 0) if isinstance(a, np.ndarray) else a for a in arguments]
    begin = perf_counter()
    interpret(kernel.function, case.small_grid, case.block, given)
    seconds = perf_counter() - begin
    for array, value in zip(arguments, given, strict=True):
        if isinstance(array, np.ndarray):
            array[:] = value.cells
    assert case.right(arguments, case.small_size)
    return statements / seconds


def _by_small_steps(program: Program, kernel: Executable, case: Case) -> float:
    """Thread-statements a second of the interleaving semantics."""
    _, statements = _run(kernel, case.small_grid, case.block, case.arguments(case.small_size))
    launched = Launched(
        program, kernel.function, case.small_grid, case.block, case.arguments(case.small_size)
    )  # fmt: skip
    begin = perf_counter()
    execution = Execution(launched).run()
    assert execution.fault == "" and not execution.divergences
    return statements / (perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    repeat: int = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.cu"
        file.write_text(SOURCE)
        program = parse_file(str(file), SourceOptions())
    kernels = {k.ref.name: k for k in program.kernels()}
    rates_head = f"{'M statements/s':>15} {'plain':>8} {'ratio':>7} {'small steps':>12} {'ratio':>7}"
    print(f"{'kernel':10} {'threads':>8} {rates_head} {'bytes/thread':>13} {'together':>9}")
    for case in CASES:
        kernel = prepare(link((program,)), kernels[case.name])
        rates: list[float] = []
        for _ in range(repeat):
            arguments = case.arguments(case.size)
            seconds, statements = _run(kernel, case.grid, case.block, arguments)
            assert case.right(arguments, case.size)
            rates.append(statements / seconds)
        rate = float(np.median(rates))
        plain = float(np.median([_plainly(kernel, case) for _ in range(repeat)]))
        steps = _by_small_steps(program, kernel, case)
        threads = int(np.prod(case.grid) * np.prod(case.block))
        batches, together = (_peak(kernel, case, whole) / threads for whole in (None, True))
        print(
            f"{case.name:10} {threads:8} {rate / 1e6:15.1f} {plain / 1e6:8.4f} {rate / plain:6.0f}x"
            f" {steps / 1e6:12.4f} {rate / steps:6.0f}x"
            f" {batches:13.0f} {together:9.0f}"
        )


def _peak(kernel: Executable, case: Case, together: bool | None) -> int:
    """The most bytes that a run has allocated at a time."""
    arguments = case.arguments(case.size)
    tracemalloc.start()
    _run(kernel, case.grid, case.block, arguments, together)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
