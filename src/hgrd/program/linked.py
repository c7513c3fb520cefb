"""Linked programs: several translation units as one table of functions, records and globals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from hgrd.program.expressions import FunctionAddress
from hgrd.program.layout import keeps_alignment
from hgrd.program.program import Function, Global, Program, Side
from hgrd.program.types import Record
from hgrd.program.walk import nodes


class Tables(Struct, frozen=True, dict=True):
    """Functions, records and globals of all files, linked by key."""

    functions: Mapping[str, Function]
    records: Mapping[str, Record]
    globals: Mapping[str, Global]
    realigned: bool = False

    @cached_property
    def naturally_aligned(self) -> bool:
        """Whether all that a pointer of a type leads to has that type's alignment; computed at first use."""
        return not self.realigned and all(keeps_alignment(r, self.records) for r in self.records.values())

    @cached_property
    def function_numbers(self) -> Mapping[str, int]:
        """The device functions whose address the program takes, by key, numbered from 1; computed at first use."""
        taken = sorted(set(_addresses(self.functions.values(), self.globals.values())))
        return {key: i for i, key in enumerate(taken, 1)}


def link(programs: Sequence[Program]) -> Tables:
    """The tables of several units; functions with bodies win over declarations."""
    functions: dict[str, Function] = {}
    records: dict[str, Record] = {}
    globals_: dict[str, Global] = {}
    for program in programs:
        for key, function in program.functions.items():
            if key not in functions or (functions[key].body is None and function.body is not None):
                functions[key] = function
        records |= program.records
        globals_ |= program.globals
    return Tables(functions, records, globals_, any(program.realigned for program in programs))


def _addresses(functions: Iterable[Function], globals_: Iterable[Global]) -> Iterator[str]:
    """Keys of the device functions whose address is taken (a call by name takes none)."""
    known = {f.ref.key: f for f in functions}
    for root in (*(f.body for f in known.values()), *(g.initial for g in globals_)):
        for node in nodes(root):
            if isinstance(node, FunctionAddress) and not node.virtual:
                function = known.get(node.function.key)
                if function is not None and function.side in (Side.DEVICE, Side.BOTH):
                    yield function.ref.key
