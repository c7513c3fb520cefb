"""Contracts in text: the preconditions of a kernel's possible races together, as asserts for its callers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hgrd.findings.model import Finding, KernelReport, Site
from hgrd.report.terminal.excerpt import SourceLine
from hgrd.report.terminal.lines import Line, Tone
from hgrd.report.terminal.names import in_source
from hgrd.report.terminal.parts import access, counted, field, headline

_MOST_OTHERS = 3  # races beside the one that is shown


def contract_lines(kernel: KernelReport, contract: Mapping[str, int]) -> Iterator[Line]:
    """What callers of a kernel must respect so that none of its conditional races can happen."""
    races = counted(sum(contract.values()), "possible data race")
    title = f"kernel '{kernel.kernel}' has {races} unless its callers respect a contract"
    yield headline(kernel.span, (Tone.WARNING, "warning"), title)
    for number, (condition, pairs) in enumerate(contract.items()):
        yield field("" if number else "contract", f"assert({in_source(condition)});  // for {counted(pairs, 'pair')}")


def other_lines(findings: Sequence[Finding], source_line: SourceLine) -> Iterator[Line]:
    """The conditional races beside the one that is shown, one a line, the first few of them."""
    for number, finding in enumerate(findings[:_MOST_OTHERS]):
        yield field(
            "" if number else "also", f"{_place(finding.first, source_line)} and {_place(finding.second, source_line)}"
        )
    if len(findings) > _MOST_OTHERS:
        yield field("", f"and {len(findings) - _MOST_OTHERS} more, which -v shows")


def _place(site: Site, source_line: SourceLine) -> str:
    return f"{access(site, source_line)} ({site.span})"
