"""Witnesses that run too long give way to smaller ones."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Finding
from hgrd.findings.options import AnalysisOptions
from hgrd.races.results.evidence import Evidence, KernelAtLaunch
from hgrd.simulate.execute import Executable, execute
from hgrd.simulate.launch import ConcreteLaunch, RunOutcome
from hgrd.simulate.replay import replayer as replaying
from hgrd.simulate.replay.replayer import Replayer
from hgrd.simulate.replay.shrink import smaller
from hgrd.solve.query import Model
from tests.checking import parse
from tests.simulate.replays import Replays

TEXT = """
__global__ void k(int *a, int n) {
  for (int i = 0; i < n; ++i) a[n + threadIdx.x] = i;
  a[n] = threadIdx.x;
}
"""
HUGE = 2_000_000_000


def with_n(evidence: Evidence, n: int) -> Evidence:
    values = {s: n if s.name == "n" else v for s, v in evidence.model.values.items()}
    return replace(evidence, model=Model(values, evidence.model.reads))


def test_a_smaller_witness_is_run_and_shown(tmp_path: Path):
    replay, shown = Replayer(), list[int]()

    def enlarged(situation: KernelAtLaunch, finding: Finding, evidence: Evidence) -> Finding:
        if finding.first == finding.second:
            return finding
        huge = with_n(evidence, HUGE)
        witness = replace(finding.witness, inputs=(("n", HUGE),))
        found = replay.race(situation, replace(finding, witness=witness), huge)
        shown.append(dict(found.witness.inputs)["n"])
        return found

    (kernel,) = analyze((parse(tmp_path, TEXT),), AnalysisOptions(), Replays(race=enlarged)).kernels
    (finding,) = [f for f in kernel.findings if f.first != f.second]
    assert (finding.confidence.value, finding.replay) == ("confirmed", "confirmed")
    assert len(shown) == 1
    assert 0 < shown[0] <= 8


def test_what_needs_large_numbers_has_no_smaller_witness(tmp_path: Path):
    found: list[bool] = []

    def asked(situation: KernelAtLaunch, finding: Finding, evidence: Evidence) -> Finding:
        found.append(smaller(evidence, situation.decide) is not None)
        return finding

    large = "__global__ void k(int *a, int n) { if (n > 100000) a[n] = threadIdx.x; }"
    analyze((parse(tmp_path, large),), AnalysisOptions(), Replays(race=asked))
    analyze((parse(tmp_path, large.replace("100000", "10")),), AnalysisOptions(), Replays(race=asked))
    assert found == [False, True]


def test_of_a_kernel_that_took_too_long_before_the_smaller_witness_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    replay, tried = Replayer(altogether=1 << 31), list[int]()

    def noted(executable: Executable, launch: ConcreteLaunch, *rest: object, **options: object) -> RunOutcome:
        n = launch.arguments[1]
        assert isinstance(n, int)
        tried.append(n)
        return execute(executable, launch, *rest, **options)

    monkeypatch.setattr(replaying, "execute", noted)

    def enlarged(situation: KernelAtLaunch, finding: Finding, evidence: Evidence) -> Finding:
        return replay.race(situation, finding, with_n(evidence, HUGE))

    (kernel,) = analyze((parse(tmp_path, TEXT),), AnalysisOptions(), Replays(race=enlarged)).kernels
    assert {f.replay for f in kernel.findings} == {"confirmed"}
    # the first finding shows at once, the second one takes too long, and the third one is of the same kernel
    assert [n if n == HUGE else n <= 8 for n in tried] == [HUGE, HUGE, True, True]
