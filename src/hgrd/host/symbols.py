"""Constant memory: what the host has put there when it launches a kernel.

A variable in constant memory has an object on the host that stands for it, under its own key.  It begins with what the
variable is declared with, and only copies to the symbol change it (CUDA Programming Guide, "Device Memory": the host
initialises constant memory by `cudaMemcpyToSymbol`; kernels do not write it).  A variable whose address the host gets
in any other way can be written behind our back: of those nothing is known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hgrd.program import expressions as ir
from hgrd.program.expressions import Storage, Variable
from hgrd.program.program import Function, Global, Program, Side
from hgrd.program.walk import nodes

_TO = ("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync")
_READING = {"cudaMemcpyFromSymbol": 1, "cudaMemcpyFromSymbolAsync": 1, "cudaGetSymbolSize": 1}
_BY_NAME = "GetGlobal"  # cuModuleGetGlobal, cudaLibraryGetGlobal: a variable's address by its name


@dataclass(frozen=True, slots=True)
class Constants:
    """The variables that can be followed, by key; `copied` are those that some copy writes."""

    variables: Mapping[str, Global]
    copied: frozenset[str]

    def begins(self, key: str, *, is_main: bool) -> ir.Expression | None:
        """What a variable is known to hold when an entry point of the host is entered."""
        return self.variables[key].initial if is_main or key not in self.copied else None


def followed(units: Iterable[Program]) -> Constants:
    """The variables of constant memory that programs which are linked together write by copies alone.

    One that several files define, each for itself, is left out: which of them a copy means, its name does not say.
    """
    defined: dict[str, Global] = {}
    count: Counter[str] = Counter()
    exposed: set[str] = set()
    copied: set[str] = set()
    everything = False
    for unit in units:
        for key, item in unit.globals.items():
            if item.variable.storage is Storage.CONSTANT and not item.external:
                defined[key] = item
                count[key] += 1
        for root in _on_the_host(unit):
            mentions, copies, by_name = _uses(root)
            exposed |= mentions
            copied |= copies
            everything = everything or by_name
    kept = {} if everything else {k: g for k, g in defined.items() if count[k] == 1 and k not in exposed}
    return Constants(kept, frozenset(copied))


def _on_the_host(unit: Program) -> Iterator[object]:
    """The bodies of host functions, and what variables of the host begin with.

    In functions of both sides, constant memory is what device code reads, unless they copy.
    """
    for function in unit.functions.values():
        if function.user_code and (function.side is Side.HOST or (function.side is Side.BOTH and _copies(function))):
            yield function.body
    for item in unit.globals.values():
        if item.variable.storage in (Storage.GLOBAL, Storage.STATIC):
            yield item.initial


def _copies(function: Function) -> bool:
    return any(isinstance(n, ir.Call) and ("Symbol" in n.function.name) for n in nodes(function.body))


def _uses(root: object) -> tuple[set[str], set[str], bool]:
    """The variables whose address goes anywhere but to a copy, those that are copied to, whether one is got by name."""
    allowed: set[int] = set()
    copied: set[str] = set()
    by_name = False
    for node in nodes(root):
        if isinstance(node, ir.Load) and isinstance(node.place, ir.VariablePlace):
            allowed.add(id(node.place))
        if not isinstance(node, ir.Call):
            continue
        name = re.sub("^hip", "cuda", node.function.name)
        by_name = by_name or _BY_NAME in name
        at = 0 if name in _TO else _READING.get(name)
        if at is None or at >= len(node.arguments):
            continue
        place = _symbol(node.arguments[at])
        if place is None:
            by_name = by_name or any(isinstance(n, ir.StringConst) for n in nodes(node.arguments[at]))
            continue
        allowed.add(id(place))
        if name in _TO:
            copied.add(place.variable.key)
    found = {n.variable.key for n in nodes(root) if isinstance(n, ir.VariablePlace) and id(n) not in allowed}
    return found, copied, by_name


def _symbol(argument: ir.Expression) -> ir.VariablePlace | None:
    """The variable that a symbol is: `v`, `&v`, with or without a cast."""
    match argument:
        case ir.Convert(operand=operand):
            return _symbol(operand)
        case ir.AddressOf(place=ir.VariablePlace() as place):
            return place
        case ir.AddressOf(place=ir.TemporaryPlace(value=value)):
            return _symbol(value)
        case _:
            return None


def used_by(kernel: str, functions: Mapping[str, Function]) -> dict[str, Variable]:
    """The variables of constant memory that a kernel, or what it calls, mentions; by key."""
    found: dict[str, Variable] = {}
    seen: set[str] = set()
    todo = [kernel]
    while todo:
        key = todo.pop()
        function = functions.get(key)
        if key in seen or function is None:
            continue
        seen.add(key)
        for node in nodes(function.body):
            match node:
                case ir.VariablePlace(variable=Variable(storage=Storage.CONSTANT) as variable):
                    found[variable.key] = variable
                case ir.Call(function=called) | ir.FunctionAddress(function=called):
                    todo.append(called.key)
                case ir.Construct(constructor=called) if called is not None:
                    todo.append(called.key)
                case _:
                    pass
    return found
