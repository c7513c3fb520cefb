"""Races at numbers of which nobody knows whether the host launches the kernel with them: they are conditional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from hgrd.cuda.limits import MAX_THREADS
from hgrd.findings.model import Confidence, Finding
from hgrd.host.model import HostNote, LaunchSite
from hgrd.races.pairs.verdicts import PairVerdicts
from hgrd.races.results.evidence import Evidence
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.terms import Origin, const, eq, le, symbols_of, var

_PLAIN: Final = ((1, 1, 1, 32, 1, 1), (1, 1, 1, 64, 1, 1))  # extents of the grid and of its block: one warp, or two


def behind_untold_tests(verdicts: PairVerdicts, launch: LaunchSite) -> PairVerdicts:
    """The verdicts on the pairs of a launch, with its races conditional that such a test may exclude."""
    if not launch.untold:
        return verdicts
    found = zip(verdicts.findings, verdicts.evidence, strict=True)
    return replace(verdicts, findings=tuple(_weighed(finding, evidence, launch) for finding, evidence in found))


def _weighed(finding: Finding, evidence: Evidence, launch: LaunchSite) -> Finding:
    used = set(evidence.encoded.query.shared)
    tests = dict.fromkeys(str(t.span) for t in launch.untold if not used.isdisjoint(t.symbols))
    if not tests:
        return finding
    many = "tests" if len(tests) > 1 else "test"
    lets = "let" if len(tests) > 1 else "lets"
    return _provided(
        finding, f"the {many} at {', '.join(tests)}, of what hgrd does not compute, {lets} these numbers through"
    )


def at_unseen_launches(verdicts: PairVerdicts, why: HostNote, decide: Callable[[Query], Answer]) -> PairVerdicts:
    """The verdicts on a kernel none of whose launches was seen, as `why` says: a launch may avoid its races.

    But for those that need no argument and are there in a plain launch of one or two warps, too.
    """
    text = f"a launch that was not seen has these extents and arguments: {why.text} ({why.span})"
    found = zip(verdicts.findings, verdicts.evidence, strict=True)
    findings = (f if _is_anywhere(evidence, decide) else _provided(f, text) for f, evidence in found)
    return replace(verdicts, findings=tuple(findings))


def at_unseen_calls(verdicts: PairVerdicts, why: HostNote, decide: Callable[[Query], Answer]) -> PairVerdicts:
    """The verdicts on a launch by a function of whose calls nothing is known, as `why` says: callers may limit numbers.

    But for races that are there for numbers of which a block has as many threads.
    """
    text = f"a call that was not seen passes these numbers: {why.text} ({why.span})"
    found = zip(verdicts.findings, verdicts.evidence, strict=True)
    findings = (f if _needs_no_large_number(evidence, decide) else _provided(f, text) for f, evidence in found)
    return replace(verdicts, findings=tuple(findings))


def _needs_no_large_number(evidence: Evidence, decide: Callable[[Query], Answer]) -> bool:
    query = evidence.encoded.query
    numbers = [s for s in query.shared if s.origin is Origin.INPUT]
    small = (le(var(s), const(MAX_THREADS)) for s in numbers)
    return not numbers or isinstance(decide(replace(query, between=(*query.between, *small))), Conflict)


def _is_anywhere(evidence: Evidence, decide: Callable[[Query], Answer]) -> bool:
    query, c = evidence.encoded.query, evidence.encoded.threads.configuration
    parties = (query.first, query.second)
    needed = symbols_of(*query.between, *(t for p in parties for t in (p.address, *p.guards)))
    if any(s.origin is Origin.INPUT for s in needed):
        return False
    extents = (*c.grid, *c.block)
    plain = (tuple(eq(e, const(n)) for e, n in zip(extents, launch, strict=True)) for launch in _PLAIN)
    return any(isinstance(decide(replace(query, between=(*query.between, *p))), Conflict) for p in plain)


def _provided(finding: Finding, text: str) -> Finding:
    """The race as a conditional one; where both write the same value it is only a note, whatever it depends on."""
    return finding if finding.same_value else replace(finding, confidence=Confidence.CONDITIONAL, provided=text)
