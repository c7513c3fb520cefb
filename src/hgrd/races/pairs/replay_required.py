"""Races that only a run can show, and that none has shown.

The witness of a data-dependent race is contents of memory.  What threads find in shared memory, or a loop makes of
contents, is none that anybody can give to a kernel: the witness supposes that the kernel computes it, and a run tells.
And threads that wait for each other, through whom and what else, may be ordered in more ways than are known.  Where no
run shows the race, it is not decided.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.findings.model import CONFIRMED, Confidence, Finding, OpenPair, Outcome
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import Evidence
from hgrd.races.results.sites import listed


def require_replay(result: PairVerdicts, *, strict: bool) -> PairVerdicts:
    """The judgement of a launch whose findings have been replayed; `strict`: writes of the same value count."""
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
    """What the kernel would have to compute, or to leave without an order, and has not been seen to."""
    if finding.same_value or finding.replay == CONFIRMED:
        return ()
    match finding.confidence:
        case Confidence.DATA_DEPENDENT:
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
