"""From programs to a report: every kernel at every launch."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Set
from math import inf
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.analysis.compile_gaps import broken, dropped
from hgrd.engine.analysis.user_assumptions import AssumptionError, by_name, parse_assumption
from hgrd.findings.model import (
    CONFIRMED,
    Confidence,
    Divergence,
    Finding,
    KernelReport,
    LaunchReport,
    Message,
    OpenPair,
    Outcome,
    Report,
)
from hgrd.findings.options import AnalysisOptions, Extent
from hgrd.host.launches.ablation import without
from hgrd.host.model import Fact, FactKind, HostNote, LaunchSite
from hgrd.host.run import run_host
from hgrd.program.linked import Tables, link
from hgrd.program.program import Function, Program, Template
from hgrd.program.span import NOWHERE, Span
from hgrd.protocol.configuration import configured
from hgrd.protocol.infer import infer
from hgrd.protocol.model import Configuration, Protocol, accesses, conditions
from hgrd.races.barriers.paths import places
from hgrd.races.divergence.checker import check_barriers
from hgrd.races.divergence.spin_livelock import livelocks
from hgrd.races.pairs.checker import Judgement, judge
from hgrd.races.pairs.replay_required import only_shown
from hgrd.races.results.evidence import Replay, ReplayBarrier, Situation
from hgrd.solve.decide import DEFAULT, decide
from hgrd.solve.query import Answer, Query
from hgrd.solve.session import Session
from hgrd.symbolic.state import symbols_in
from hgrd.terms import TRUE, Symbol, Term, const, eq, show, symbols_of, var

_log = logging.getLogger(__name__)
_BARRIER_SHARE = 4  # barriers come first, and may take this part of a kernel's time
_SURENESS = (Confidence.CONFIRMED, Confidence.DEFINITE, Confidence.DATA_DEPENDENT, Confidence.CONDITIONAL)
_LAUNCH_SHARE = 2  # a launch that is not the last may take this part of what is left of a program's time


class Around(Struct, frozen=True):
    """What is known besides of a launch: what is `assumed` of its kernel, and whether any host code is there.

    `conditions` are the preconditions that races of the kernel have at the launches before.
    """

    programs: tuple[Program, ...]
    assumed: tuple[Fact, ...]
    hosted: bool
    conditions: Set[str]


def analyze(
    programs: tuple[Program, ...],
    options: AnalysisOptions,
    replay: Replay | None = None,
    replay_barrier: ReplayBarrier | None = None,
) -> Report:
    """Analyses all kernels that `options` ask for; `replay` and `replay_barrier` run the witnesses."""
    begin = perf_counter()
    end = begin + options.program_limit
    tables = link(programs)
    build = tuple(Fact(TRUE, FactKind.ASSUMPTION, d.message, d.span) for p in programs for d in p.presumptions)
    kernels = [(k, (*build, *assumed)) for k, assumed in _kernels(programs) if options.wants(k.ref.name)]
    host = run_host(programs, asserts=options.asserts, wants=options.wants, deadline=end)
    unseen = dropped(host.functions, programs)
    messages = [Message(n.span, n.text, False) for n in host.notes]
    messages += [Message(d.span, d.message, d.error) for p in programs for d in p.diagnostics]
    messages += [
        Message(NOWHERE, f"{p.file}: not found: #include {name}", False)
        for p in programs
        for name in p.missing_includes
    ]
    reports: list[LaunchReport] = []
    sites = {k.ref.key: [site for site in host.launches if site.kernel.key == k.ref.key] or [None] for k, _ in kernels}
    never = {site.kernel.key for site in host.never}
    ruled_out = _ruled_out(kernels, host.never)
    kernels = [(k, a) for k, a in kernels if sites[k.ref.key] != [None] or k.ref.key not in never]
    ahead = sum(map(len, sites.values()))
    with Session() as session:

        def ask(query: Query) -> Answer:
            return decide(query, DEFAULT, session)

        for kernel, assumed in kernels:
            messages += [Message(f.span, f"assumed of kernel '{kernel.ref.name}': {f.text}", False) for f in assumed]
            launches = sites[kernel.ref.key]
            judged: list[LaunchReport] = []
            for index, launch in enumerate(launches):
                known = assumed if launch is None else (*assumed, *unseen, *ruled_out.get(kernel.span, ()))
                hosted, elsewhere = bool(host.launches or host.cut), {f.condition for r in judged for f in r.findings}
                situation, limits = Situation(tables, kernel, launch, ask), _within(options, end, ahead - index)
                seen = Around(programs, known, hosted, elsewhere - {""})
                judged.append(_launch(situation, limits, messages, seen, (replay, replay_barrier)))
            reports += judged
            ahead -= len(launches)
            if launches != [None] and kernel.ref.key in host.cut:
                reports.append(_beyond(kernel, host.cut[kernel.ref.key]))
    return Report(
        tuple(p.file for p in programs), roll_up(reports), tuple(dict.fromkeys(messages)), perf_counter() - begin
    )


def _within(options: AnalysisOptions, end: float, ahead: int) -> AnalysisOptions:
    """The options of the next launch of those that are still ahead, where the program has until `end`."""
    share = (end - perf_counter()) / min(ahead, _LAUNCH_SHARE)
    return replace(options, time_limit=min(options.time_limit, share))


def _kernels(programs: tuple[Program, ...]) -> list[tuple[Function, tuple[Fact, ...]]]:
    """Each kernel once, with what is assumed of it; what stands for a template only where it has no instance."""
    found: dict[str, tuple[Function, tuple[Fact, ...]]] = {}
    standing_in: set[str] = set()
    for program in programs:
        assumed: dict[tuple[str, Span], tuple[Fact, ...]] = {(t.name, t.span): () for t in program.uninstantiated}
        assumed |= {(t.name, t.span): (_presumption(t, text),) for t, text in program.presumed}
        for k in program.kernels():
            stands_in = (k.ref.name, k.span) in assumed
            if k.ref.key not in found or (k.ref.key in standing_in and not stands_in):
                found[k.ref.key] = (k, assumed.get((k.ref.name, k.span), ()))
                (standing_in.add if stands_in else standing_in.discard)(k.ref.key)
    instances = {k.ref.qualified for key, (k, _) in found.items() if k.ref.template_args and key not in standing_in}
    return [pair for key, pair in found.items() if key not in standing_in or pair[0].ref.qualified not in instances]


def _ruled_out(
    kernels: Iterable[tuple[Function, tuple[Fact, ...]]], never: Iterable[LaunchSite]
) -> dict[Span, tuple[Fact, ...]]:
    """By where a kernel is defined, its launches that constants of the host code keep from being made."""
    defined = {k.ref.key: k.span for k, _ in kernels}
    found: dict[Span, tuple[Fact, ...]] = {}
    for site in never:
        if site.kernel.key in defined:
            span, text = defined[site.kernel.key], "the program never makes this launch"
            found[span] = (*found.get(span, ()), Fact(TRUE, FactKind.ASSUMPTION, text, site.span))
    return found


def _presumption(template: Template, arguments: str) -> Fact:
    text = f"{arguments}: nothing instantiates the template {template.name}"
    return Fact(TRUE, FactKind.ASSUMPTION, text, template.span)


def _launch(
    situation: Situation,
    options: AnalysisOptions,
    messages: list[Message],
    around: Around,
    replays: tuple[Replay | None, ReplayBarrier | None],
) -> LaunchReport:
    begin = perf_counter()
    replay, replay_barrier = replays
    tables, kernel, launch, decide = situation.tables, situation.kernel, situation.launch, situation.decide
    try:
        end = begin + options.time_limit
        protocol, facts = prepare(tables, kernel, launch, options, messages, end)
        gaps = (*protocol.gaps, *broken(protocol.functions, around.programs))
        protocol = replace(protocol, gaps=gaps, assumed=(*around.assumed, *protocol.assumed))
        met = check_barriers(protocol, facts, decide, begin + options.time_limit / _BARRIER_SHARE)
        result = judge(protocol, facts, options, decide, end, hosted=around.hosted, elsewhere=around.conditions)
        if replay is not None:
            findings = zip(result.findings, result.evidence, strict=True)
            result = replace(result, findings=tuple(replay(situation, f, evidence) for f, evidence in findings))
            result = only_shown(result, strict=options.strict)
        if replay_barrier is not None:
            apart = zip(met.divergences, met.evidence, strict=True)
            met = replace(met, divergences=tuple(replay_barrier(situation, d, evidence) for d, evidence in apart))
        met = replace(met, divergences=(*met.divergences, *livelocks(protocol, facts, decide, end)))
    except Exception as error:  # trouble with one kernel must not cost the others their result
        _log.info("kernel %s", kernel.ref.name, exc_info=True)
        return _failed(kernel, launch, error, perf_counter() - begin)
    report = _report(kernel, launch, protocol, result, perf_counter() - begin)
    return replace(
        report,
        assumptions=(*report.assumptions, *met.assumptions()),
        divergences=met.divergences,
        open_barriers=met.open_barriers,
    )


def _beyond(kernel: Function, why: HostNote) -> LaunchReport:
    """What stands for launches that may be there besides those that were found."""
    return _nothing_but(kernel, None, OpenPair(None, None, None, (), f"{why.text}, and may launch it again", why.span))


def _failed(kernel: Function, launch: LaunchSite | None, error: Exception, seconds: float) -> LaunchReport:
    reason = f"internal error: {type(error).__name__}: {error}"
    return _nothing_but(kernel, launch, OpenPair(None, None, None, (), reason, kernel.span), seconds)


def _nothing_but(kernel: Function, launch: LaunchSite | None, gap: OpenPair, seconds: float = 0) -> LaunchReport:
    """No verdict, and why."""
    nothing = Judgement(Outcome.UNKNOWN, (), (gap,), (), 0, 0, 0)
    shown = "<<<?>>>" if launch is None else launch.configuration
    return _launch_report(kernel, launch, shown, nothing, seconds)


def prepare(
    tables: Tables,
    kernel: Function,
    launch: LaunchSite | None,
    options: AnalysisOptions,
    messages: list[Message],
    deadline: float = inf,
) -> tuple[Protocol, tuple[Fact, ...]]:
    """The protocol of a kernel at a launch, and the facts that hold there; `deadline` as for `infer`."""
    asserts, params = options.asserts, dict(options.params)
    if launch is not None:
        launch = without(launch, options.without, [p.name for p in kernel.parameters])
    configuration = _configuration(kernel, launch, options)
    protocol = infer(tables, kernel, launch, configuration, params, asserts=asserts, deadline=deadline)
    if launch is None:
        flat = flattened(protocol, kernel.max_threads)
        if flat is not None:
            protocol = infer(tables, kernel, launch, flat, params, asserts=asserts, deadline=deadline)
            text = "extents are 1 along axes that the kernel does not look at"
            protocol = replace(
                protocol, assumed=(*protocol.assumed, Fact(TRUE, FactKind.ASSUMPTION, text, kernel.span))
            )
    facts = tuple(launch.facts) if launch is not None else ()
    if launch is not None:
        protocol = replace(protocol, contents=launch.contents, made=launch.made, shared_bytes=launch.shared_bytes)
    return protocol, (*facts, *_option_facts(protocol, launch, options, messages))


def flattened(protocol: Protocol, max_threads: int | None) -> Configuration | None:
    """Without host code: extents that are not known are 1 along y and z where the kernel ignores that axis.

    None if nothing changes.
    """
    c = protocol.configuration
    used = {s.name for a in accesses(protocol.items) for s in symbols_of(a.offset, *a.guards)}
    used |= {s.name for p in places(protocol) for s in symbols_of(*p.item.guards)}
    axes = "xyz"

    def extent(base: str, indexes: str, i: int, known: Term) -> Term | None:
        if known.is_const:
            return known
        free = i == 0 or f"{base}.{axes[i]}" in used or f"{indexes}.{axes[i]}" in used
        return None if free else const(1)

    gx, gy, gz = (extent("gridDim", "blockIdx", i, t) for i, t in enumerate(c.grid))
    bx, by, bz = (extent("blockDim", "threadIdx", i, t) for i, t in enumerate(c.block))
    flat = configured((gx, gy, gz), (bx, by, bz), protocol.span, max_threads)
    return None if flat == c else flat


def _configuration(kernel: Function, launch: LaunchSite | None, options: AnalysisOptions) -> Configuration:
    grid = launch.grid if launch is not None else (None, None, None)
    block = launch.block if launch is not None else (None, None, None)
    span = launch.span if launch is not None else kernel.span
    return configured(_forced(grid, options.grid_dim), _forced(block, options.block_dim), span, kernel.max_threads)


def _forced(
    extents: tuple[Term | None, Term | None, Term | None], option: Extent | None
) -> tuple[Term | None, Term | None, Term | None]:
    if option is None:
        return extents
    x, y, z = (None if e is None else const(e) for e in option)
    return x, y, z


def _option_facts(
    protocol: Protocol, launch: LaunchSite | None, options: AnalysisOptions, messages: list[Message]
) -> tuple[Fact, ...]:
    """--param and --assume as facts over the symbols of the launch and the kernel's parameters."""
    symbols = by_name(_shared_symbols(protocol, launch))
    facts: list[Fact] = []
    for name, value in options.params:
        if name in symbols:
            facts.append(Fact(eq(symbols[name], const(value)), FactKind.OPTION, f"{name} == {value}", NOWHERE))
    for text in options.assume:
        try:
            facts.append(Fact(parse_assumption(text, symbols), FactKind.OPTION, text, NOWHERE))
        except AssumptionError as error:
            messages.append(Message(protocol.span, f"--assume '{text}' is not used here: {error}", False))
    return tuple(facts)


def _shared_symbols(protocol: Protocol, launch: LaunchSite | None) -> frozenset[Symbol]:
    found: set[Symbol] = set()
    for access in accesses(protocol.items):
        found |= symbols_of(access.offset)
    found |= symbols_of(*conditions(protocol.items))
    found |= symbols_of(*protocol.configuration.grid, *protocol.configuration.block)
    if launch is not None:
        found |= symbols_of(*(f.term for f in launch.facts))
        for argument in launch.arguments:
            found |= symbols_in(argument)
    return frozenset(s for s in found if s.name not in protocol.private)


def _report(
    kernel: Function, launch: LaunchSite | None, protocol: Protocol, result: Judgement, seconds: float
) -> LaunchReport:
    c = protocol.configuration
    free = f"<<<({', '.join(map(show, c.grid))}), ({', '.join(map(show, c.block))})>>>"
    return _launch_report(kernel, launch, free if launch is None else launch.configuration, result, seconds)


def _launch_report(
    kernel: Function, launch: LaunchSite | None, configuration: str, result: Judgement, seconds: float
) -> LaunchReport:
    return LaunchReport(
        kernel=kernel.ref.name,
        kernel_span=kernel.span,
        launch_span=None if launch is None else launch.span,
        configuration=configuration,
        outcome=result.outcome,
        findings=result.findings,
        open_pairs=result.open_pairs,
        assumptions=result.assumptions,
        notes=(),
        accesses=result.accesses,
        pairs=result.pairs,
        discharged=result.discharged,
        seconds=seconds,
        proofs=result.proofs,
    )


def roll_up(reports: Iterable[LaunchReport]) -> tuple[KernelReport, ...]:
    """Launches of a kernel (and its template instances) together."""
    by_kernel: dict[tuple[str, object], list[LaunchReport]] = {}
    for report in reports:
        by_kernel.setdefault((report.kernel, report.kernel_span), []).append(report)
    return tuple(
        KernelReport(
            group[0].kernel,
            group[0].kernel_span,
            _worst(group),
            tuple(group),
            merge_findings(group),
            merge_divergences(group),
        )
        for group in by_kernel.values()
    )


def _worst(group: list[LaunchReport]) -> Outcome:
    outcomes = {r.outcome for r in group}
    for outcome in (Outcome.RACE, Outcome.UNKNOWN):
        if outcome in outcomes:
            return outcome
    return Outcome.SAFE


def merge_findings(group: Iterable[LaunchReport]) -> tuple[Finding, ...]:
    """One finding a pair of sites and space: the gravest, with its levels over all launches."""
    merged: dict[object, Finding] = {}
    for report in group:
        for f in report.findings:
            ends = sorted((_end(f, first=True), _end(f, first=False)))
            key = (*ends, f.space)
            known = merged.get(key)
            if known is None:
                merged[key] = f
            else:
                levels = {*known.levels, *f.levels}
                ordered = tuple(level for level in type(f.levels[0]) if level in levels)
                merged[key] = replace(min(known, f, key=_lightness), levels=ordered)
    return tuple(merged.values())


def _lightness(finding: Finding) -> tuple[bool, int, bool]:
    """What tells findings of the same two sites at different launches apart: the least is the gravest.

    A condition that would exclude the race at one launch, or a value that is the same there, is no comfort at another.
    """
    return finding.same_value, _SURENESS.index(finding.confidence), finding.replay != CONFIRMED


def merge_divergences(group: Iterable[LaunchReport]) -> tuple[Divergence, ...]:
    """One finding a rule and barrier."""
    merged: dict[object, Divergence] = {}
    for report in group:
        for d in report.divergences:
            merged.setdefault((d.rule, d.span), d)
    return tuple(merged.values())


def _end(finding: Finding, *, first: bool) -> tuple[str, int, int, str, str]:
    site = finding.first if first else finding.second
    return (site.span.file, site.span.line, site.span.column, site.kind.value, site.scope)


__all__ = ["analyze", "merge_findings", "prepare", "roll_up", "var"]
