"""Analysis of a program: every kernel at every launch, in sequence."""

from __future__ import annotations

from time import perf_counter

from msgspec.structs import replace

from hgrd.engine.analysis.compile_gaps import dropped
from hgrd.engine.analysis.kernels import KernelLaunches, kernels_at_launches
from hgrd.engine.analysis.launch import LaunchContext, analyze_launch, may_launch_again
from hgrd.engine.analysis.replay import WitnessReplay
from hgrd.findings.model import LaunchReport, Message, Report
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.host.model import HostRun, LaunchSite
from hgrd.host.run import run_host
from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.program.span import NOWHERE
from hgrd.races.results.evidence import KernelAtLaunch
from hgrd.solve.decide import Decider
from hgrd.solve.session import Session
from hgrd.symbolic.limits import deep_recursion

_DEPTH = 3000  # calls, for functions as deeply nested as those that are lowered
_LAUNCH_SHARE = 2  # a launch that is not the last may take 1 / _LAUNCH_SHARE of the time left


def analyze(programs: tuple[Program, ...], options: AnalysisOptions, replayer: WitnessReplay | None = None) -> Report:
    """Report on all kernels that `options` ask for; `replayer` None: no witness is run."""
    begin = perf_counter()
    end = begin + options.program_limit
    tables = link(programs)
    reports: list[LaunchReport] = []
    with deep_recursion(_DEPTH), Session() as session:
        until_host = min(end, begin + options.time_limit)
        host = run_host(programs, asserts=options.asserts, wants=options.wants, deadline=until_host)
        kernels = kernels_at_launches(programs, host, options)
        messages = _messages(programs, host)
        ahead = sum(len(k.launches) for k in kernels)
        decide = Decider(session)
        for found in kernels:
            name = found.kernel.ref.name
            messages += [Message(f.span, f"assumed of kernel '{name}': {f.text}", False) for f in found.assumed]
            analyzed: list[LaunchReport] = []
            for launch in found.launches:
                at = KernelAtLaunch(tables, found.kernel, launch, decide)
                context = _context(programs, host, found, launch, analyzed)
                result = analyze_launch(at, _within(options, end, ahead), context, replayer)
                messages += result.messages
                analyzed.append(result.report)
                ahead -= 1
            reports += analyzed
            if found.launches != (None,) and found.kernel.ref.key in host.cut:
                reports.append(may_launch_again(found.kernel, host.cut[found.kernel.ref.key]))
    files = tuple(p.file for p in programs)
    return Report(files, roll_up(reports), tuple(dict.fromkeys(messages)), perf_counter() - begin)


def _messages(programs: tuple[Program, ...], host: HostRun) -> list[Message]:
    """Messages on unsupported host code, and on compiler errors and includes."""
    notes = [Message(n.span, n.text, False) for n in host.notes]
    compiler = [Message(d.span, d.message, d.error) for p in programs for d in p.diagnostics]
    missing = [f"{p.file}: not found: #include {name}" for p in programs for name in p.missing_includes]
    return notes + compiler + [Message(NOWHERE, text, False) for text in missing]


def _context(
    programs: tuple[Program, ...],
    host: HostRun,
    found: KernelLaunches,
    launch: LaunchSite | None,
    before: list[LaunchReport],
) -> LaunchContext:
    """Context of a launch besides its facts; `before` are the reports of the kernel's earlier launches."""
    assumed = found.assumed
    if launch is not None:
        assumed = (*assumed, *dropped(host.functions, programs), *found.ruled_out)
    conditions = {f.condition for report in before for f in report.findings} - {""}
    return LaunchContext(programs, assumed, bool(host.launches or host.cut), conditions)


def _within(options: AnalysisOptions, end: float, ahead: int) -> AnalysisOptions:
    """Options of the next of the `ahead` launches that are left, where the program has until `end`."""
    share = (end - perf_counter()) / min(ahead, _LAUNCH_SHARE)
    return replace(options, time_limit=min(options.time_limit, share))
