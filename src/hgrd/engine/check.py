"""Analysis of paths: each program is parsed and analysed on its own, and a failure of one does not stop the others."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.inputs import Failure, collect
from hgrd.engine.pool import Died, run_each
from hgrd.findings.model import Report
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import merged
from hgrd.program.program import Diagnostic, Program
from hgrd.program.span import Span
from hgrd.source.build.build import NO_BUILD, Build
from hgrd.source.options import SourceError, SourceOptions
from hgrd.symbolic.limits import TimeLimitError, until

T = TypeVar("T")
_READING_SECONDS = 20.0  # for the files of a program, at least
_log = logging.getLogger(__name__)


class Checked(Struct, frozen=True):
    """Result of a check; `report` is None where no program could be analysed."""

    report: Report | None
    failures: tuple[Failure, ...]


class _Part(Struct, frozen=True):
    """Result for one program; `kernels` are the names that it defines."""

    report: Report | None
    failures: tuple[Failure, ...]
    kernels: tuple[str, ...] = ()


def check(
    paths: Sequence[str],
    source: SourceOptions,
    analysis: AnalysisOptions,
    jobs: int,
    *,
    build: Build = NO_BUILD,
    replay: bool = True,
) -> Checked:
    """Analyse the programs in `paths` in up to `jobs` processes (one program: in this process).

    `build` gives the flags of single files.  `replay`: the witnesses of races are run on the simulator.
    """
    begin = perf_counter()
    inputs = collect(paths, source.include_dirs)
    work = partial(_check_program, source=source, build=build, analysis=analysis, replay=replay)
    if len(inputs.programs) <= 1:
        parts = [work(files) for files in inputs.programs]
    else:
        _load()
        parts = [
            _died(files, part) if isinstance(part, Died) else part
            for files, part in zip(inputs.programs, run_each(work, inputs.programs, jobs), strict=True)
        ]
    failures = (*inputs.failures, *(failure for part in parts for failure in part.failures))
    failures += _unknown_kernels(analysis, [name for part in parts for name in part.kernels])
    reports = [part.report for part in parts if part.report is not None]
    return Checked(merged(reports, perf_counter() - begin) if reports else None, failures)


def parse(
    files: Iterable[str], source: SourceOptions, build: Build = NO_BUILD
) -> tuple[tuple[Program, ...], tuple[Failure, ...]]:
    """Parsed programs, and the failures of those that could not be parsed.

    The analysis is imported while the compiler runs: importing it is half of the time of a small program.
    """
    from hgrd.source.parse import parse_file  # not at the top: it loads the front end

    load = partial(import_module, "hgrd.engine.analysis.program")
    outcomes = [
        guarded(file, partial(_parsed, file, source, build, partial(parse_file, meanwhile=load))) for file in files
    ]
    programs = tuple(x for x in outcomes if not isinstance(x, Failure))
    return programs, tuple(x for x in outcomes if isinstance(x, Failure))


def _parsed(
    file: str, source: SourceOptions, build: Build, parse_file: Callable[[str, SourceOptions], Program]
) -> Program:
    """Program compiled with the flags of the build; a diagnostic names macros that come from there."""
    flags, origin = build.flags(file)
    with until(source.deadline):
        program = parse_file(file, flags.under(source))
    if not flags.macros or not origin:
        return program
    noted = Diagnostic(Span(origin, 1, 1), f"{file} is compiled with {' '.join(flags.macros)}", error=False)
    return replace(program, diagnostics=(*program.diagnostics, noted))


def guarded(file: str, action: Callable[[], T]) -> T | Failure:
    """Result of the action; an exception becomes a failure of the file."""
    try:
        return action()
    except SourceError as error:
        return Failure(file, str(error).removeprefix(f"{file}: "))
    except TimeLimitError:
        return Failure(file, "the time limit was reached")
    except RecursionError:
        return Failure(file, "nested too deeply to be analysed", traceback.format_exc())
    except MemoryError:
        return Failure(file, "too large to be analysed: out of memory")
    except Exception as error:  # an error in one program must not lose the results of the others
        return Failure(file, f"internal error: {type(error).__name__}: {error}", traceback.format_exc())


def _load() -> None:
    """Imports modules that every process needs, once: forked processes inherit them."""
    for module in ("hgrd.source.parse", "hgrd.engine.analysis.program", "hgrd.simulate.replay.replayer"):
        import_module(module)


def _check_program(
    files: tuple[str, ...], source: SourceOptions, build: Build, analysis: AnalysisOptions, *, replay: bool
) -> _Part:
    begin = perf_counter()
    limit = min(analysis.program_limit, max(analysis.time_limit, _READING_SECONDS))
    programs, failures = parse(files, replace(source, deadline=begin + limit), build)
    _log.info("parsed %s in %.2f s", " ".join(files), perf_counter() - begin)
    names = tuple(dict.fromkeys(kernel.ref.name for program in programs for kernel in program.kernels()))
    if not names:
        return _Part(None, failures + tuple(_without_kernels(program) for program in programs))
    if not any(map(analysis.wants, names)):
        return _Part(None, failures, names)
    # not at the top: they load the solver
    from hgrd.engine.analysis.program import analyze
    from hgrd.engine.analysis.replay import LateReplayer

    end = begin + analysis.program_limit
    left = replace(analysis, program_limit=end - perf_counter())
    report = guarded(files[0], partial(analyze, programs, left, LateReplayer(end) if replay else None))
    _log.info("analysed %s in %.2f s", " ".join(files), perf_counter() - begin)
    if isinstance(report, Failure):
        return _Part(None, (*failures, report), names)
    return _Part(replace(report, files=tuple(program.file for program in programs)), failures, names)


def _without_kernels(program: Program) -> Failure:
    """Reason why a program has no kernel to analyse."""
    errors = [f"{d.span}: {d.message}" for d in program.diagnostics if d.error]
    if errors:
        more = f" (errors: {len(errors)})" if len(errors) > 1 else ""
        return Failure(program.file, f"no kernel left to analyse: {errors[0]}{more}")
    if program.uninstantiated:
        templates = ", ".join(dict.fromkeys(t.name for t in program.uninstantiated))
        return Failure(program.file, f"its kernels are templates that nothing instantiates: {templates}")
    return Failure(program.file, "it defines no kernel")


def _unknown_kernels(analysis: AnalysisOptions, names: list[str]) -> tuple[Failure, ...]:
    there = ", ".join(dict.fromkeys(names)) or "none"
    missing = [name for name in analysis.kernels if name not in names]
    return tuple(Failure(f"--kernel {name}", f"no such kernel (there: {there})") for name in missing)


def _died(files: tuple[str, ...], died: Died) -> _Part:
    killed = died.exit_code is not None and died.exit_code < 0
    reason = f"signal {-died.exit_code}" if killed and died.exit_code is not None else f"exit code {died.exit_code}"
    return _Part(None, (Failure(" ".join(files), f"the analysis process died ({reason}; out of memory?)"),))
