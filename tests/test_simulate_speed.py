"""The plain interpreter that the executor's speed is compared with computes what the kernels are to compute."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.plain_interpreter import Pointer, interpret
from benchmarks.simulate_speed import CASES, SOURCE
from hgrd.program.program import Function
from tests.checking import parse


def kernel_of(folder: Path, text: str, name: str) -> Function:
    return next(k for k in parse(folder, text).kernels() if k.ref.name == name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kernels_of_the_benchmark(tmp_path: Path, case):
    arguments = case.arguments(case.small_size)
    given = [Pointer(a.tolist(), a.itemsize, 0) if isinstance(a, np.ndarray) else a for a in arguments]
    interpret(kernel_of(tmp_path, SOURCE, case.name), case.small_grid, case.block, given)
    for array, value in zip(arguments, given, strict=True):
        if isinstance(array, np.ndarray):
            array[:] = value.cells
    assert case.right(arguments, case.small_size)


def test_arithmetic_and_control_flow(tmp_path: Path):
    text = """
    __global__ void k(int *out, unsigned n) {
      unsigned hash = n;
      for (int i = 0; i < 5; ++i) {
        if (i == 1) continue;
        if (i == 4) break;
        hash = (hash ^ (hash >> 3)) * 2654435761u;
      }
      int t = threadIdx.x;
      if (t > 2 && t < 6 || t == 0) return;
      out[t] = (int)(hash % 1000u) - (t % 2 ? t << 2 : -t / 2);
    }"""
    hash_ = 7
    for _ in range(3):
        hash_ = (hash_ ^ hash_ >> 3) * 2654435761 % (1 << 32)
    out = Pointer([0] * 8, 4, 0)
    interpret(kernel_of(tmp_path, text, "k"), (1, 1, 1), (8, 1, 1), [out, 7])
    wanted = {t: hash_ % 1000 - (t << 2 if t % 2 else -(t // 2)) for t in (1, 2, 6, 7)}
    assert out.cells == [wanted.get(t, 0) for t in range(8)]


def test_what_it_does_not_know_stops_it(tmp_path: Path):
    kernel = kernel_of(tmp_path, "__global__ void k(int *out) { atomicAdd(out, 1); }", "k")
    with pytest.raises(NotImplementedError):
        interpret(kernel, (1, 1, 1), (1, 1, 1), [Pointer([0], 4, 0)])
