"""Parts that all findings share in text: headlines, fields, columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hgrd.findings.model import AccessKind, Confidence, FactUse, Finding, KernelReport, LaunchReport, Proof, Site
from hgrd.findings.rules import DATA_RACE, Severity
from hgrd.program.span import NOWHERE, Span
from hgrd.report.terminal.excerpt import SourceLine
from hgrd.report.terminal.lines import Line, Piece, Tone, line
from hgrd.report.terminal.names import columns_of, in_source
from hgrd.report.terminal.source_text import callee, place

TONE = {Severity.ERROR: Tone.ERROR, Severity.WARNING: Tone.WARNING, Severity.NOTE: Tone.NOTE}
CONFIDENCE = {
    Confidence.DEFINITE: "definite: the witness was evaluated with exact C semantics",
    Confidence.CONFIRMED: "confirmed: the witness was replayed and the conflict seen",
    Confidence.DATA_DEPENDENT: "data-dependent: it needs the array contents of the witness",
    Confidence.CONDITIONAL: "conditional: it disappears under a precondition that the host does not establish",
}
SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
CONFIDENCES = (Confidence.CONFIRMED, Confidence.DEFINITE, Confidence.DATA_DEPENDENT, Confidence.CONDITIONAL)
INDENT = "  "
_MOST_CHARACTERS = 100  # of a launch's configuration
_MOST_INPUTS = 6


def headline(span: Span, label: Piece, title: str) -> Line:
    tone, word = label
    return line((Tone.STRONG, f"{span}: "), (tone, f"{word}: "), (Tone.STRONG, title))


def in_macro(span: Span, what: str = "access") -> Iterator[Line]:
    if span.spelling is not None:
        yield headline(span.spelling, (Tone.NOTE, "note"), f"the {what} is spelled in this macro")


def field(name: str, text: str) -> Line:
    return line(INDENT, (Tone.FAINT, f"{name and name + ':':<12}"), text)


def facts_lines(title: str, facts: tuple[FactUse, ...], proofs: tuple[Proof, ...] = ()) -> Iterator[Line]:
    """Facts with their origin and class, and how many of the proofs use each."""
    needed = Counter(fact for proof in proofs for fact in proof.facts)
    if facts:
        yield line(INDENT, (Tone.FAINT, f"{title}:"))
    for fact in facts:
        where = "" if fact.span == NOWHERE else f"{fact.span}: "
        pairs = f", for {counted(needed[fact], 'pair')}" if needed[fact] else ""
        yield line(INDENT * 2, f"{where}{in_source(fact.text)} ", (Tone.FAINT, f"[{fact.kind}{pairs}]"))


def access(site: Site, source_line: SourceLine) -> str:
    """Access in words: `write of a[i]`."""
    text = place(site, source_line)
    match site.kind:
        case AccessKind.ATOMIC:
            return f"atomic update of {text}" + (f" at {site.scope} scope" if site.scope else "")
        case kind:
            return f"{kind.value} of {text}"


def race_title(kernel: KernelReport, finding: Finding, source_line: SourceLine) -> str:
    """A race in a line: which memory, and the first of the two accesses."""
    whose = f"{'beside' if finding.witness.first.of else 'in'} kernel '{kernel.kernel}'"
    where = f"'{in_source(finding.first.array)}' ({finding.space.value} memory) {whose}"
    this = f"this {access(finding.first, source_line)}"
    if finding.same_value:
        both = finding.first.kind is AccessKind.WRITE and finding.second.kind is AccessKind.WRITE
        same = "both write the same value" if both else "the read finds the value that its own thread wrote"
        return f"{DATA_RACE.title} on {where}, though {same}: {this}"
    match finding.confidence:
        case Confidence.CONDITIONAL:
            return f"possible {DATA_RACE.title} on {where}: {this}"
        case Confidence.DATA_DEPENDENT:
            return f"{DATA_RACE.title} for some data on {where}: {this}"
        case _:
            return f"{DATA_RACE.title} on {where}: {this}"


def race_confidence(finding: Finding) -> str:
    """How sure a race is, in words."""
    unseen = finding.confidence is Confidence.CONDITIONAL and not finding.condition
    return "conditional: it depends on what is not known of the host code" if unseen else CONFIDENCE[finding.confidence]


def called(calls: tuple[Span, ...], site: Span, source_line: SourceLine) -> Iterator[Line]:
    """The way from the kernel down to an access in a helper: `kernel.cu:40 → helpers.cuh:55 load`."""
    if calls:
        names = ["", *(callee(call, source_line) for call in calls)]
        places = [f"{span.file}:{span.line} {name}".rstrip() for span, name in zip((*calls, site), names, strict=True)]
        yield field("called", " → ".join(places))


def input_lines(values: tuple[tuple[str, int], ...], *, everything: bool) -> Iterator[Line]:
    """Values of inputs, several a line; only the first few unless `everything`."""
    shown = values if everything else values[:_MOST_INPUTS]
    texts = [
        f"{name} = {value}" for (_, value), name in zip(shown, columns_of(n for n, _ in shown).values(), strict=True)
    ]
    for i in range(0, len(texts), 3):
        yield line(INDENT, " " * 12, ", ".join(texts[i : i + 3]))
    if len(shown) < len(values):
        yield line(INDENT, " " * 12, (Tone.FAINT, f"and {len(values) - len(shown)} more, which -v shows"))


def counted(number: int, word: str, plural: str | None = None) -> str:
    return f"{number} {word if number == 1 else plural or word + 's'}"


def launch_words(launch: LaunchReport) -> str:
    at = f" at {launch.launch_span}" if launch.launch_span is not None else ""
    text = in_source(launch.configuration)
    short = text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 4]}…>>>"
    return f"{launch.kernel}{short}{at}"


def triple(values: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, values))})"


def columns(rows: list[tuple[str, str, str]]) -> Iterator[Line]:
    """Lines of a name and two values, aligned; the first row has the heads."""
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for name, left, right in rows:
        yield line(INDENT * 2, f"{name:{max(widths[0], 10)}}{left:{widths[1]}}  {right}")
