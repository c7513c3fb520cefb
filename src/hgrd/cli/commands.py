"""Commands of the command line.  Each gives its exit status."""

from __future__ import annotations

import logging
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from hgrd.cli.arguments import analysis_options, build_of, selection, source_options, wants_color
from hgrd.cli.messages import fail
from hgrd.cli.progress import ProgressLine, progress_on
from hgrd.engine.check import Limits
from hgrd.engine.check import check as check_paths
from hgrd.engine.inputs import Failure, collect
from hgrd.engine.parsing import guarded, parse
from hgrd.engine.run.news import Progress
from hgrd.engine.run.settings import Settings
from hgrd.engine.stages import show as print_stage
from hgrd.findings.model import KernelReport, Message, Report
from hgrd.findings.rules import RULES
from hgrd.findings.rules.page import page
from hgrd.findings.tally import tally
from hgrd.report import FORMATS, ReportContext, Writer
from hgrd.report.text import message_lines

_log = logging.getLogger(__name__)


def check(arguments: Namespace) -> int:
    """Look for races in the programs of the paths, and write the report while it comes."""
    settings = Settings(
        source_options(arguments),
        build_of(arguments),
        analysis_options(arguments),
        arguments.replay,
        selection(arguments),
        reuse=arguments.cache and arguments.reuse,
        since=arguments.since or "",
    )
    strict = settings.analysis.strict
    context = ReportContext(
        output=sys.stdout,
        log=sys.stderr,
        strict=strict,
        brief=arguments.quiet,
        verbose=arguments.verbose > 0,
        color=wants_color(arguments),
    )
    writer = FORMATS[arguments.format](context)
    with progress_on(sys.stderr, quiet=arguments.quiet) as progress:
        listener = _Listener(writer, progress)
        checked = check_paths(arguments.paths, settings, Limits(arguments.jobs, arguments.total_timeout), listener)
    if checked.report is None:
        return 2
    writer.end(checked.report, {failure.file: failure.reason for failure in checked.failures})
    if checked.report.stopped:
        return 2
    incomplete = bool(checked.failures) or any(m.error for m in checked.report.messages)
    return _status(checked.report, strict, arguments.fail_on_unknown, incomplete)


class _Listener:
    """Passes the news of a run on to the writer and to the line of progress, which never stand in one line."""

    def __init__(self, writer: Writer, progress: ProgressLine) -> None:
        self._writer = writer
        self._progress = progress

    def messages(self, messages: tuple[Message, ...]) -> None:
        self._progress.hide()
        self._writer.messages(messages)

    def kernel(self, report: KernelReport) -> None:
        self._progress.hide()
        self._writer.kernel(report)

    def failure(self, failure: Failure) -> None:
        self._progress.hide()
        _say_failures((failure,))

    def progress(self, progress: Progress) -> None:
        self._progress.show(progress)


def facts(arguments: Namespace) -> int:
    """Print the launches and the facts that hold at them."""
    return _show("facts", arguments)


def show(arguments: Namespace) -> int:
    """Print the stage that is asked for."""
    return _show(arguments.stage, arguments)


def simulate(arguments: Namespace) -> int:
    """Run a kernel: 1 if the run shows races or a divergent barrier, 2 if it could not be finished."""
    # Not before it is needed: the simulator loads numpy.
    from hgrd.engine.trial import run_trial
    from hgrd.report.terminal.excerpt import source_reader
    from hgrd.report.terminal.lines import write
    from hgrd.report.terminal.trial import failed, render_trial
    from hgrd.simulate.launch import Finished
    from hgrd.simulate.trial import InputError, Inputs, dump

    inputs = Inputs(
        arguments.grid,
        arguments.block,
        dict(arguments.params),
        dict(arguments.arrays),
        arguments.shared,
        arguments.seed,
    )
    try:
        trial = run_trial(arguments.file, arguments.kernels[0], source_options(arguments), inputs, build_of(arguments))
        for name, file in arguments.dumps:
            dump(trial, name, file)
    except InputError as error:
        return fail(str(error))
    write(render_trial(trial, source_reader()), sys.stdout, wants_color(arguments))
    if failed(trial):
        return 1
    return 0 if isinstance(trial.outcome, Finished) else 2


def explain(arguments: Namespace) -> int:
    """Print the page of a rule."""
    print(page(RULES[arguments.code]), end="")
    return 0


def doctor(arguments: Namespace) -> int:
    """Print which compiler is used; 2 if it does not work."""
    from hgrd.source.doctor import doctor as examine  # not before it is needed: the front end takes time to load

    health = examine(arguments.clang)
    print(health)
    return 2 if health.problem else 0


def cache(arguments: Namespace) -> int:
    """Print what is kept of earlier runs, or throw it away."""
    from hgrd.source.cache_contents import clear, contents  # not before it is needed
    from hgrd.source.cache_files import default_cache_dir

    folder = default_cache_dir()
    try:
        if arguments.action == "clear":
            clear(folder)
        parts = contents(folder)
    except OSError as error:
        return fail(f"{folder}: {error.strerror}")
    print(folder)
    for part in parts:
        print(f"{part.what:22}{part.files:6} files {part.size / 2**20:9.1f} MiB")
    return 0


COMMANDS: Final[Mapping[str, Callable[[Namespace], int]]] = {
    "check": check,
    "facts": facts,
    "show": show,
    "simulate": simulate,
    "cache": cache,
    "explain": explain,
    "doctor": doctor,
}


def _show(stage: str, arguments: Namespace) -> int:
    """Print a stage of each program, with its files as a heading where there are several; 2 after a failure."""
    source, options = source_options(arguments), analysis_options(arguments)
    inputs = collect(arguments.paths, source.include_dirs, selection(arguments))
    build, failures = build_of(arguments), list(inputs.failures)
    print(
        *message_lines(inputs.messages, everything=True), sep="\n", end="\n" if inputs.messages else "", file=sys.stderr
    )
    for files in inputs.programs:
        programs, failed = parse(files, source, build)
        failures += failed
        if not programs:
            continue
        text = guarded(files[0], lambda programs=programs: print_stage(stage, programs, options))
        if isinstance(text, Failure):
            failures.append(text)
            continue
        if len(inputs.programs) > 1:
            print(f"// {' '.join(files)}")
        print(text.rstrip("\n"))
    _say_failures(failures)
    return 2 if failures else 0


def _status(report: Report, strict: bool, fail_on_unknown: bool, incomplete: bool) -> int:
    """1 if there are findings, even where some input is missing; else 2 if some is missing, else 0."""
    total = tally(report, strict)
    undecided = total.kernels.unknown or total.barriers.undecided
    if total.races.errors or total.races.warnings or total.barriers.errors or (fail_on_unknown and undecided):
        return 1
    return 2 if incomplete else 0


def _say_failures(failures: Iterable[Failure]) -> None:
    for failure in failures:
        print(f"hgrd: error: {failure.file}: {failure.reason}", file=sys.stderr)
        if failure.detail:
            _log.info("%s", failure.detail)
