"""The SARIF format, version 2.1.0 (OASIS Standard of 27 March 2020), as code scanning services read it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from hgrd import __version__
from hgrd.findings.model import (
    Divergence,
    FactUse,
    Finding,
    KernelReport,
    Message,
    Outcome,
    Report,
    Site,
    ThreadWitness,
)
from hgrd.findings.rules import RULES, Rule
from hgrd.findings.rules.page import page
from hgrd.findings.severity import severity, severity_at_barrier
from hgrd.findings.undecided import reasons
from hgrd.program.span import NOWHERE, Span
from hgrd.report.context import ReportContext
from hgrd.report.fingerprints import Fingerprints
from hgrd.report.json import Json, Object, encoded
from hgrd.report.terminal.barriers import PARTED, divergence_confidence, divergence_title
from hgrd.report.terminal.excerpt import SourceLine, source_reader
from hgrd.report.terminal.names import in_source
from hgrd.report.terminal.parts import access, race_confidence, race_title, triple

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT: Final = "SRCROOT"  # the folder that paths are relative to
_FINGERPRINT: Final = "hgrdFinding/v1"
_OTHER: Final = 1  # the related location that the message links to


class SarifWriter:
    """Writes one document to the output when all is done."""

    def __init__(self, context: ReportContext) -> None:
        self._context = context

    def messages(self, messages: Iterable[Message]) -> None:
        """The document has them."""

    def kernel(self, kernel: KernelReport) -> None:
        """The document has it."""

    def end(self, report: Report, failures: Mapping[str, str]) -> None:
        whole = document(report, self._context.strict, failures, source_reader())
        self._context.output.flush()
        self._context.output.buffer.write(encoded(whole) + b"\n")


def document(report: Report, strict: bool, failures: Mapping[str, str], source_line: SourceLine) -> Object:
    """The document as values: findings are results; what is unknown, missing or remarked are notifications."""
    results = list(_Results(strict, source_line).of(report))
    run: Object = {
        "tool": {
            "driver": {"name": "hgrd", "semanticVersion": __version__, "rules": [_rule(r) for r in RULES.values()]}
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {_ROOT: {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
        "invocations": [
            {
                "executionSuccessful": not report.stopped and not failures,
                "toolExecutionNotifications": list(_notifications(report, failures, source_line)),
            }
        ],
        "results": list[Json](results),
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> Object:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.title.replace("'", "").split()),
        "shortDescription": {"text": f"{rule.title[0].upper()}{rule.title[1:]}"},
        "fullDescription": {"text": " ".join(rule.what.split())},
        "help": {"text": rule.what.strip(), "markdown": page(rule)},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": ["concurrency", "correctness", "CUDA"], "precision": "high"},
    }


# ---------------------------------------------------------------- results


class _Results:
    def __init__(self, strict: bool, source_line: SourceLine) -> None:
        self._strict = strict
        self._source_line = source_line
        self._fingerprints = Fingerprints(source_line)

    def of(self, report: Report) -> Iterator[Object]:
        for kernel in report.kernels:
            yield from (self._race(kernel, finding) for finding in kernel.findings)
            yield from (self._divergence(kernel, divergence) for divergence in kernel.divergences)

    def _race(self, kernel: KernelReport, finding: Finding) -> Object:
        first, second = finding.first, finding.second
        link = f"[the other access]({_OTHER})"
        levels = ", ".join(level.value for level in finding.levels)
        said = [
            f"{_plain(race_title(kernel, finding, self._source_line))}, which may meet {link}: "
            f"{_plain(access(second, self._source_line))} by another thread ({levels}).",
            f"{race_confidence(finding).capitalize()}.",
            *([f"Unless assert({_plain(in_source(finding.condition))});"] if finding.condition else []),
            *([f"{_plain(in_source(finding.cause))}."] if finding.cause else []),
            *([f"Provided: {_plain(finding.provided)}."] if finding.provided else []),
        ]
        result = self._result(finding.rule, severity(finding, self._strict).value, " ".join(said), first.span)
        other = self._location(second.span, _plain(access(second, self._source_line)))
        result["relatedLocations"] = [{**other, "id": _OTHER}, *self._facts(finding.facts)]
        flows = [
            self._flow(finding.first_calls, first, finding.witness.first),
            self._flow(finding.second_calls, second, finding.witness.second),
        ]
        result["codeFlows"] = [{"threadFlows": list[Json](flows)}]
        result["partialFingerprints"] = {_FINGERPRINT: self._fingerprints.of_race(kernel, finding)}
        result["properties"] = {
            "kernel": kernel.kernel,
            "confidence": finding.confidence.value,
            "levels": [level.value for level in finding.levels],
            "condition": finding.condition or None,
            "replay": finding.replay or None,
        }
        return result

    def _divergence(self, kernel: KernelReport, d: Divergence) -> Object:
        parted = d.parted if d.how in PARTED else None
        link = "" if parted is None else f": {PARTED[d.how]}: [here]({_OTHER})"
        text = f"{_plain(divergence_title(kernel, d))}{link}. {divergence_confidence(d).capitalize()}."
        result = self._result(d.rule.value, severity_at_barrier(d, self._strict).value, text, d.span)
        here = [] if parted is None else [{**self._location(parted, PARTED[d.how]), "id": _OTHER}]
        result["relatedLocations"] = [*here, *self._facts(d.facts)]
        result["partialFingerprints"] = {_FINGERPRINT: self._fingerprints.of_divergence(kernel, d)}
        result["properties"] = {"kernel": kernel.kernel, "confidence": d.confidence.value, "replay": d.replay or None}
        return result

    def _result(self, rule: str, level: str, text: str, span: Span) -> Object:
        return {
            "ruleId": rule,
            "ruleIndex": list(RULES).index(rule),
            "level": level,
            "message": {"text": text},
            "locations": [self._location(span)],
        }

    def _facts(self, facts: tuple[FactUse, ...]) -> list[Object]:
        """Related locations: what of the host code the finding rests on."""
        placed = [fact for fact in facts if fact.span != NOWHERE]
        return [self._location(f.span, f"given: {_plain(in_source(f.text))} ({f.kind})") for f in placed]

    def _flow(self, calls: tuple[Span, ...], site: Site, thread: ThreadWitness) -> Object:
        """The way of one thread to its access."""
        who = f"thread {triple(thread.thread)} of block {triple(thread.block)}"
        last = f"bytes {thread.first_byte} to {thread.first_byte + thread.bytes - 1}"
        steps = [
            *(self._location(call, f"{who} calls") for call in calls),
            self._location(site.span, f"{who}: {_plain(access(site, self._source_line))} ({last})"),
        ]
        return {"id": who, "locations": [{"location": step} for step in steps]}

    def _location(self, span: Span, text: str = "") -> Object:
        return _location(span, self._source_line, text)


def _location(span: Span, source_line: SourceLine, text: str = "") -> Object:
    found: Object = {
        "physicalLocation": {
            "artifactLocation": _artifact(span.file),
            "region": {"startLine": span.line, "startColumn": _column(span, source_line)},
        }
    }
    return {**found, "message": {"text": text}} if text else found


def _artifact(file: str) -> Object:
    """The file's place: relative to the working directory where it is below that, so that no machine is in it."""
    relative = Path(os.path.relpath(file))
    if relative.parts[0] == os.pardir:
        return {"uri": Path(file).absolute().as_uri()}
    return {"uri": quote(relative.as_posix()), "uriBaseId": _ROOT}


def _column(span: Span, source_line: SourceLine) -> int:
    """The column in units of UTF-16, from 1; spans count bytes."""
    line = (source_line(span.file, span.line) or "").encode()
    before = line[: span.column - 1].decode("utf-8", "ignore")
    return len(before.encode("utf-16-le")) // 2 + 1 if line else span.column


def _plain(text: str) -> str:
    """Text that no reader takes for a link (SARIF 3.11.6)."""
    return text.replace("](", "] (")


# ---------------------------------------------------------------- notifications


def _notifications(report: Report, failures: Mapping[str, str], source_line: SourceLine) -> Iterator[Object]:
    """What the run has to say beside its findings: nothing of it may be taken for a pass."""
    for kernel in report.kernels:
        if kernel.outcome is Outcome.UNKNOWN:
            why = "; ".join(in_source(reason) for reason in dict.fromkeys(reasons(kernel)))
            text = f"kernel '{kernel.kernel}' is not decided: {why or 'it is unknown'}"
            yield _notification("warning", text, kernel.span, source_line)
    for message in report.messages:
        yield _notification("error" if message.error else "note", message.text, message.span, source_line)
    for file, reason in failures.items():
        yield _notification("error", f"{file}: {reason}", NOWHERE, source_line)
    if report.stopped:
        yield _notification("error", f"the run was stopped: {report.stopped}", NOWHERE, source_line)


def _notification(level: str, text: str, span: Span, source_line: SourceLine) -> Object:
    found: Object = {"level": level, "message": {"text": _plain(text)}}
    return found if span == NOWHERE else {**found, "locations": [_location(span, source_line)]}
