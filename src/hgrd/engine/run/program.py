"""Work on one program, in a process of its own: parse, follow the host code, and spread the kernels over processes."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

from msgspec.structs import replace

from hgrd.engine.inputs import Failure
from hgrd.engine.parsing import guarded
from hgrd.engine.run import unchanged
from hgrd.engine.run.news import KernelsNamed, News, kernel_name
from hgrd.engine.run.reading import read
from hgrd.engine.run.settings import Settings
from hgrd.engine.run.slots import Slots
from hgrd.findings.options import AnalysisOptions
from hgrd.program.program import Program

_READING_SECONDS = 20.0  # for each file of a program
_log = logging.getLogger(__name__)


def check_program(files: Sequence[str], settings: Settings, slots: Slots, tell: Callable[[News], None]) -> None:
    """Tells all news of the program in `files`, those of the last time where nothing has changed.  Never raises."""
    key = unchanged.key_of(files, settings) if settings.reuse else None
    known = unchanged.load(key, settings) if key is not None else None
    if known is not None:
        for news in known:
            tell(news)
        return
    told: list[News] = []

    def keep_and_tell(news: News) -> None:
        told.append(news)
        tell(news)

    _check(files, settings, slots, keep_and_tell)
    if key is not None and key == unchanged.key_of(files, settings):
        unchanged.store(key, told, settings)


def _check(files: Sequence[str], settings: Settings, slots: Slots, tell: Callable[[News], None]) -> None:
    begin = perf_counter()
    options = settings.analysis
    limit = _reading_limit(len(files), options)
    programs, failures = read(files, replace(settings.source, deadline=begin + limit), settings.build, slots)
    _log.info("parsed %s in %.2f s", " ".join(files), perf_counter() - begin)
    for failure in failures:
        tell(failure)
    named = _named(programs, options)
    if not named.defined:
        for program in programs:
            tell(_without_kernels(program))
        return
    tell(named)
    if not named.kernels:
        return
    failure = guarded(files[0], partial(_analyse, programs, named, settings, begin, slots, tell))
    if failure is not None:
        tell(failure)
    _log.info("analysed %s in %.2f s", " ".join(files), perf_counter() - begin)


def _reading_limit(files: int, options: AnalysisOptions) -> float:
    """Seconds for reading the files: more for many of them, but half of the time is left for what they hold."""
    most = max(options.time_limit, options.program_limit / 2)
    return min(options.program_limit, most, max(options.time_limit, _READING_SECONDS * files))


def _analyse(
    programs: tuple[Program, ...],
    named: KernelsNamed,
    settings: Settings,
    begin: float,
    slots: Slots,
    tell: Callable[[News], None],
) -> None:
    # not at the top: they load the solver
    from hgrd.engine.analysis.program import follow_host
    from hgrd.engine.run.kernels import spread

    end = begin + settings.analysis.program_limit
    left = replace(settings.analysis, program_limit=end - perf_counter())
    hosted = follow_host(programs, left)
    kernels = tuple(dict.fromkeys(kernel_name(found.kernel) for found in hosted.kernels))
    tell(replace(named, kernels=kernels, messages=hosted.messages))
    gc.freeze()  # the processes of the kernels share what there is
    spread(hosted, left, end, slots, tell, replay=settings.replay)


def _named(programs: tuple[Program, ...], options: AnalysisOptions) -> KernelsNamed:
    defined = {kernel_name(k): None for program in programs for k in program.kernels()}
    return KernelsNamed(
        files=tuple(program.file for program in programs),
        defined=tuple(dict.fromkeys(kernel.name for kernel in defined)),
        kernels=tuple(kernel for kernel in defined if options.wants(kernel.name)),
    )


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
