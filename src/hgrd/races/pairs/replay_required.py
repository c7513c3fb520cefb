"""Required replays: races that count only if a replay confirmed them, and are undecided otherwise.

The witness of a data-dependent race consists of contents of memory.  Values that threads read from shared memory, that
a loop computes from contents, or that threads make together by votes, shuffles, matches, reductions and scans, cannot
be given to a kernel as input: the witness assumes that the kernel computes them, which only a run can show.  Threads
that wait for each other may be ordered in ways that are not known.  If no run shows the race, it is not decided.  The
same holds of a barrier that only some threads reach because they find different values in one shared variable.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.findings.model import CONFIRMED, Confidence, Finding, OpenBarrier, OpenPair, Outcome
from hgrd.races.divergence.checker import BarrierVerdicts
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import Evidence
from hgrd.races.results.sites import listed


def require_replay(result: PairVerdicts, *, strict: bool) -> PairVerdicts:
    """The verdicts of a launch after replay; `strict`: writes of the same value count as races."""
    replayed = [(f, e, _doubt(f, e)) for f, e in zip(result.findings, result.evidence, strict=True)]
    left = tuple(_open(f, doubt) for f, _, doubt in replayed if doubt)
    if not left:
        return result
    kept = [(f, e) for f, e, doubt in replayed if not doubt]
    racy = any(strict or not f.same_value for f, _ in kept)
    return replace(
        result,
        outcome=Outcome.RACE if racy else Outcome.UNKNOWN,
        findings=tuple(f for f, _ in kept),
        evidence=tuple(e for _, e in kept),
        open_pairs=(*left, *result.open_pairs),
    )


def require_replay_of_barriers(result: BarrierVerdicts) -> BarrierVerdicts:
    """The verdicts on the barriers of a launch after replay."""
    replayed = list(zip(result.divergences, result.evidence, strict=True))
    doubtful = [(d, e) for d, e in replayed if e.supposed and d.replay != CONFIRMED]
    left = tuple(
        OpenBarrier(d.span, d.scope, f"it depends on values that the kernel computes: {listed(e.supposed)}; {d.replay}")
        for d, e in doubtful
    )
    kept = [(d, e) for d, e in replayed if (d, e) not in doubtful]
    return replace(
        result,
        divergences=tuple(d for d, _ in kept),
        evidence=tuple(e for _, e in kept),
        open_barriers=(*result.open_barriers, *left),
    )


def _doubt(finding: Finding, evidence: Evidence) -> str:
    """The reason why only a run shows the race, and none has; "" if there is none.

    How sure a race is depends on its contents and conditions; that a wait may order the two does not.
    """
    if finding.same_value or finding.replay == CONFIRMED:
        return ""
    if finding.confidence is not Confidence.DEFINITE and evidence.supposed:
        return f"it depends on values that the kernel computes: {listed(evidence.supposed)}"
    return f"what threads wait for may order the two: {listed(finding.awaits)}" if finding.awaits else ""


def _open(finding: Finding, doubt: str) -> OpenPair:
    reason = f"{doubt}; {finding.replay}"
    return OpenPair(finding.first, finding.second, finding.space, finding.levels, reason, finding.first.span)
