"""Barriers that some threads reach by other values of one shared variable: they count if a run shows it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from hgrd.engine.analysis.launch_protocol import infer_at_launch
from hgrd.findings.model import CONFIRMED
from hgrd.findings.options import AnalysisOptions
from hgrd.program.linked import link
from hgrd.races.divergence.checker import BarrierVerdicts, check_barriers
from hgrd.races.pairs.replay_required import require_replay_of_barriers
from hgrd.solve.decide import Decider
from hgrd.solve.session import Session
from tests.checking import parse

LATE = "not replayed: the run takes too long"


@pytest.fixture
def found(tmp_path: Path) -> BarrierVerdicts:
    """The one divergent barrier of a kernel."""
    program = parse(tmp_path, "__global__ void few(int *a) { if (threadIdx.x < 7) __syncthreads(); }")
    (kernel,) = program.kernels()
    inferred = infer_at_launch(link((program,)), kernel, None, AnalysisOptions())
    with Session() as session:
        verdicts = check_barriers(inferred.protocol, inferred.facts, Decider(session), float("inf"))
    assert (len(verdicts.divergences), verdicts.open_barriers) == (1, ())
    assert verdicts.evidence[0].supposed == ()
    return verdicts


def told(found: BarrierVerdicts, replay: str, supposed: tuple[str, ...]) -> BarrierVerdicts:
    return replace(
        found,
        divergences=(replace(found.divergences[0], replay=replay),),
        evidence=(replace(found.evidence[0], supposed=supposed),),
    )


def test_what_no_run_shows_is_open(found: BarrierVerdicts):
    left = require_replay_of_barriers(told(found, LATE, ("lock",)))
    assert (left.divergences, left.evidence) == ((), ())
    (barrier,) = left.open_barriers
    assert barrier.span == found.divergences[0].span
    assert barrier.reason == f"it depends on values that the kernel computes: lock; {LATE}"


@pytest.mark.parametrize(("replay", "supposed"), [(CONFIRMED, ("lock",)), (LATE, ())])
def test_what_a_run_shows_or_needs_no_such_values_is_kept(
    found: BarrierVerdicts, replay: str, supposed: tuple[str, ...]
):
    given = told(found, replay, supposed)
    assert require_replay_of_barriers(given) == given
