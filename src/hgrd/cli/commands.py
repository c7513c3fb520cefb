"""The commands.  Each gives its exit status."""

from __future__ import annotations

import logging
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from hgrd.cli.arguments import analysis_options, build_of, source_options, wants_color
from hgrd.engine.inputs import Failure
from hgrd.findings.model import Message, Report
from hgrd.program.span import NOWHERE

_log = logging.getLogger(__name__)
_MOST_ERRORS: Final = 10  # of one file, unless all are asked for


def check(arguments: Namespace) -> int:
    from hgrd.engine.check import check as check_paths

    options = analysis_options(arguments)
    checked = check_paths(
        arguments.paths,
        source_options(arguments),
        options,
        arguments.jobs,
        build=build_of(arguments),
        replay=arguments.replay,
    )
    _say_failures(checked.failures)
    if checked.report is None:
        return 2
    if arguments.format == "json":
        _write_json(checked.report, options.strict, checked.failures)
    else:
        _write_text(checked.report, options.strict, arguments)
    incomplete = bool(checked.failures) or any(m.error for m in checked.report.messages)
    return _status(checked.report, options.strict, arguments.fail_on_unknown, incomplete)


def facts(arguments: Namespace) -> int:
    return _show("facts", arguments)


def show(arguments: Namespace) -> int:
    return _show(arguments.stage, arguments)


def simulate(arguments: Namespace) -> int:
    """1 if the run shows races or a divergent barrier, 2 if it could not go on to its end."""
    from hgrd.cli.main import fail
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


def doctor(arguments: Namespace) -> int:
    from hgrd.source.doctor import doctor as examine

    health = examine(arguments.clang)
    print(health)
    return 2 if health.problem else 0


COMMANDS: Final[Mapping[str, Callable[[Namespace], int]]] = {
    "check": check,
    "facts": facts,
    "show": show,
    "simulate": simulate,
    "doctor": doctor,
}


def _show(stage: str, arguments: Namespace) -> int:
    """Print a stage of each program, with its files as a heading where there are several."""
    from hgrd.engine.check import guarded, parse
    from hgrd.engine.inputs import collect
    from hgrd.engine.stages import show as print_stage

    source, options = source_options(arguments), analysis_options(arguments)
    inputs, build = collect(arguments.paths, source.include_dirs), build_of(arguments)
    failures = list(inputs.failures)
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
    """Findings go before missing input: 1 means findings, whatever else there is to say."""
    from hgrd.findings.severity import tally

    total = tally(report, strict)
    undecided = total.unknown or total.open_barriers
    if total.errors or total.warnings or total.barrier_errors or (fail_on_unknown and undecided):
        return 1
    return 2 if incomplete else 0


def _write_json(report: Report, strict: bool, failures: Iterable[Failure]) -> None:
    from hgrd.report.json import to_bytes

    sys.stdout.flush()
    sys.stdout.buffer.write(to_bytes(report, strict, {f.file: f.reason for f in failures}))


def _write_text(report: Report, strict: bool, arguments: Namespace) -> None:
    from hgrd.report.terminal.excerpt import source_reader
    from hgrd.report.terminal.lines import write
    from hgrd.report.terminal.report import TextOptions, render

    if not arguments.quiet:
        for line in _said(report.messages, everything=arguments.verbose > 0):
            print(line, file=sys.stderr)
    brief = TextOptions(strict=strict, brief=arguments.quiet)
    write(render(report, source_reader(), brief), sys.stdout, wants_color(arguments))


def _said(messages: Iterable[Message], *, everything: bool) -> Iterator[str]:
    """A line for each message; of the errors of one file some, and how many more there are."""
    errors: Counter[str] = Counter()
    for message in messages:
        file = message.span.file
        errors[file] += message.error
        if everything or not message.error or errors[file] <= _MOST_ERRORS:
            yield _message(message)
    for file, count in errors.items():
        if count > _MOST_ERRORS and not everything:
            yield f"{file}: error: {count - _MOST_ERRORS} more errors, which -v shows"


def _message(message: Message) -> str:
    where = "hgrd" if message.span == NOWHERE else str(message.span)
    return f"{where}: {'error' if message.error else 'warning'}: {message.text}"


def _say_failures(failures: Iterable[Failure]) -> None:
    for failure in failures:
        print(f"hgrd: error: {failure.file}: {failure.reason}", file=sys.stderr)
        if failure.detail:
            _log.info("%s", failure.detail)
