"""Witnesses that run too long give way to smaller ones."""

from dataclasses import replace
from pathlib import Path

from hgrd.races.analyze import analyze
from hgrd.races.evidence import Evidence, Situation
from hgrd.races.findings import Finding
from hgrd.races.options import AnalysisOptions
from hgrd.simulate.replay import Replayer
from hgrd.simulate.smaller import smaller
from hgrd.solve.query import Model
from tests.checking import parse

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

    def enlarged(situation: Situation, finding: Finding, evidence: Evidence) -> Finding:
        if finding.first == finding.second:
            return finding
        huge = with_n(evidence, HUGE)
        witness = replace(finding.witness, inputs=(("n", HUGE),))
        found = replay(situation, replace(finding, witness=witness), huge)
        shown.append(dict(found.witness.inputs)["n"])
        return found

    (kernel,) = analyze((parse(tmp_path, TEXT),), AnalysisOptions(), enlarged).kernels
    (finding,) = [f for f in kernel.findings if f.first != f.second]
    assert (finding.confidence.value, finding.replay) == ("confirmed", "confirmed")
    assert len(shown) == 1
    assert 0 < shown[0] <= 4096


def test_what_needs_large_numbers_has_no_smaller_witness(tmp_path: Path):
    found: list[bool] = []

    def asked(situation: Situation, finding: Finding, evidence: Evidence) -> Finding:
        found.append(smaller(evidence, situation.decide) is not None)
        return finding

    large = "__global__ void k(int *a, int n) { if (n > 100000) a[n] = threadIdx.x; }"
    analyze((parse(tmp_path, large),), AnalysisOptions(), asked)
    analyze((parse(tmp_path, large.replace("100000", "10")),), AnalysisOptions(), asked)
    assert found == [False, True]
