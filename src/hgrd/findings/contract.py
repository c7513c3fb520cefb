"""Contracts of kernels: the preconditions of their possible races together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from hgrd.findings.model import Finding, KernelReport
from hgrd.findings.rules import Severity
from hgrd.findings.severity import severity


def possible_races(kernel: KernelReport, strict: bool) -> Iterator[Finding]:
    """The races of a kernel that a precondition excludes, or that depend on what is not known of the host code."""
    return (f for f in kernel.findings if severity(f, strict) is Severity.WARNING)


def contract(kernel: KernelReport, strict: bool) -> Mapping[str, int]:
    """The conditions that callers of a kernel must respect, as C, each with how many races it excludes."""
    return Counter(f.condition for f in possible_races(kernel, strict) if f.condition)
