"""Required replays: races that count only if a replay confirmed them, and are undecided otherwise.

The witness of a data-dependent race consists of contents of memory.  Values that threads read from shared memory, that
a loop computes from contents, or that threads make together by votes, shuffles, matches, reductions and scans, cannot
be given to a kernel as input: the witness assumes that the kernel computes them, which only a run can show.  Threads
that wait for each other may be ordered in ways that are not known.  If no run shows the race, it is not decided.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.findings.model import CONFIRMED, Confidence, Finding, OpenPair, Outcome
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import Evidence
from hgrd.races.results.sites import listed


def require_replay(result: PairVerdicts, *, strict: bool) -> PairVerdicts:
    """The verdicts of a launch after replay; `strict`: writes of the same value count as races."""
    replayed = [(f, e, _supposed(f, e)) for f, e in zip(result.findings, result.evidence, strict=True)]
    left = tuple(_open(f, supposed) for f, _, supposed in replayed if supposed)
    if not left:
        return result
    kept = [(f, e) for f, e, supposed in replayed if not supposed]
    racy = any(strict or not f.same_value for f, _ in kept)
    return replace(
        result,
        outcome=Outcome.RACE if racy else Outcome.UNKNOWN,
        findings=tuple(f for f, _ in kept),
        evidence=tuple(e for _, e in kept),
        open_pairs=(*left, *result.open_pairs),
    )


def _supposed(finding: Finding, evidence: Evidence) -> tuple[str, ...]:
    """Values that the kernel would have to compute, or waits that must not order the two; () where none are needed."""
    if finding.same_value or finding.replay == CONFIRMED:
        return ()
    match finding.confidence:
        case Confidence.DATA_DEPENDENT | Confidence.CONDITIONAL:
            return evidence.supposed
        case Confidence.DEFINITE:
            return finding.awaits
        case _:
            return ()


def _open(finding: Finding, supposed: tuple[str, ...]) -> OpenPair:
    definite = finding.confidence is Confidence.DEFINITE
    what = "what threads wait for may order the two" if definite else "it depends on values that the kernel computes"
    reason = f"{what}: {listed(supposed)}; {finding.replay}"
    return OpenPair(finding.first, finding.second, finding.space, finding.levels, reason, finding.first.span)
