"""Fingerprints of findings: the same as long as the code that races is, wherever it stands."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import PurePath

from hgrd.findings.model import Divergence, Finding, KernelReport
from hgrd.program.span import Span
from hgrd.report.terminal.excerpt import SourceLine


class Fingerprints:
    """Makes the fingerprints of one report, whose findings come in their order.

    A fingerprint is made of the rule, the kernel, the file's name and the text of the lines, without the space in them:
    not of line numbers, and not of the folder.  Findings that have all that in common are counted.
    """

    def __init__(self, source_line: SourceLine) -> None:
        self._source_line = source_line
        self._seen: Counter[str] = Counter()

    def of_race(self, kernel: KernelReport, finding: Finding) -> str:
        """The fingerprint of a race."""
        sites = (finding.first, finding.second)
        accesses = sorted((self._line(site.span), site.kind.value, site.array) for site in sites)
        return self._counted(finding.rule, kernel.kernel, finding.space.value, repr(accesses))

    def of_divergence(self, kernel: KernelReport, divergence: Divergence) -> str:
        """The fingerprint of a finding about a barrier."""
        return self._counted(divergence.rule.value, kernel.kernel, divergence.how, self._line(divergence.span))

    def _line(self, span: Span) -> str:
        text = self._source_line(span.file, span.line) or ""
        return f"{PurePath(span.file).name}\0{' '.join(text.split())}"

    def _counted(self, *parts: str) -> str:
        found = hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._seen[found] += 1
        return f"{found}:{self._seen[found]}"
