"""Analysis of a program: its host code first, then every kernel at every launch."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.analysis.compile_gaps import dropped
from hgrd.engine.analysis.kernels import KernelLaunches, kernels_at_launches
from hgrd.engine.analysis.launch import LaunchContext, LaunchResult, analyze_launch, may_launch
from hgrd.engine.analysis.replay import WitnessReplay
from hgrd.findings.model import LaunchReport, Message, Report
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.host.model import HostRun, LaunchSite
from hgrd.host.run import run_host
from hgrd.program.analysis.constant_variables import with_constant_variables
from hgrd.program.linked import Tables, link
from hgrd.program.program import Program
from hgrd.program.span import NOWHERE
from hgrd.races.results.evidence import KernelAtLaunch
from hgrd.solve.decide import Decider
from hgrd.solve.session import Session
from hgrd.symbolic.limits import deep_recursion

_DEPTH = 3000  # calls, for functions as deeply nested as those that are lowered
_LEAST_SECONDS = 2.0  # of a kernel or launch: some that are decided are better than none
_HOST_SHARES = 4, 2  # of the time of a kernel, and of that of the program: the host code may take a fourth, and a half


class HostedProgram(Struct, frozen=True):
    """Program whose host code has been followed, and its kernels at their launches."""

    programs: tuple[Program, ...]
    tables: Tables
    host: HostRun
    kernels: tuple[KernelLaunches, ...]
    messages: tuple[Message, ...]


def follow_host(programs: tuple[Program, ...], options: AnalysisOptions) -> HostedProgram:
    """The program ready for the analysis of its kernels; its host code may take a part of the time, and no more."""
    programs = with_constant_variables(programs)
    of_kernel, of_program = _HOST_SHARES
    deadline = perf_counter() + min(options.time_limit / of_kernel, options.program_limit / of_program)
    with deep_recursion(_DEPTH):
        host = run_host(programs, asserts=options.asserts, wants=options.wants, deadline=deadline)
    kernels = kernels_at_launches(programs, host, options)
    messages = (*_messages(programs, host), *(m for found in kernels for m in _assumed(found)))
    return HostedProgram(programs, link(programs), host, kernels, tuple(dict.fromkeys(messages)))


def analyze_kernel(
    hosted: HostedProgram,
    found: KernelLaunches,
    session: Session,
    options: AnalysisOptions,
    end: float,
    replayer: WitnessReplay | None = None,
) -> Iterator[LaunchResult]:
    """Results at one launch of a kernel after another, each of which has a fair part of the time until `end`."""
    kernel, decide = found.kernel, Decider(session)
    analyzed: list[LaunchReport] = []
    with deep_recursion(_DEPTH):
        for number, launch in enumerate(found.launches):
            at = KernelAtLaunch(hosted.tables, kernel, launch, decide)
            share = _share(end, len(found.launches) - number)
            within = replace(options, time_limit=min(options.time_limit, share))
            result = analyze_launch(at, within, _context(hosted, found, launch, analyzed), replayer)
            analyzed.append(result.report)
            yield result
    if kernel.ref.key in hosted.host.cut:
        again = found.launches != (None,)
        yield LaunchResult(may_launch(kernel, hosted.host.cut[kernel.ref.key], again=again))


def analyze(programs: tuple[Program, ...], options: AnalysisOptions, replayer: WitnessReplay | None = None) -> Report:
    """Report on all kernels that `options` ask for, in this process; `replayer` None: no witness is run."""
    begin = perf_counter()
    end = begin + options.program_limit
    hosted = follow_host(programs, options)
    results: list[LaunchResult] = []
    with Session() as session:
        for number, found in enumerate(hosted.kernels):
            until = perf_counter() + _share(end, len(hosted.kernels) - number)
            results += analyze_kernel(hosted, found, session, options, until, replayer)
    messages = (*hosted.messages, *(message for result in results for message in result.messages))
    files = tuple(p.file for p in programs)
    kernels = roll_up(result.report for result in results)
    return Report(files, kernels, tuple(dict.fromkeys(messages)), perf_counter() - begin)


def _messages(programs: tuple[Program, ...], host: HostRun) -> list[Message]:
    """Messages on unsupported host code, and on compiler errors and includes."""
    notes = [Message(n.span, n.text, False) for n in host.notes]
    compiler = [Message(d.span, d.message, d.error) for p in programs for d in p.diagnostics]
    missing = [f"{p.file}: not found: #include {name}" for p in programs for name in p.missing_includes]
    return notes + compiler + [Message(NOWHERE, text, False) for text in missing]


def _share(end: float, ahead: int) -> float:
    """Seconds for the next of so many parts that are to be done by `end`."""
    left = end - perf_counter()
    return max(left / ahead, min(left, _LEAST_SECONDS))


def _assumed(found: KernelLaunches) -> Iterator[Message]:
    """Messages on what is assumed of a kernel at all of its launches."""
    name = found.kernel.ref.name
    return (Message(f.span, f"assumed of kernel '{name}': {f.text}", False) for f in found.assumed)


def _context(
    hosted: HostedProgram, found: KernelLaunches, launch: LaunchSite | None, before: list[LaunchReport]
) -> LaunchContext:
    """Context of a launch besides its facts; `before` are the reports of the kernel's earlier launches."""
    assumed, host = found.assumed, hosted.host
    if launch is not None:
        assumed = (*assumed, *dropped(host.functions, hosted.programs), *found.ruled_out, *launch.beside)
    cut = host.cut.get(found.kernel.ref.key)
    conditions = {f.condition for report in before for f in report.findings} - {""}
    return LaunchContext(hosted.programs, assumed, bool(host.launches or host.cut), conditions, cut)
