"""A report as text in the manner of clang's diagnostics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hgrd.program.span import NOWHERE, Span
from hgrd.races.findings import (
    AccessKind,
    Confidence,
    FactUse,
    Finding,
    KernelReport,
    LaunchReport,
    OpenPair,
    Outcome,
    Report,
    Site,
    ThreadWitness,
    Witness,
)
from hgrd.report.excerpt import SourceLine, excerpt
from hgrd.report.lines import Line, Piece, Tone, line
from hgrd.report.severity import Severity, severity, tally

_TONE = {Severity.ERROR: Tone.ERROR, Severity.WARNING: Tone.WARNING, Severity.NOTE: Tone.NOTE}
_OUTCOME_TONE = {Outcome.RACE: Tone.ERROR, Outcome.SAFE: Tone.GOOD, Outcome.UNKNOWN: Tone.WARNING}
_CONFIDENCE = {
    Confidence.DEFINITE: "definite: the witness was evaluated with exact C semantics",
    Confidence.CONFIRMED: "confirmed: the witness was replayed on the simulator",
    Confidence.DATA_DEPENDENT: "data-dependent: it needs the array contents of the witness",
    Confidence.CONDITIONAL: "conditional: it disappears under a precondition that the host does not establish",
}
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class TextOptions:
    """`strict`: same-value writes are races.  `brief`: the findings and the last line only."""

    strict: bool = False
    brief: bool = False


def render(report: Report, source_line: SourceLine, options: TextOptions) -> Iterator[Line]:
    """The findings of all kernels, what stayed open, a line for each kernel, and a summary."""
    for kernel in report.kernels:
        for finding in kernel.findings:
            yield from _finding(kernel, finding, source_line, options.strict)
            yield ()
        if not options.brief:
            for pair in _open_pairs(kernel):
                yield from _open_pair(kernel, pair, source_line)
                yield ()
    if not options.brief:
        for kernel in report.kernels:
            yield from _kernel(kernel)
    yield _summary(report, options.strict)


# ---------------------------------------------------------------- one finding


def _finding(kernel: KernelReport, finding: Finding, source_line: SourceLine, strict: bool) -> Iterator[Line]:
    first, second = finding.first, finding.second
    level = severity(finding, strict)
    yield _headline(first.span, (_TONE[level], level.value), _title(kernel, finding))
    yield from excerpt(first.span, source_line)
    yield from _in_macro(first.span)
    again = first.span == second.span and first.kind is second.kind
    other = "and the same access by another thread" if again else f"and this {access(second)}"
    yield _headline(second.span, (Tone.NOTE, "note"), other)
    if not again:
        yield from excerpt(second.span, source_line)
        yield from _in_macro(second.span)
    yield _field("levels", ", ".join(level.value for level in finding.levels))
    yield _field("confidence", _CONFIDENCE[finding.confidence])
    if finding.condition:
        yield _field("unless", f"assert({finding.condition});")
    yield from _launch_of(kernel, finding)
    yield from _witness(finding.witness)
    yield from _facts("facts used", finding.facts)


def _title(kernel: KernelReport, finding: Finding) -> str:
    where = f"'{finding.first.array}' ({finding.space.value} memory) in kernel '{kernel.kernel}'"
    this = f"this {access(finding.first)}"
    if finding.same_value:
        both = finding.first.kind is AccessKind.WRITE and finding.second.kind is AccessKind.WRITE
        same = "both write the same value" if both else "the read finds the value that its own thread wrote"
        return f"data race on {where}, though {same}: {this}"
    match finding.confidence:
        case Confidence.CONDITIONAL:
            return f"possible data race on {where}: {this}"
        case Confidence.DATA_DEPENDENT:
            return f"data race for some data on {where}: {this}"
        case _:
            return f"data race on {where}: {this}"


def access(site: Site) -> str:
    """An access in words: `write of a[i]`."""
    match site.kind:
        case AccessKind.ATOMIC:
            return f"atomic update of {site.text}" + (f" at {site.scope} scope" if site.scope else "")
        case kind:
            return f"{kind.value} of {site.text}"


def _launch_of(kernel: KernelReport, finding: Finding) -> Iterator[Line]:
    """The first launch that has the race, and how many more have."""
    key = (finding.first, finding.second, finding.space)
    racing = [x for x in kernel.launches if any((f.first, f.second, f.space) == key for f in x.findings)]
    if racing:
        more = f" (and {len(racing) - 1} more)" if len(racing) > 1 else ""
        yield _field("launch", _launch_words(racing[0]) + more)


def _launch_words(launch: LaunchReport) -> str:
    at = f" at {launch.launch_span}" if launch.launch_span is not None else ""
    return f"{launch.kernel}{launch.configuration}{at}"


def _witness(witness: Witness) -> Iterator[Line]:
    yield _field("with", f"blockDim = {_triple(witness.block_dim)}, gridDim = {_triple(witness.grid_dim)}")
    for name, value in (*witness.inputs, *witness.contents):
        yield line(_INDENT, " " * 12, f"{name} = {value}")
    first, second = witness.first, witness.second
    rows = [("", "one thread", "the other"), *_thread_rows(first, second)]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for name, left, right in rows:
        yield line(_INDENT * 2, f"{name:{max(widths[0], 10)}}{left:{widths[1]}}  {right}")


def _thread_rows(first: ThreadWitness, second: ThreadWitness) -> list[tuple[str, str, str]]:
    left, right = dict(first.locals), dict(second.locals)
    names = dict.fromkeys((*left, *right))
    return [
        ("blockIdx  ", _triple(first.block), _triple(second.block)),
        ("threadIdx  ", _triple(first.thread), _triple(second.thread)),
        *((f"{name}  ", str(left.get(name, "-")), str(right.get(name, "-"))) for name in names),
        ("bytes  ", _bytes(first), _bytes(second)),
    ]


def _bytes(thread: ThreadWitness) -> str:
    return f"{thread.first_byte}..{thread.first_byte + thread.bytes - 1}"


def _triple(values: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, values))})"


# ---------------------------------------------------------------- what stayed open


def _open_pairs(kernel: KernelReport) -> tuple[OpenPair, ...]:
    """The open pairs of all launches, each once."""
    return tuple(dict.fromkeys(pair for launch in kernel.launches for pair in launch.open_pairs))


def _open_pair(kernel: KernelReport, pair: OpenPair, source_line: SourceLine) -> Iterator[Line]:
    warning = (Tone.WARNING, "warning")
    if pair.first is None or pair.second is None:
        yield _headline(pair.span, warning, f"not understood in kernel '{kernel.kernel}': {pair.reason}")
        yield from excerpt(pair.span, source_line)
        return
    title = f"not decided in kernel '{kernel.kernel}': {access(pair.first)} against {access(pair.second)}"
    yield _headline(pair.first.span, warning, title)
    yield from excerpt(pair.first.span, source_line)
    if pair.first.span != pair.second.span:
        yield _headline(pair.second.span, (Tone.NOTE, "note"), f"the {access(pair.second)}")
        yield from excerpt(pair.second.span, source_line)
    yield _field("levels", ", ".join(level.value for level in pair.levels))
    yield _field("because", pair.reason)


# ---------------------------------------------------------------- kernels and the summary


def _kernel(kernel: KernelReport) -> Iterator[Line]:
    pairs = sum(launch.pairs for launch in kernel.launches)
    undecided = sum(sum(pair.first is not None for pair in launch.open_pairs) for launch in kernel.launches)
    seconds = sum(launch.seconds for launch in kernel.launches)
    found = sum(launch.launch_span is not None for launch in kernel.launches)
    launches = _count(found, "launch", "launches") if found else "no launch in the sources"
    yield line(
        (Tone.STRONG, f"{kernel.kernel}: "),
        (_OUTCOME_TONE[kernel.outcome], kernel.outcome.value),
        f"  {launches}, {pairs - undecided} of {_count(pairs, 'pair')} decided, {seconds:.2f} s",
        (Tone.FAINT, f"  [{kernel.span}]"),
    )
    for launch in kernel.launches:
        if launch.outcome is not Outcome.RACE:
            differs = f": {launch.outcome.value}" if launch.outcome is not kernel.outcome else ""
            yield line(_INDENT, _launch_words(launch) + differs)
        if launch.outcome is Outcome.SAFE:
            yield from _facts("assuming", launch.assumptions)
        for note in launch.notes:
            yield _field("note", note)


def _summary(report: Report, strict: bool) -> Line:
    total = tally(report, strict)
    outcomes = ((total.race, Outcome.RACE), (total.safe, Outcome.SAFE), (total.unknown, Outcome.UNKNOWN))
    said: list[str | Piece] = []
    for count, outcome in outcomes:
        if count:
            said += [", " if said else ": ", f"{count} ", (_OUTCOME_TONE[outcome], outcome.value)]
    found = [_count(total.errors, "race")] + [
        _count(count, word)
        for count, word in ((total.warnings, "possible race"), (total.notes, "same-value write"))
        if count
    ]
    return line(_count(total.kernels, "kernel"), *said, f"; {', '.join(found)}; {report.seconds:.2f} s")


# ---------------------------------------------------------------- pieces


def _headline(span: Span, label: Piece, title: str) -> Line:
    tone, word = label
    return line((Tone.STRONG, f"{span}: "), (tone, f"{word}: "), (Tone.STRONG, title))


def _in_macro(span: Span) -> Iterator[Line]:
    if span.spelling is not None:
        yield _headline(span.spelling, (Tone.NOTE, "note"), "the access is spelled in this macro")


def _field(name: str, text: str) -> Line:
    return line(_INDENT, (Tone.FAINT, f"{name + ':':<12}"), text)


def _facts(title: str, facts: tuple[FactUse, ...]) -> Iterator[Line]:
    if facts:
        yield line(_INDENT, (Tone.FAINT, f"{title}:"))
    for fact in facts:
        where = "" if fact.span == NOWHERE else f"{fact.span}: "
        yield line(_INDENT * 2, f"{where}{fact.text} ", (Tone.FAINT, f"[{fact.kind}]"))


def _count(number: int, word: str, plural: str | None = None) -> str:
    return f"{number} {word if number == 1 else plural or word + 's'}"
