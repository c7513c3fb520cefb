"""Reports as text in the manner of clang's diagnostics."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from hgrd.findings.contract import contract, possible_races
from hgrd.findings.model import (
    CONFIRMED,
    Finding,
    KernelReport,
    LaunchReport,
    OpenPair,
    Outcome,
    Report,
    ThreadWitness,
    Witness,
)
from hgrd.findings.rules import Severity
from hgrd.findings.severity import severity, severity_at_barrier
from hgrd.findings.tally import Tally, tally
from hgrd.report.terminal.barriers import divergence_lines, open_barrier_lines
from hgrd.report.terminal.contracts import contract_lines, other_lines
from hgrd.report.terminal.excerpt import SourceLine, excerpt
from hgrd.report.terminal.last_block import last_block
from hgrd.report.terminal.lines import Line, Piece, Tone, line
from hgrd.report.terminal.names import columns_of, in_source
from hgrd.report.terminal.parts import (
    CONFIDENCES,
    INDENT,
    SEVERITIES,
    TONE,
    access,
    called,
    columns,
    counted,
    facts_lines,
    field,
    headline,
    in_macro,
    input_lines,
    launch_words,
    race_confidence,
    race_title,
    triple,
)

_OUTCOME_TONE = {Outcome.RACE: Tone.ERROR, Outcome.SAFE: Tone.GOOD, Outcome.UNKNOWN: Tone.WARNING}


class TextOptions(Struct, frozen=True):
    """Options of the text.

    `strict`: same-value writes are races.  `brief`: the findings and the last line only.  `verbose`: each possible race
    and each open pair for itself, and the facts and all inputs of each race.
    """

    strict: bool = False
    brief: bool = False
    verbose: bool = False


def render(report: Report, source_line: SourceLine, options: TextOptions) -> Iterator[Line]:
    """Lines of a whole report: its kernels one after another, and a summary."""
    for kernel in report.kernels:
        yield from render_kernel(kernel, source_line, options)
    yield from render_end(report, options)


def render_end(report: Report, options: TextOptions) -> Iterator[Line]:
    """The end of a report: its last block, unless `brief`, and its last line."""
    if not options.brief:
        yield from last_block(report, options.strict)
    yield render_summary(report, options.strict)


def render_kernel(kernel: KernelReport, source_line: SourceLine, options: TextOptions) -> Iterator[Line]:
    """Lines of a kernel: its findings, the gravest first, what stayed open, and its verdict."""
    yield from _races(kernel, source_line, options)
    for divergence in kernel.divergences:
        yield from divergence_lines(kernel, divergence, source_line, options.strict, verbose=options.verbose)
        yield ()
    if options.brief:
        return
    for pairs in _open_pairs(kernel, options):
        yield from _open_pair(kernel, pairs[0], source_line)
        if len(pairs) > 1:
            yield field("and", f"{len(pairs) - 1} more for the same reason, which -v lists")
        yield ()
    for barrier in dict.fromkeys(b for launch in kernel.launches for b in launch.open_barriers):
        yield from open_barrier_lines(kernel, barrier, source_line)
        yield ()
    yield from _verdict(kernel, options.strict)
    yield ()


def _races(kernel: KernelReport, source_line: SourceLine, options: TextOptions) -> Iterator[Line]:
    """Each race, the gravest first; those that are conditional are one contract, with one of them as an example."""
    races = sorted(kernel.findings, key=lambda finding: _gravity(finding, options.strict))
    possible = sorted(possible_races(kernel, options.strict), key=lambda finding: _gravity(finding, options.strict))
    together = len(possible) > 1 and not options.verbose and bool(contract(kernel, options.strict))
    for finding in races:
        if together and finding in possible[1:]:
            continue
        said = contract(kernel, options.strict) if together and finding is possible[0] else None
        if said is not None:
            yield from contract_lines(kernel, said)
        yield from _finding(kernel, finding, source_line, options, condition=said is None or len(said) > 1)
        if said is not None:
            yield from other_lines(possible[1:], source_line)
        yield ()


def _gravity(finding: Finding, strict: bool) -> tuple[int, int]:
    """Sort key: the gravest first, and of these the surest."""
    return SEVERITIES.index(severity(finding, strict)), CONFIDENCES.index(finding.confidence)


# ---------------------------------------------------------------- one finding


def _finding(
    kernel: KernelReport, finding: Finding, source_line: SourceLine, options: TextOptions, *, condition: bool
) -> Iterator[Line]:
    """One race; with its `condition`, unless the contract above it is that alone."""
    first, second = finding.first, finding.second
    level = severity(finding, options.strict)
    yield headline(first.span, (TONE[level], level.value), race_title(kernel, finding, source_line))
    yield from excerpt(first.span, source_line)
    yield from in_macro(first.span)
    yield from called(finding.first_calls, first.span, source_line)
    again = first.span == second.span and first.kind is second.kind
    other = "and the same access by another thread" if again else f"and this {access(second, source_line)}"
    yield headline(second.span, (Tone.NOTE, "note"), other)
    if not again:
        yield from excerpt(second.span, source_line)
        yield from in_macro(second.span)
    if not again or finding.first_calls != finding.second_calls:
        yield from called(finding.second_calls, second.span, source_line)
    yield field("levels", ", ".join(level.value for level in finding.levels))
    yield field("confidence", race_confidence(finding))
    if finding.cause:
        yield field("cause", f"{in_source(finding.cause)} [{finding.rule}]")
    if finding.condition and condition:
        yield field("unless", f"assert({in_source(finding.condition)});")
    if finding.provided:
        yield field("provided", finding.provided)
    if finding.replay not in ("", CONFIRMED):
        yield field("replay", finding.replay)
    yield from _launch_of(kernel, finding)
    yield from _witness(finding.witness, options.verbose)
    if options.verbose:
        yield from facts_lines("facts used", finding.facts)


def _launch_of(kernel: KernelReport, finding: Finding) -> Iterator[Line]:
    """The first launch that has the race as it is shown, and how many more have it."""
    having = [(x, f) for x in kernel.launches for f in x.findings if _is_same(f, finding)]
    shown = [x for x, f in having if replace(f, levels=finding.levels) == finding]
    if having:
        more = f" (and {len(having) - 1} more)" if len(having) > 1 else ""
        yield field("launch", launch_words(shown[0] if shown else having[0][0]) + more)


def _is_same(one: Finding, other: Finding) -> bool:
    return one.first == other.first and one.second == other.second and one.space is other.space


def _witness(witness: Witness, verbose: bool) -> Iterator[Line]:
    yield field("with", f"blockDim = {triple(witness.block_dim)}, gridDim = {triple(witness.grid_dim)}")
    yield from input_lines((*witness.inputs, *witness.contents), everything=verbose)
    first, second = witness.first, witness.second
    yield from columns([("", first.of or "one thread", second.of or "the other"), *_thread_rows(first, second)])


def _thread_rows(first: ThreadWitness, second: ThreadWitness) -> list[tuple[str, str, str]]:
    left, right = dict(first.locals), dict(second.locals)
    names = columns_of(dict.fromkeys((*left, *right)))
    return [
        ("blockIdx  ", triple(first.block), triple(second.block)),
        ("threadIdx  ", triple(first.thread), triple(second.thread)),
        *((f"{head}  ", str(left.get(name, "-")), str(right.get(name, "-"))) for name, head in names.items()),
        ("bytes  ", _bytes(first), _bytes(second)),
    ]


def _bytes(thread: ThreadWitness) -> str:
    return f"{thread.first_byte}..{thread.first_byte + thread.bytes - 1}"


# ---------------------------------------------------------------- what stayed open


def _open_pairs(kernel: KernelReport, options: TextOptions) -> Iterator[list[OpenPair]]:
    """The open pairs of all launches, each once, those with the same reason together unless each is asked for."""
    pairs = dict.fromkeys(pair for launch in kernel.launches for pair in launch.open_pairs)
    together: dict[object, list[OpenPair]] = {}
    for pair in pairs:
        key = pair if options.verbose else (pair.reason, pair.first is None)
        together.setdefault(key, []).append(pair)
    yield from together.values()


def _open_pair(kernel: KernelReport, pair: OpenPair, source_line: SourceLine) -> Iterator[Line]:
    warning = (Tone.WARNING, "warning")
    if pair.first is None or pair.second is None:
        yield headline(pair.span, warning, f"not understood in kernel '{kernel.kernel}': {in_source(pair.reason)}")
        yield from excerpt(pair.span, source_line)
        return
    pairs = " against ".join(access(site, source_line) for site in (pair.first, pair.second))
    title = f"not decided in kernel '{kernel.kernel}': {pairs}"
    yield headline(pair.first.span, warning, title)
    yield from excerpt(pair.first.span, source_line)
    if pair.first.span != pair.second.span:
        yield headline(pair.second.span, (Tone.NOTE, "note"), f"the {access(pair.second, source_line)}")
        yield from excerpt(pair.second.span, source_line)
    yield field("levels", ", ".join(level.value for level in pair.levels))
    yield field("because", in_source(pair.reason))


# ---------------------------------------------------------------- kernels and the summary


def _undecided(launch: LaunchReport) -> int:
    """How many pairs are not decided: one may be open at several levels, for different reasons."""
    return len({(pair.first, pair.second, pair.space) for pair in launch.open_pairs if pair.first is not None})


def _verdict(kernel: KernelReport, strict: bool) -> Iterator[Line]:
    pairs = sum(launch.pairs for launch in kernel.launches)
    undecided = sum(map(_undecided, kernel.launches))
    seconds = sum(launch.seconds for launch in kernel.launches)
    found = sum(launch.launch_span is not None for launch in kernel.launches)
    launches = counted(found, "launch", "launches") if found else "no launch in the sources"
    divergent = sum(severity_at_barrier(d, strict) is Severity.ERROR for d in kernel.divergences)
    barriers = (", ", (Tone.ERROR, counted(divergent, "divergent barrier"))) if divergent else ()
    yield line(
        (Tone.STRONG, f"{kernel.kernel}: "),
        (_OUTCOME_TONE[kernel.outcome], kernel.outcome.value),
        *barriers,
        f"  {launches}, {pairs - undecided} of {counted(pairs, 'pair')} decided, {seconds:.2f} s",
        (Tone.FAINT, f"  [{kernel.span}]"),
    )
    for launch in kernel.launches:
        if launch.outcome is not Outcome.RACE:
            differs = f": {launch.outcome.value}" if launch.outcome is not kernel.outcome else ""
            yield line(INDENT, launch_words(launch) + differs)
        if launch.outcome is Outcome.SAFE:
            yield from facts_lines("assuming", launch.assumptions, launch.proofs)
        for note in launch.notes:
            yield field("note", note)


def render_summary(report: Report, strict: bool) -> Line:
    """The last line of a report: what was found, and whether the run came to its end."""
    total = tally(report, strict)
    kernels, races, barriers = total.kernels, total.races, total.barriers
    outcomes = ((kernels.race, Outcome.RACE), (kernels.safe, Outcome.SAFE), (kernels.unknown, Outcome.UNKNOWN))
    said: list[str | Piece] = []
    for count, outcome in outcomes:
        if count:
            said += [", " if said else ": ", f"{count} ", (_OUTCOME_TONE[outcome], outcome.value)]
    others = (
        (races.warnings, "possible race", "possible races"),
        (races.notes, "same-value write", "same-value writes"),
        (barriers.errors, "divergent barrier", "divergent barriers"),
        (barriers.notes, "barrier behind exits", "barriers behind exits"),
        (barriers.livelocks, "lock within a warp", "locks within a warp"),
        (barriers.undecided, "barrier not decided", "barriers not decided"),
    )
    found = [counted(races.errors, "race"), *(counted(*other) for other in others if other[0])]
    return line(
        counted(kernels.total, "kernel"),
        *said,
        f"; {', '.join(found)}; {_replays(total)}{report.seconds:.2f} s",
        *((f"; stopped: {report.stopped}",) if report.stopped else ()),
    )


def _replays(total: Tally) -> str:
    """Replays of races and barriers together; "" if there was none."""
    races, barriers = total.races.replays, total.barriers.replays
    replayed, failed = races.confirmed + barriers.confirmed, races.failed + barriers.failed
    if not replayed and not failed:
        return ""
    more = f", {failed} not" if failed else ""
    return f"{counted(replayed, 'witness', 'witnesses')} replayed{more}; "
