"""Findings about barriers are run: the two threads are seen to part, and a witness that is wrong is told from one that
is not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Divergence, DivergenceRule
from hgrd.findings.options import AnalysisOptions
from hgrd.races.results.evidence import BarrierEvidence, KernelAtLaunch
from hgrd.simulate.replay.replayer import Replayer
from hgrd.solve.query import Model
from tests.checking import parse
from tests.simulate.replays import Replays
from tests.verdicts.barriers.test_divergence import SOURCE

Change = Callable[[Divergence, BarrierEvidence], tuple[Divergence, BarrierEvidence]]

SOME = "__global__ void k(int n) { if (threadIdx.x < n) __syncthreads(); }"
RETURNED = """
__global__ void k(int *a, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  a[threadIdx.x] = n;
}"""
MASKED = """
__global__ void __launch_bounds__(32) k(int n) {
  if (threadIdx.x < n) __syncwarp(0xffff);
}
int main(int argc, char **argv) { if (argc > 16 && argc < 31) k<<<1, 32>>>(argc); }"""


def replayed(folder: Path, text: str) -> tuple[Divergence, ...]:
    report = analyze((parse(folder, text),), AnalysisOptions(), Replays(barrier=Replayer(altogether=1 << 31).barrier))
    return tuple(d for kernel in report.kernels for d in kernel.divergences)


def tampered(folder: Path, text: str, change: Change) -> str:
    """What the replay of the only finding says once the finding and its evidence have been changed."""
    replay = Replayer()

    def changed(situation: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence) -> Divergence:
        assert replay.barrier(situation, finding, evidence).replay == "confirmed"
        return replay.barrier(situation, *change(finding, evidence))

    (kernel,) = analyze((parse(folder, text),), AnalysisOptions(), Replays(barrier=changed)).kernels
    (found,) = kernel.divergences
    assert found.confidence.value != "confirmed"
    return found.replay


def with_n(evidence: BarrierEvidence, n: int) -> BarrierEvidence:
    values = {s: n if s.name in ("n", "argc") else v for s, v in evidence.model.values.items()}
    assert values != evidence.model.values
    return replace(evidence, model=Model(values, evidence.model.reads))


def moved(finding: Divergence, *, first: int | None = None, second: int | None = None) -> Divergence:
    witness = finding.witness
    if first is not None:
        witness = replace(witness, first=replace(witness.first, thread=(first, 0, 0)))
    if second is not None:
        assert witness.second is not None
        witness = replace(witness, second=replace(witness.second, thread=(second, 0, 0)))
    return replace(finding, witness=witness)


def test_all_kinds_of_findings_are_seen(tmp_path: Path):
    """Those of the tests of the rules: conditions, loops, exits, the grid, warps and masks.

    But for one, whose witness has two threads of a warp that would have to find different values at one place.
    """
    found = replayed(tmp_path, SOURCE)
    lines = SOURCE.splitlines()
    kernel = next(n for n, text in enumerate(lines, 1) if "rounds_that_each_warp_leaves_out" in text)
    line = next(n for n, text in enumerate(lines, 1) if n > kernel and text.endswith("// here"))
    why = f"not replayed: both threads perform the barrier in line {line}"
    assert [(d.span.line, d.replay) for d in found if d.replay != "confirmed"] == [(line, why)]
    kinds = {(d.rule, d.how, d.scope) for d in found}
    assert kinds == {
        *((DivergenceRule.DIVERGENT, how, "block") for how in ("branch", "loop")),
        *((DivergenceRule.DIVERGENT, how, "grid") for how in ("branch", "exit")),
        (DivergenceRule.DIVERGENT, "branch", "warp"),
        (DivergenceRule.EXITED, "exit", "block"),
        (DivergenceRule.MASK, "mask", "warp"),
    }


def test_only_what_is_definite_is_confirmed(tmp_path: Path):
    text = "__global__ void k(int *a) { if (a[threadIdx.x] % 5 == 3) __syncthreads(); }"
    assert [(d.confidence.value, d.replay) for d in replayed(tmp_path, text)] == [("data-dependent", "confirmed")]
    assert [(d.confidence.value, d.replay) for d in replayed(tmp_path, SOME)] == [("confirmed", "confirmed")]


def test_a_barrier_behind_one_where_threads_wait_for_ever(tmp_path: Path):
    text = """
    __global__ void k(int *a) {
      if (threadIdx.x < 7) {
        __syncthreads();
        a[threadIdx.x] = 1;
        __syncthreads();
      } else {
        a[threadIdx.x] = 2;
        __syncthreads();
      }
    }"""
    assert [(d.span.line, d.replay) for d in replayed(tmp_path, text)] == [
        (4, "confirmed"),
        (6, "confirmed"),
        (9, "confirmed"),
    ]


def test_in_functions_called_from_several_places(tmp_path: Path):
    text = """
    __device__ void meet(int *a) { a[threadIdx.x]++; __syncthreads(); }
    __global__ void k(int *a) {
      meet(a);
      for (int i = 0; i < 3; ++i)
        if (threadIdx.x != i) meet(a);
    }"""
    assert [(d.span.line, d.replay) for d in replayed(tmp_path, text)] == [(2, "confirmed")]


def test_where_the_kernel_does_what_the_executor_does_not_know(tmp_path: Path):
    text = """
    __global__ void k(int *a) {
      asm volatile("griddepcontrol.wait;");
      if (threadIdx.x < 7) __syncthreads();
    }"""
    found = [d.replay for d in replayed(tmp_path, text)]
    assert found == ["not replayed: line 3: inline assembly"]


# ---------------------------------------------------------------- witnesses that are wrong


def test_two_threads_that_meet(tmp_path: Path):
    said = tampered(tmp_path, SOME, lambda d, e: (d, with_n(e, 1 << 20)))
    assert said == "not replayed: both threads perform the barrier in line 1"


def test_a_thread_that_does_not_come(tmp_path: Path):
    said = tampered(tmp_path, SOME, lambda d, e: (d, with_n(e, 0)))
    assert said == "not replayed: the barrier in line 1 was not reached"


def test_threads_that_meet_behind_a_barrier_where_others_wait_for_ever(tmp_path: Path):
    """What those do who are let go shows nothing: the second thread still comes."""
    text = """
    __global__ void k() {
      if (threadIdx.x < 7) __syncthreads();
      else __syncthreads();
      __syncthreads();
    }"""

    def change(d: Divergence, e: BarrierEvidence) -> tuple[Divergence, BarrierEvidence]:
        return replace(d, span=replace(d.span, line=5, column=7)), e

    replay, said = Replayer(), list[str]()

    def changed(situation: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence) -> Divergence:
        found = replay.barrier(situation, *change(finding, evidence))
        said.append(found.replay)
        return found

    analyze((parse(tmp_path, text),), AnalysisOptions(), Replays(barrier=changed))
    assert said == ["not replayed: both threads perform the barrier in line 5"] * 2


def test_a_thread_that_has_not_left_but_waits_elsewhere(tmp_path: Path):
    """HGRD003 is about threads that have left: who waits at another barrier is not one of them."""
    text = """
    __global__ void k() {
      if (threadIdx.x < 7) __syncthreads();
      else __syncthreads();
    }"""
    replay, said = Replayer(), list[str]()

    def changed(situation: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence) -> Divergence:
        found = replay.barrier(situation, replace(finding, rule=DivergenceRule.EXITED), evidence)
        said.append(found.replay)
        return found

    analyze((parse(tmp_path, text),), AnalysisOptions(), Replays(barrier=changed))
    reason = "not replayed: the other thread has not left the kernel before the barrier in line"
    assert said == [f"{reason} {line}" for line in (3, 4)]


def test_threads_that_have_not_returned(tmp_path: Path):
    said = tampered(tmp_path, RETURNED, lambda d, e: (d, with_n(e, 1 << 20)))
    assert said == "not replayed: both threads perform the barrier in line 4"


def test_a_lane_that_its_mask_names(tmp_path: Path):
    assert tampered(tmp_path, MASKED, lambda d, e: (moved(d, first=3), e)) == "not replayed: the masks are right"


@pytest.mark.parametrize("second", [3, 40])
def test_a_thread_of_another_side_or_outside(tmp_path: Path, second: int):
    text = """
    __global__ void __launch_bounds__(32) k(int n) { if (threadIdx.x < 7) __syncthreads(); }
    int main() { k<<<1, 32>>>(1); }"""
    said = tampered(tmp_path, text, lambda d, e: (moved(d, first=2, second=second), e))
    inside = "both threads perform the barrier in line 2"
    assert said == f"not replayed: {inside if second == 3 else 'a thread of the witness is not in its launch'}"


def test_the_time_for_all_replays_is_bounded(tmp_path: Path):
    program = parse(tmp_path, SOME)
    (kernel,) = analyze((program,), AnalysisOptions(), Replays(barrier=Replayer(altogether=-1).barrier)).kernels
    assert [(d.confidence.value, d.replay) for d in kernel.divergences] == [
        ("definite", "not replayed: the time for the replays of this program is over")
    ]
