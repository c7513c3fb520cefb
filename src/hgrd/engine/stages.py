"""Printed forms of the stages, for `hgrd show`; a stage imports only the modules that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from hgrd.findings.options import AnalysisOptions
from hgrd.program.linked import link
from hgrd.program.program import Program

if TYPE_CHECKING:  # inner imports in this file: a stage imports only the modules that it needs
    from hgrd.engine.analysis.launch_protocol import LaunchProtocol

Programs: TypeAlias = tuple[Program, ...]


def show(stage: str, programs: Programs, options: AnalysisOptions) -> str:
    """The printed form of a stage (a key of STAGES) of the given programs, linked together."""
    return "\n".join(STAGES[stage](programs, options))


def _program(programs: Programs, _options: AnalysisOptions) -> Iterator[str]:
    from hgrd.program.printer import print_program

    return map(print_program, programs)


def _cfg(programs: Programs, _options: AnalysisOptions) -> Iterator[str]:
    from hgrd.program.control_flow.printer import print_graphs

    return map(print_graphs, programs)


def _facts(programs: Programs, options: AnalysisOptions) -> Iterator[str]:
    from hgrd.host.launches.ablation import without
    from hgrd.host.printer import print_facts
    from hgrd.host.run import run_host

    run = run_host(programs, asserts=options.asserts, wants=options.wants)
    names = {key: [p.name for p in f.parameters] for program in programs for key, f in program.functions.items()}
    launches = (without(site, options.without, names.get(site.kernel.key, ())) for site in run.launches)
    yield print_facts(replace(run, launches=tuple(launches)))


def _protocol(programs: Programs, options: AnalysisOptions) -> Iterator[str]:
    from hgrd.protocol.printer import print_protocol

    return (print_protocol(found.protocol) for found in _protocols(programs, options))


def _aligned(programs: Programs, options: AnalysisOptions) -> Iterator[str]:
    from hgrd.protocol.phases.aligned import print_aligned

    return (print_aligned(found.protocol) for found in _protocols(programs, options))


def _phases(programs: Programs, options: AnalysisOptions) -> Iterator[str]:
    from hgrd.races.pairs.printer import print_phases

    return (print_phases(found.protocol, options) for found in _protocols(programs, options))


def _queries(programs: Programs, options: AnalysisOptions) -> Iterator[str]:
    from hgrd.races.pairs.printer import print_queries

    return (print_queries(found.protocol, found.facts, options) for found in _protocols(programs, options))


STAGES: Final[Mapping[str, Callable[[Programs, AnalysisOptions], Iterator[str]]]] = {
    "program": _program,
    "cfg": _cfg,
    "facts": _facts,
    "protocol": _protocol,
    "aligned": _aligned,
    "phases": _phases,
    "queries": _queries,
}


def _protocols(programs: Programs, options: AnalysisOptions) -> Iterator[LaunchProtocol]:
    """Protocols of all kernels, at each of their launches or, without one, at any, with the facts that hold there."""
    from hgrd.engine.analysis.kernels import kernels_at_launches
    from hgrd.engine.analysis.launch_protocol import infer_at_launch
    from hgrd.host.run import run_host

    tables = link(programs)
    host = run_host(programs, asserts=options.asserts, wants=options.wants)
    for found in kernels_at_launches(programs, host, options):
        for launch in found.launches:
            yield infer_at_launch(tables, found.kernel, launch, options)
