"""The printed forms of the stages, for `hgrd show`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, TypeAlias, cast

from hgrd.program.program import Program
from hgrd.races.options import AnalysisOptions

Printer: TypeAlias = Callable[[tuple[Program, ...], AnalysisOptions], str]

_PRINTERS: Final[Mapping[str, tuple[str, str]]] = {
    "facts": ("hgrd.host.printer", "print_facts"),
    "protocol": ("hgrd.protocol.printer", "print_protocol"),
    "phases": ("hgrd.protocol.printer", "print_phases"),
    "queries": ("hgrd.races.printer", "print_queries"),
}
STAGES: Final = ("program", *_PRINTERS)


def show(stage: str, programs: tuple[Program, ...], options: AnalysisOptions) -> str:
    """The printed form of a stage (one of STAGES) of the given programs, linked together."""
    if stage == "program":
        return _program(programs)
    module, name = _PRINTERS[stage]
    return cast(Printer, getattr(import_module(module), name))(programs, options)


def _program(programs: tuple[Program, ...]) -> str:
    from hgrd.program.printer import print_program

    return "\n".join(map(print_program, programs))
