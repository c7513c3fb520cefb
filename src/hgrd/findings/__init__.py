"""Findings, verdicts and rules: what an analysis results in, as values, and the options that it is given."""

from hgrd.findings.model import (
    CONFIRMED,
    Confidence,
    Divergence,
    Finding,
    KernelReport,
    LaunchReport,
    OpenBarrier,
    OpenPair,
    Outcome,
    Report,
)
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.findings.rules import RULES, Rule, Severity
from hgrd.findings.tally import Tally

__all__ = [
    "CONFIRMED",
    "RULES",
    "AnalysisOptions",
    "Confidence",
    "Divergence",
    "Finding",
    "KernelReport",
    "LaunchReport",
    "OpenBarrier",
    "OpenPair",
    "Outcome",
    "Report",
    "Rule",
    "Severity",
    "Tally",
    "roll_up",
]
