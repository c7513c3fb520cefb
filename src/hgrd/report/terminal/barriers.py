"""Barrier findings as text."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.findings.model import BarrierThread, Confidence, Divergence, DivergenceRule, KernelReport, OpenBarrier
from hgrd.findings.rules import RULES
from hgrd.findings.severity import severity_at_barrier
from hgrd.report.terminal.excerpt import SourceLine, excerpt
from hgrd.report.terminal.lines import Line, Tone
from hgrd.report.terminal.names import columns_of, in_source
from hgrd.report.terminal.parts import (
    CONFIDENCE,
    TONE,
    columns,
    facts_lines,
    field,
    headline,
    in_macro,
    input_lines,
    launch_words,
    triple,
)

PARTED = {
    "branch": "the others part from them at this condition",
    "loop": "the others have left this loop in an earlier iteration",
    "exit": "the others have left the kernel here",
    "lock": "it is given back here, where they wait for those that still want it",
}
_CONFIRMED = {
    DivergenceRule.DIVERGENT: "confirmed: the witness was replayed and the threads parted at the barrier",
    DivergenceRule.EXITED: "confirmed: the witness was replayed and the thread had left before the barrier was passed",
    DivergenceRule.MASK: "confirmed: the witness was replayed and the wrong mask seen",
    DivergenceRule.LIVELOCK: "confirmed",
}


def divergence_lines(
    kernel: KernelReport, d: Divergence, source_line: SourceLine, strict: bool, *, verbose: bool
) -> Iterator[Line]:
    """One finding: its title, where the threads diverge, and two threads that do; with its facts if `verbose`."""
    level = severity_at_barrier(d, strict)
    yield headline(d.span, (TONE[level], level.value), divergence_title(kernel, d))
    yield from excerpt(d.span, source_line)
    yield from in_macro(d.span, "lock" if d.rule is DivergenceRule.LIVELOCK else "barrier")
    if d.parted is not None and d.how in PARTED:
        yield headline(d.parted, (Tone.NOTE, "note"), PARTED[d.how])
        yield from excerpt(d.parted, source_line)
    yield field("rule", d.rule.value)
    yield field("confidence", divergence_confidence(d))
    if d.replay and d.confidence is not Confidence.CONFIRMED:
        yield field("replay", d.replay)
    launches = [x for x in kernel.launches if any((o.rule, o.span) == (d.rule, d.span) for o in x.divergences)]
    if launches:
        more = f" (and {len(launches) - 1} more)" if len(launches) > 1 else ""
        yield field("launch", launch_words(launches[0]) + more)
    yield from _witness(d, verbose)
    if verbose:
        yield from facts_lines("facts used", d.facts)


def divergence_confidence(d: Divergence) -> str:
    """How sure a finding about a barrier is, in words."""
    return _CONFIRMED[d.rule] if d.confidence is Confidence.CONFIRMED else CONFIDENCE[d.confidence]


def divergence_title(kernel: KernelReport, d: Divergence) -> str:
    """A finding about a barrier in a line."""
    where = f"in kernel '{kernel.kernel}'"
    title = RULES[d.rule.value].title
    some = "for some data, " if d.confidence is Confidence.DATA_DEPENDENT else ""
    match d.rule:
        case DivergenceRule.DIVERGENT:
            return f"{title} {where}: {some}not all threads of a {d.scope} perform this barrier"
        case DivergenceRule.EXITED:
            return (
                f"threads have left kernel '{kernel.kernel}' before this barrier, which others of their block perform"
            )
        case DivergenceRule.LIVELOCK:
            when = "without independent thread scheduling"
            return f"possible livelock {where} {when}: {some}{title}"
        case DivergenceRule.MASK if d.witness.second is None:
            return f"{title} {where}: {some}a thread calls this with a mask that does not name it"
        case DivergenceRule.MASK:
            return f"{title} {where}: {some}threads that name each other call this with different masks"


def _witness(d: Divergence, verbose: bool) -> Iterator[Line]:
    witness = d.witness
    yield field("with", f"blockDim = {triple(witness.block_dim)}, gridDim = {triple(witness.grid_dim)}")
    yield from input_lines((*witness.inputs, *witness.contents), everything=verbose)
    if witness.iterations:
        yield field("iteration", ", ".join(map(_iteration, witness.iterations)))
    alike = d.rule in (DivergenceRule.MASK, DivergenceRule.LIVELOCK)
    heads = ("", "one thread", "the other") if alike else ("", "performs it", "does not")
    yield from columns([heads if witness.second else ("", "the thread", ""), *_rows(witness.first, witness.second)])


def _iteration(of: tuple[str, int]) -> str:
    name, value = of
    return f"{value} of the loop" + ("" if name == "iteration" else f" over {in_source(name)}")


def _rows(first: BarrierThread, second: BarrierThread | None) -> Iterator[tuple[str, str, str]]:
    left, right = dict(first.locals), dict(second.locals) if second is not None else {}
    yield "blockIdx  ", triple(first.block), triple(second.block) if second is not None else ""
    yield "threadIdx  ", triple(first.thread), triple(second.thread) if second is not None else ""
    for name, head in columns_of(dict.fromkeys((*left, *right))).items():
        other = "" if second is None else str(right.get(name, "-"))
        yield f"{head}  ", str(left.get(name, "-")), other


def open_barrier_lines(kernel: KernelReport, barrier: OpenBarrier, source_line: SourceLine) -> Iterator[Line]:
    """A barrier that was not decided, and why."""
    title = f"not decided in kernel '{kernel.kernel}': whether all threads of a {barrier.scope} perform this barrier"
    yield headline(barrier.span, (Tone.WARNING, "warning"), title)
    yield from excerpt(barrier.span, source_line)
    yield field("because", in_source(barrier.reason))
