"""Severities of findings, by their rules and confidence."""

from __future__ import annotations

from hgrd.findings.model import Confidence, Divergence, Finding
from hgrd.findings.rules import RULES, Severity


def severity(finding: Finding, strict: bool) -> Severity:
    """Severity of a race: that of its rule; a conditional race is a warning, writes of the same value a note.

    With `strict`, writes of the same value are as severe as other races.
    """
    if finding.same_value and not strict:
        return Severity.NOTE
    if finding.confidence is Confidence.CONDITIONAL:
        return Severity.WARNING
    rule = RULES[finding.rule]
    return rule.strict_severity if strict else rule.severity


def severity_at_barrier(divergence: Divergence, strict: bool) -> Severity:
    """Severity of a finding about a barrier or a livelock: that of its rule, with or without `strict`."""
    rule = RULES[divergence.rule.value]
    return rule.strict_severity if strict else rule.severity
