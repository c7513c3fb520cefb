"""Races at numbers for which nobody knows whether the host's tests let the launch through: they are conditional."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.findings.model import Confidence, Finding
from hgrd.host.model import LaunchSite
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import Evidence


def behind_untold_tests(verdicts: PairVerdicts, launch: LaunchSite) -> PairVerdicts:
    """The verdicts on the pairs of a launch, with its races conditional that such a test may exclude."""
    if not launch.untold:
        return verdicts
    found = zip(verdicts.findings, verdicts.evidence, strict=True)
    return replace(verdicts, findings=tuple(_weighed(finding, evidence, launch) for finding, evidence in found))


def _weighed(finding: Finding, evidence: Evidence, launch: LaunchSite) -> Finding:
    used = set(evidence.encoded.query.shared)
    tests = dict.fromkeys(str(t.span) for t in launch.untold if not used.isdisjoint(t.symbols))
    if not tests or finding.same_value:
        return finding
    many = "tests" if len(tests) > 1 else "test"
    lets = "let" if len(tests) > 1 else "lets"
    text = f"the {many} at {', '.join(tests)}, of what hgrd does not compute, {lets} these numbers through"
    return replace(finding, confidence=Confidence.CONDITIONAL, provided=text)
