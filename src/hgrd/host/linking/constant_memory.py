"""Constant memory: which variables only explicit copies of the host write.

A variable in constant memory has an object on the host that stands for it, under its own key.  It begins with its
declared value, and only copies to the symbol change it (CUDA Programming Guide, "Device Memory": the host initialises
constant memory by `cudaMemcpyToSymbol`; kernels do not write it).  The contents are unknown of a variable whose
address the host gets in any other way, and of one that is copied to by code without a visible call: initial values of
globals, destructors, callbacks of a library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.library_names import is_special
from hgrd.program import expressions as ir
from hgrd.program.analysis.constant_variables import BY_NAME
from hgrd.program.expressions import Storage, Variable
from hgrd.program.program import Function, Global, Program, Side
from hgrd.program.walk import nodes

_TO = ("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync")
_READING = {"cudaMemcpyFromSymbol": 1, "cudaMemcpyFromSymbolAsync": 1, "cudaGetSymbolSize": 1}


class Constants(Struct, frozen=True):
    """`variables` are those that can be followed, by key; `copied` are the keys of those that some copy writes.

    `open` are those of them that unknown code may have copied to, by calling a function other than `main`.
    `single` are the keys of variables in global memory that one file alone defines.
    """

    variables: Mapping[str, Global]
    copied: frozenset[str]
    open: frozenset[str]
    single: frozenset[str] = frozenset()

    def begins(self, key: str, *, is_main: bool) -> ir.Expression | None:
        """The value of a variable when an entry point of the host is entered; None: unknown."""
        return self.variables[key].initial if is_main or key not in self.copied else None


def followed(units: Iterable[Program]) -> Constants:
    """The variables of constant memory that linked programs write by copies alone.

    A variable that several files define is left out: a copy does not say which of them it means.
    """
    programs = tuple(units)
    everywhere = [(key, item) for unit in programs for key, item in unit.globals.items()]
    constant = [(k, g) for k, g in everywhere if g.variable.storage is Storage.CONSTANT and not g.external]
    others = Counter(k for k, g in everywhere if g.variable.storage is Storage.DEVICE)
    single = frozenset(key for key, times in others.items() if times == 1)
    if not constant:
        return Constants({}, frozenset(), frozenset(), single)
    defined, count = dict(constant), Counter(key for key, _ in constant)
    exposed = _behind_the_scenes(programs)
    copied: set[str] = set()
    open_: set[str] = set()
    everything = False
    for unit in programs:
        for function, root in _on_the_host(unit):
            mentions, copies, by_name = _uses(root)
            exposed |= mentions
            copied |= copies
            open_ |= copies if function != "main" else frozenset()
            everything = everything or by_name
    kept = {} if everything else {k: g for k, g in defined.items() if count[k] == 1 and k not in exposed}
    return Constants(kept, frozenset(copied), frozenset(open_), single)


def _behind_the_scenes(units: Iterable[Program]) -> set[str]:
    """The variables that are copied to in functions without visible calls, or in what those call.

    Such are destructors, initial values of globals, and what a library may call: constructors, operators (lambdas among
    them), and functions whose address is taken.
    """
    below: dict[str, set[str]] = {}
    copies: dict[str, set[str]] = {}
    hidden: set[str] = set()
    for unit in units:
        for function in unit.functions.values():
            if function.side in (Side.HOST, Side.BOTH) and function.body is not None:
                key = function.ref.key
                below.setdefault(key, set()).update(_mentioned(function.body))
                copies.setdefault(key, set()).update(_uses(function.body)[1])
                hidden |= _taken(function.body)
                if is_special(function.ref):
                    hidden.add(key)
        for item in unit.globals.values():
            hidden |= _mentioned(item.initial)
    found: set[str] = set()
    seen: set[str] = set()
    while hidden:
        key = hidden.pop()
        seen.add(key)
        found |= copies.get(key, set())
        hidden |= below.get(key, set()) - seen
    return found


def _mentioned(root: object) -> set[str]:
    """The keys of functions that are called, or whose address is taken."""
    found: set[str] = set()
    for node in nodes(root):
        match node:
            case ir.Call(function=called) | ir.FunctionAddress(function=called):
                found.add(called.key)
            case ir.Construct(constructor=called) if called is not None:
                found.add(called.key)
            case _:
                pass
    return found


def _taken(root: object) -> set[str]:
    return {n.function.key for n in nodes(root) if isinstance(n, ir.FunctionAddress) and not n.virtual}


def _on_the_host(unit: Program) -> Iterator[tuple[str, object]]:
    """The bodies of host functions and the initial values of globals, each with the key of the function ("": none).

    Functions for host and device count as device code, which reads constant memory, unless they copy to symbols.
    """
    for function in unit.functions.values():
        if function.user_code and (function.side is Side.HOST or (function.side is Side.BOTH and _copies(function))):
            yield function.ref.key, function.body
    for item in unit.globals.values():
        if item.variable.storage in (Storage.GLOBAL, Storage.STATIC):
            yield "", item.initial


def _copies(function: Function) -> bool:
    return any(isinstance(n, ir.Call) and ("Symbol" in n.function.name) for n in nodes(function.body))


def _uses(root: object) -> tuple[set[str], set[str], bool]:
    """Keys of variables whose address is used otherwise than in copies, keys of those copied to, any access by name."""
    allowed: set[int] = set()
    copied: set[str] = set()
    by_name = False
    for node in nodes(root):
        if isinstance(node, ir.Load) and isinstance(node.place, ir.VariablePlace):
            allowed.add(id(node.place))
        if not isinstance(node, ir.Call):
            continue
        name = cuda_name(node.function.name)
        by_name = by_name or BY_NAME in name
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
    """The variable that a symbol argument means: `v` or `&v`, with or without a cast."""
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
    """The variables of constant memory that a kernel, or what it calls, uses; by key."""
    found: dict[str, Variable] = {}
    for function in run_by(kernel, functions):
        for node in nodes(function.body):
            match node:
                case ir.VariablePlace(variable=Variable(storage=Storage.CONSTANT) as variable):
                    found[variable.key] = variable
                case _:
                    pass
    return found


def run_by(kernel: str, functions: Mapping[str, Function]) -> Iterator[Function]:
    """The functions with bodies that a kernel runs: itself, and what it calls."""
    seen: set[str] = set()
    todo = [kernel]
    while todo:
        key = todo.pop()
        function = functions.get(key)
        if key in seen or function is None:
            continue
        seen.add(key)
        todo += _mentioned(function.body)
        yield function
