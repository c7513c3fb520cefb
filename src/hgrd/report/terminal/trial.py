"""Trials as text: a run of a kernel on given inputs, in the manner of clang's diagnostics."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.report.terminal.excerpt import SourceLine, excerpt
from hgrd.report.terminal.lines import Line, Tone, line
from hgrd.report.terminal.parts import counted, field, headline, in_macro, triple
from hgrd.simulate.detectors.access_model import BarrierUse, Race
from hgrd.simulate.launch import (
    Extent3,
    Finished,
    NotSupported,
    OutOfBounds,
    OutOfFuel,
    RunOutcome,
    StuckAtBarrier,
    Trapped,
)
from hgrd.simulate.trace import TraceSite
from hgrd.simulate.trial import Trial


def render_trial(trial: Trial, source_line: SourceLine) -> Iterator[Line]:
    """Lines of a trial: races, divergent barriers, redundant barriers, and a summary."""
    for race in trial.races:
        yield from _race(trial, race, source_line)
        yield ()
    if not isinstance(trial.outcome, Finished):
        yield from _stopped(trial, trial.outcome, source_line)
        yield ()
    for barrier in redundant(trial):
        yield headline(barrier.span, (Tone.NOTE, "note"), "this barrier alone kept nothing from racing in this run")
        yield from excerpt(barrier.span, source_line)
        yield ()
    yield _summary(trial)


def failed(trial: Trial) -> bool:
    """Whether the run shows a race of different values, or a divergent barrier."""
    return isinstance(trial.outcome, StuckAtBarrier) or any(not race.same_value for race in trial.races)


def redundant(trial: Trial) -> tuple[BarrierUse, ...]:
    """Barriers that were passed, and without which there would be no race more in this run."""
    return tuple(b for b in trial.barriers if b.passed and not b.needed)


def _race(trial: Trial, race: Race, source_line: SourceLine) -> Iterator[Line]:
    first, second = trial.sites[race.first], trial.sites[race.second]
    where = f"{race.space.value} memory"
    same = ", though both write the same value" if race.same_value else ""
    label = (Tone.NOTE, "note") if race.same_value else (Tone.ERROR, "error")
    title = f"data race on {where} in kernel '{trial.kernel}'{same}: this {_access(first)}"
    yield headline(first.span, label, title)
    yield from excerpt(first.span, source_line)
    yield from in_macro(first.span)
    again = race.first == race.second
    other = "and the same access by another thread" if again else f"and this {_access(second)}"
    yield headline(second.span, (Tone.NOTE, "note"), other)
    if not again:
        yield from excerpt(second.span, source_line)
        yield from in_macro(second.span)
    for example in race.examples:
        place = f" of {trial.names.get(example.memory, '?')}" if race.space is Space.GLOBAL else ""
        threads = (_thread(trial, example.first_thread), _thread(trial, example.second_thread))
        yield field("threads", f"{' and '.join(threads)}: {example.level.value}, byte {example.offset}{place}")


def _access(site: TraceSite) -> str:
    return "atomic update" if site.kind is AccessKind.ATOMIC else site.kind.value


def _thread(trial: Trial, number: int) -> str:
    block, thread = divmod(number, trial.inputs.block_threads)
    return f"thread {triple(_index(thread, trial.inputs.block))} of block {triple(_index(block, trial.inputs.grid))}"


def _index(number: int, extents: Extent3) -> Extent3:
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


def _stopped(trial: Trial, outcome: RunOutcome, source_line: SourceLine) -> Iterator[Line]:
    match outcome:
        case StuckAtBarrier(span=span, waiting=waiting, elsewhere=elsewhere, other=other):
            yield headline(span, (Tone.ERROR, "error"), f"barrier divergence in kernel '{trial.kernel}'")
            yield from excerpt(span, source_line)
            yield field("waiting", _some(trial, waiting))
            yield field("elsewhere", _some(trial, elsewhere) + (f", at {other}" if other is not None else ""))
        case OutOfBounds(span=span, thread=thread, reason=reason) | Trapped(span=span, thread=thread, reason=reason):
            yield headline(span, (Tone.ERROR, "error"), f"the run ends here: {reason}")
            yield from excerpt(span, source_line)
            yield field("thread", _thread(trial, thread))
        case NotSupported(span=span, reason=reason):
            yield headline(span, (Tone.ERROR, "error"), f"the run ends here: {reason}")
            yield from excerpt(span, source_line)
        case OutOfFuel(span=span):
            yield headline(span, (Tone.ERROR, "error"), "the run takes too long; it was stopped here")
            yield from excerpt(span, source_line)
        case Finished():
            pass


def _some(trial: Trial, threads: tuple[int, ...]) -> str:
    more = " …" if len(threads) > 1 else ""
    return _thread(trial, threads[0]) + more if threads else "-"


def _summary(trial: Trial) -> Line:
    ended = "finished" if isinstance(trial.outcome, Finished) else "stopped"
    races = sum(not r.same_value for r in trial.races)
    notes = len(trial.races) - races
    found = [counted(races, "race")]
    found += [counted(notes, "same-value write")] if notes else []
    found.append(counted(len(redundant(trial)), "redundant barrier"))
    launch = f"{trial.kernel}<<<{triple(trial.inputs.grid)}, {triple(trial.inputs.block)}>>>"
    return line((Tone.STRONG, f"{launch}: "), f"{ended}; {', '.join(found)}; {trial.seconds:.2f} s")
