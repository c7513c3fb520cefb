"""A kernel is free of races and divergence under the interleaving semantics exactly when it is in lock-step.

Collingbourne, Donaldson, Ketema and Qadeer, "Interleaving and Lock-Step Semantics for Analysis and Verification
of GPU Kernels" (ESOP 2013, theorem 5.1), as a property of random kernels: the run in lock-step against all
schedules that differ.  The kernels have loops with different bounds in each thread, barriers under any
condition, breaks and returns, and control flow that depends on what other threads have written.

One point is CUDA's and not the paper's in both: threads that have left the kernel are not waited for.
"""

import numpy as np
import pytest

from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.simulate.execute import execute, prepare
from hgrd.simulate.interleaving.execution import Execution, Launched, at_random, one_after_another
from hgrd.simulate.interleaving.exploration import every_schedule
from hgrd.simulate.launch import ConcreteLaunch, Finished, StuckAtBarrier
from hgrd.simulate.lockstep.memory import Memory
from tests.checking import parse
from tests.simulate.dynamic import ints, launch, model_of
from tests.simulate.random_kernels import CELLS, COUNT, SOURCE, THREADS, races_of

MOST = 60


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return parse(tmp_path_factory.mktemp("semantics"), SOURCE)


def in_lock_step(program: Program, launched: Launched) -> tuple[list[str], bool, list[int]]:
    """The races of the run, whether it diverged, and what memory holds then."""
    executable = prepare(link((program,)), launched.kernel)
    model, memory, data = model_of(launched), Memory(), ints(CELLS + 1)
    arguments = (int(memory.allocate("a", data)),)
    outcome = execute(executable, ConcreteLaunch(launched.grid, launched.block, arguments), memory, model)
    assert isinstance(outcome, Finished | StuckAtBarrier), outcome
    return races_of(model, executable.sites), isinstance(outcome, StuckAtBarrier), data.tolist()


@pytest.mark.parametrize("number", range(COUNT))
def test_correct_under_one_exactly_when_under_the_other(program: Program, number: int):
    a = ints(CELLS + 1)
    launched = launch(program, 1, THREADS, a, kernel=f"k{number}")
    races, diverges, result = in_lock_step(program, launched)
    correct = not races and not diverges
    results: list[list[int]] = []
    for execution in every_schedule(lambda: Execution(launched, model_of(launched)), MOST):
        assert execution.fault == ""
        bad = bool(execution.divergences or races_of(execution.observer, execution.sites))
        assert bad != correct
        results.append(execution.contents(a).tolist())
    if correct:
        assert results == [result]


def test_there_are_kernels_of_all_sorts(program: Program):
    found = [in_lock_step(program, launch(program, 1, THREADS, ints(CELLS + 1), kernel=f"k{n}")) for n in range(COUNT)]
    sorts = {(bool(races), diverges) for races, diverges, _ in found}
    assert sorts == {(False, False), (False, True), (True, False), (True, True)}
    assert sum(not races and not diverges for races, diverges, _ in found) > COUNT // 5


WIDE = """
__global__ void wide(int *a, int *out, int n) {
  __shared__ int s[96];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  s[t] = a[g];
  if (g % 3 == 0) s[t] += a[(g + 5) % n];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < t % 7; i++) sum += s[(t + i) % 96];
  if (t < 40) atomicAdd(&out[0], sum);
  s[(t * 5) % 96] = sum;
  __syncwarp();
  a[g] = s[t ^ 1];
  a[(g * 2) % n] = 7;
  if (t == 0) { __threadfence(); atomicExch(&out[1], g); out[2] = 1; }
}
"""


@pytest.mark.parametrize("schedule", [one_after_another, at_random(5)])
def test_the_same_races_at_all_levels(program: Program, tmp_path_factory: pytest.TempPathFactory, schedule: object):
    wide = parse(tmp_path_factory.mktemp("wide"), WIDE)
    a, out = np.arange(192, dtype=np.int32), ints(3)
    launched = launch(wide, 2, 96, a, out, 192)
    model = model_of(launched)
    execution = Execution(launched, model).run(schedule)
    executable, lock_step, memory = prepare(link((wide,)), launched.kernel), model_of(launched), Memory()
    arguments = (int(memory.allocate("a", a.copy())), int(memory.allocate("out", out.copy())), 192)
    execute(executable, ConcreteLaunch(launched.grid, launched.block, arguments), memory, lock_step)
    found = [line.rsplit(" ", 1)[0] for line in races_of(model, execution.sites)]
    assert found == [line.rsplit(" ", 1)[0] for line in races_of(lock_step, executable.sites)]
    assert len(found) == 8
