"""The JSON format: a report as one document, whose schema docs/json.md describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from hgrd import __version__
from hgrd.findings.contract import contract
from hgrd.findings.model import (
    BarrierThread,
    BarrierWitness,
    Divergence,
    FactUse,
    Finding,
    KernelReport,
    LaunchReport,
    Message,
    OpenBarrier,
    OpenPair,
    Proof,
    Report,
    Site,
    ThreadWitness,
    Witness,
)
from hgrd.findings.severity import severity, severity_at_barrier
from hgrd.findings.tally import Tally, tally
from hgrd.program.span import NOWHERE, Span
from hgrd.report.context import ReportContext

SCHEMA_VERSION: Final = 1
"""Version of the schema: grows when a key disappears or changes its meaning; new keys may come at any time."""

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Object: TypeAlias = dict[str, Json]


class JsonWriter:
    """Writes one document, and nothing else, to the output when all is done; it contains the messages."""

    def __init__(self, context: ReportContext) -> None:
        self._context = context

    def messages(self, messages: Iterable[Message]) -> None:
        """The document has them."""

    def kernel(self, kernel: KernelReport) -> None:
        """The document has it."""

    def end(self, report: Report, failures: Mapping[str, str]) -> None:
        context = self._context
        context.output.flush()
        context.output.buffer.write(to_bytes(report, context.strict, failures))


def to_bytes(report: Report, strict: bool, failures: Mapping[str, str]) -> bytes:
    """The document as UTF-8 with a newline at its end; keys always have the same order."""
    return encoded(document(report, strict, failures)) + b"\n"


def encoded(whole: Object) -> bytes:
    """JSON as UTF-8; witnesses may have numbers that are wider than orjson's 64 bits."""
    import orjson  # not with the command line: it takes longer to load than the options to read

    try:
        return orjson.dumps(whole, option=orjson.OPT_INDENT_2)
    except TypeError:
        import json

        return json.dumps(whole, indent=2, ensure_ascii=False).encode()


def document(report: Report, strict: bool, failures: Mapping[str, str]) -> Object:
    """The document as values; `failures` are the inputs that could not be analysed, each with the reason."""
    total = tally(report, strict)
    return {
        "schema": "hgrd.report",
        "version": SCHEMA_VERSION,
        "tool": {"name": "hgrd", "version": __version__},
        "outcome": total.outcome.value,
        "summary": _summary(total),
        "files": list(report.files),
        "kernels": [_kernel(kernel, strict) for kernel in report.kernels],
        "messages": [_message(message) for message in report.messages],
        "failures": [{"file": file, "reason": reason} for file, reason in failures.items()],
        "stopped": report.stopped or None,
        "seconds": _seconds(report.seconds),
    }


def _summary(total: Tally) -> Object:
    kernels, races, barriers = total.kernels, total.races, total.barriers
    return {
        "kernels": kernels.total,
        "race": kernels.race,
        "safe": kernels.safe,
        "unknown": kernels.unknown,
        "errors": races.errors,
        "warnings": races.warnings,
        "notes": races.notes,
        "open_pairs": races.undecided,
        "barrier_errors": barriers.errors,
        "barrier_notes": barriers.notes,
        "livelocks": barriers.livelocks,
        "open_barriers": barriers.undecided,
        "replayed": races.replays.confirmed,
        "not_replayed": races.replays.failed,
        "barriers_replayed": barriers.replays.confirmed,
        "barriers_not_replayed": barriers.replays.failed,
    }


def _kernel(kernel: KernelReport, strict: bool) -> Object:
    return {
        "name": kernel.kernel,
        "location": location(kernel.span),
        "outcome": kernel.outcome.value,
        "findings": [_finding(finding, strict) for finding in kernel.findings],
        "contract": [{"condition": c, "races": races} for c, races in contract(kernel, strict).items()],
        "divergences": [_divergence(divergence, strict) for divergence in kernel.divergences],
        "launches": [_launch(launch, strict) for launch in kernel.launches],
    }


def _launch(launch: LaunchReport, strict: bool) -> Object:
    return {
        "configuration": launch.configuration,
        "location": location(launch.launch_span),
        "outcome": launch.outcome.value,
        "findings": [_finding(finding, strict) for finding in launch.findings],
        "divergences": [_divergence(divergence, strict) for divergence in launch.divergences],
        "open": [_open_pair(pair) for pair in launch.open_pairs],
        "open_barriers": [_open_barrier(barrier) for barrier in launch.open_barriers],
        "assumptions": [_fact(fact) for fact in launch.assumptions],
        "proofs": [_proof(proof) for proof in launch.proofs],
        "notes": list(launch.notes),
        "accesses": launch.accesses,
        "pairs": launch.pairs,
        "discharged": launch.discharged,
        "seconds": _seconds(launch.seconds),
    }


def _finding(finding: Finding, strict: bool) -> Object:
    return {
        "rule": finding.rule,
        "severity": severity(finding, strict).value,
        "confidence": finding.confidence.value,
        "space": finding.space.value,
        "levels": [level.value for level in finding.levels],
        "first": _site(finding.first),
        "second": _site(finding.second),
        "first_calls": [location(call) for call in finding.first_calls],
        "second_calls": [location(call) for call in finding.second_calls],
        "same_value": finding.same_value,
        "condition": finding.condition or None,
        "provided": finding.provided or None,
        "cause": finding.cause or None,
        "witness": _witness(finding.witness),
        "facts": [_fact(fact) for fact in finding.facts],
        "method": finding.method,
        "replay": finding.replay or None,
        "replay_seconds": _seconds(finding.replay_seconds) if finding.replay else None,
    }


def _divergence(divergence: Divergence, strict: bool) -> Object:
    return {
        "rule": divergence.rule.value,
        "severity": severity_at_barrier(divergence, strict).value,
        "confidence": divergence.confidence.value,
        "scope": divergence.scope,
        "location": location(divergence.span),
        "cause": divergence.how,
        "parted": location(divergence.parted),
        "witness": _barrier_witness(divergence.witness),
        "facts": [_fact(fact) for fact in divergence.facts],
        "method": divergence.method,
        "replay": divergence.replay or None,
        "replay_seconds": _seconds(divergence.replay_seconds) if divergence.replay else None,
    }


def _barrier_witness(witness: BarrierWitness) -> Object:
    threads = (witness.first, witness.second)
    return {
        "block_dim": list(witness.block_dim),
        "grid_dim": list(witness.grid_dim),
        "inputs": _named(witness.inputs),
        "contents": _named(witness.contents),
        "iterations": _named(witness.iterations),
        "threads": [_barrier_thread(thread) for thread in threads if thread is not None],
    }


def _barrier_thread(thread: BarrierThread) -> Object:
    return {"block": list(thread.block), "thread": list(thread.thread), "locals": _named(thread.locals)}


def _open_barrier(barrier: OpenBarrier) -> Object:
    return {"reason": barrier.reason, "location": location(barrier.span), "scope": barrier.scope}


def _open_pair(pair: OpenPair) -> Object:
    return {
        "reason": pair.reason,
        "location": location(pair.span),
        "space": pair.space.value if pair.space is not None else None,
        "levels": [level.value for level in pair.levels],
        "first": _site(pair.first) if pair.first is not None else None,
        "second": _site(pair.second) if pair.second is not None else None,
    }


def _site(site: Site) -> Object:
    return {
        "location": location(site.span),
        "kind": site.kind.value,
        "scope": site.scope or None,
        "array": site.array,
        "text": site.text,
    }


def _witness(witness: Witness) -> Object:
    return {
        "block_dim": list(witness.block_dim),
        "grid_dim": list(witness.grid_dim),
        "inputs": _named(witness.inputs),
        "contents": _named(witness.contents),
        "threads": [_thread(witness.first), _thread(witness.second)],
    }


def _thread(thread: ThreadWitness) -> Object:
    return {
        "block": list(thread.block),
        "thread": list(thread.thread),
        "locals": _named(thread.locals),
        "first_byte": thread.first_byte,
        "bytes": thread.bytes,
        "of": thread.of or None,
    }


def _named(values: tuple[tuple[str, int], ...]) -> Json:
    """Pairs, not an object: names may repeat, and values may not fit 64 bits (then they are text)."""
    return [{"name": name, "value": _integer(value)} for name, value in values]


def _integer(value: int) -> Json:
    return value if -(2**63) <= value < 2**64 else str(value)


def _fact(fact: FactUse) -> Object:
    return {"text": fact.text, "kind": fact.kind, "location": location(fact.span)}


def _proof(proof: Proof) -> Object:
    return {
        "first": _site(proof.first),
        "second": _site(proof.second),
        "facts": [_fact(fact) for fact in proof.facts],
    }


def _message(message: Message) -> Object:
    return {"text": message.text, "error": message.error, "location": location(message.span)}


def location(span: Span | None) -> Json:
    """A span as an object; None where there is no place in a source."""
    if span is None or span == NOWHERE:
        return None
    place: Object = {"file": span.file, "line": span.line, "column": span.column}
    if span.spelling is not None:
        place["spelling"] = location(span.spelling)
    return place


def _seconds(seconds: float) -> float:
    return round(seconds, 4)
