"""Launches of one kernel together."""

from pathlib import Path

import pytest

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.findings.model import (
    Confidence,
    Finding,
    LaunchReport,
    Outcome,
    Site,
    ThreadWitness,
    Witness,
)
from hgrd.findings.roll_up import merge_findings, roll_up
from hgrd.program.span import Span
from hgrd.report.terminal.lines import plain
from hgrd.report.terminal.report import TextOptions, render
from tests.checking import check

THREAD = ThreadWitness((0, 0, 0), (0, 0, 0), (), 0, 4)
WITNESS = Witness((1, 1, 1), (1, 1, 1), (), (), THREAD, THREAD)


def site(line: int, kind: AccessKind = AccessKind.WRITE, scope: str = "") -> Site:
    return Site(Span("k.cu", line, 3), kind, "a", "a[i]", scope)


def finding(
    first: Site,
    second: Site,
    *levels: Level,
    space: Space = Space.GLOBAL,
    same: bool = False,
    sure: Confidence = Confidence.DEFINITE,
) -> Finding:
    return Finding(first, second, space, levels, sure, WITNESS, (), same_value=same)


def launch(outcome: Outcome, *findings: Finding, kernel: str = "k", line: int = 1) -> LaunchReport:
    return LaunchReport(kernel, Span("k.cu", line, 1), None, "", outcome, findings, (), (), (), 2, 3, 1, 0.5)


def test_launches_of_a_kernel_are_one_report():
    reports = [
        launch(Outcome.SAFE),
        launch(Outcome.SAFE, kernel="other"),
        launch(Outcome.RACE, finding(site(2), site(3), Level.INTRA_WARP)),
        launch(Outcome.SAFE, line=9),
    ]
    rolled = roll_up(reports)
    assert [(r.kernel, r.span.line, len(r.launches), r.outcome) for r in rolled] == [
        ("k", 1, 2, Outcome.RACE),
        ("other", 1, 1, Outcome.SAFE),
        ("k", 9, 1, Outcome.SAFE),
    ]
    assert len(rolled[0].findings) == 1


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        ((Outcome.SAFE, Outcome.SAFE), Outcome.SAFE),
        ((Outcome.SAFE, Outcome.UNKNOWN), Outcome.UNKNOWN),
        ((Outcome.RACE, Outcome.UNKNOWN, Outcome.SAFE), Outcome.RACE),
    ],
)
def test_the_worst_outcome_counts(outcomes: tuple[Outcome, ...], worst: Outcome):
    (rolled,) = roll_up(map(launch, outcomes))
    assert rolled.outcome is worst


def merged(*findings: Finding) -> list[tuple[int, int, tuple[Level, ...], bool]]:
    launches = [launch(Outcome.RACE, f) for f in findings]
    return [(f.first.span.line, f.second.span.line, f.levels, f.same_value) for f in merge_findings(launches)]


def test_levels_come_together_in_their_order():
    one = finding(site(2), site(3), Level.INTER_BLOCK)
    two = finding(site(3), site(2), Level.INTRA_WARP)
    assert merged(one, two) == [(2, 3, (Level.INTRA_WARP, Level.INTER_BLOCK), False)]


def test_one_value_at_all_launches_or_none():
    same, other = (finding(site(2), site(2), Level.INTRA_WARP, same=s) for s in (True, False))
    assert merged(same, same)[0][3] is True
    assert merged(same, other)[0][3] is False
    assert merged(other, same)[0][3] is False


def test_kinds_scopes_and_spaces_are_told_apart():
    level = Level.INTRA_WARP
    kinds = [
        finding(site(2), site(2, AccessKind.READ), level),
        finding(site(2), site(2), level),
        finding(site(2), site(2), level, space=Space.SHARED),
        finding(site(2), site(2, AccessKind.ATOMIC, "device"), level),
        finding(site(2), site(2, AccessKind.ATOMIC, "block"), level),
    ]
    assert len(merged(*kinds)) == 5


GRAVEST_FIRST = (
    finding(site(2), site(3), Level.INTRA_WARP),
    finding(site(2), site(3), Level.INTRA_WARP, sure=Confidence.DATA_DEPENDENT),
    finding(site(2), site(3), Level.INTRA_WARP, sure=Confidence.CONDITIONAL),
    finding(site(2), site(3), Level.INTRA_WARP, same=True),
)


@pytest.mark.parametrize("graver", range(3))
@pytest.mark.parametrize("lighter", range(1, 4))
def test_the_gravest_launch_is_shown(graver: int, lighter: int):
    if graver < lighter:
        one, two = GRAVEST_FIRST[graver], GRAVEST_FIRST[lighter]
        for order in ((one, two), (two, one)):
            assert merge_findings([launch(Outcome.RACE, f) for f in order]) == (one,)


BY_THE_HOST = """
#include <stdlib.h>
__global__ void scale(int *a, int s) {
  a[threadIdx.x * s] = threadIdx.x;  // place
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), s = atoi(argv[2]);
  int *a;
  cudaMalloc(&a, 1 << 20);
  scale<<<1, n>>>(a, s);
  SECOND
}
"""


@pytest.mark.parametrize(
    ("second", "sure", "condition"),
    [("", Confidence.CONDITIONAL, "s != 0"), ("if (s == 0) scale<<<1, n>>>(a, s);", Confidence.DEFINITE, "")],
)
def test_no_condition_where_another_launch_violates_it(tmp_path: Path, second: str, sure: Confidence, condition: str):
    (kernel,) = check(tmp_path, BY_THE_HOST.replace("SECOND", second)).kernels
    assert [(f.confidence, f.condition) for f in kernel.findings] == [(sure, condition)]


def test_the_launch_that_is_shown_is_the_gravest_one(tmp_path: Path):
    text = BY_THE_HOST.replace("SECOND", "if (s == 0) scale<<<1, n>>>(a, s);")
    shown = plain(render(check(tmp_path, text), lambda _file, _line: None, TextOptions()))
    assert "program.cu:11:15 (and 1 more)" in shown
