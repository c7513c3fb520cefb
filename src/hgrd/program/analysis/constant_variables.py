"""Variables on the device that nothing changes: they hold what they are declared with, as constant memory does.

    __device__ int offsets[] = {0, 1, 1};      // read by kernels, and written by nobody

Kernels name such a variable, and so do copies of the host to it (CUDA Programming Guide, "Variable Memory Space
Specifiers").  Where all of a program is there, it is seen whether one does more than read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    Call,
    Deref,
    FieldPlace,
    Load,
    Place,
    PointerAdd,
    Storage,
    Variable,
    VariablePlace,
)
from hgrd.program.program import Function, Program, Side
from hgrd.program.statements import Assembly, UnsupportedStatement
from hgrd.program.walk import directly_in, nodes, rebuilt

BY_NAME = "GetGlobal"  # cuModuleGetGlobal, cudaLibraryGetGlobal: a variable's address by its name
_NAMES_NOTHING = frozenset(  # instructions of PTX on registers and lanes alone
    (
        "", "activemask", "add", "bar", "barrier", "bfe", "bfi", "brkpt", "clz", "exit", "fence", "fma", "lop3",
        "mad", "match", "max", "membar", "min", "mul", "nanosleep", "popc", "prmt", "redux", "shf", "shfl", "sub",
        "trap", "vote", "xor",
    )
)  # fmt: skip


def with_constant_variables(programs: tuple[Program, ...]) -> tuple[Program, ...]:
    """The programs with variables on the device that nothing changes in constant memory."""
    declared = _declared(programs)
    if not declared:
        return programs
    constant = declared.keys() - _changed(programs, declared)
    return tuple(_moved(p, {key: declared[key] for key in constant}) for p in programs) if constant else programs


def _declared(programs: Iterable[Program]) -> Mapping[str, Variable]:
    """The variables on the device with initial values; none where not all of the program is there and understood."""
    units = tuple(programs)
    main = any("main" in u.functions and u.functions["main"].body is not None for u in units)
    if not main or any(d.error for u in units for d in u.diagnostics):
        return {}
    found = [(key, g) for u in units for key, g in u.globals.items() if g.variable.storage is Storage.DEVICE]
    keys = [key for key, _ in found]
    return {key: g.variable for key, g in found if g.initial is not None and not g.external and keys.count(key) == 1}


def _changed(programs: Iterable[Program], declared: Mapping[str, Variable]) -> set[str]:
    """The keys of `declared` variables that may be changed, or read from elsewhere."""
    found: set[str] = set()
    for unit in programs:
        for function in unit.functions.values():
            if function.body is not None:
                found.update(_in_function(function, declared))
        for item in unit.globals.values():
            found.update(_not_read(item.initial))
    return found


def _in_function(function: Function, declared: Mapping[str, Variable]) -> Iterator[str]:
    for node in nodes(function.body):
        match node:
            case VariablePlace(variable=variable) if function.side is Side.HOST:
                yield variable.key
            case Call(function=called) if BY_NAME in called.name:
                yield from declared
            case UnsupportedStatement():
                yield from declared
            case Assembly(template=template) if template.partition(".")[0] not in _NAMES_NOTHING:  # it may name them
                yield from declared
            case _:
                pass
    yield from _not_read(function.body)


def _not_read(node: object) -> Iterator[str]:
    """The variables in code that are not just read there."""
    match node:
        case Load(place=place, volatile=False):
            yield from _not_read_at(place)
        case VariablePlace(variable=variable):
            yield variable.key
        case _:
            for part in directly_in(node):
                yield from _not_read(part)


def _not_read_at(place: Place) -> Iterator[str]:
    """The variables in a place that is read, but for the one whose element or member it is."""
    match place:
        case VariablePlace():
            pass
        case FieldPlace(base=base):
            yield from _not_read_at(base)
        case Deref(pointer=PointerAdd(pointer=AddressOf(place=array), index=index)):
            yield from _not_read_at(array)
            yield from _not_read(index)
        case _:
            yield from _not_read(place)


def _moved(unit: Program, constant: Mapping[str, Variable]) -> Program:
    moved = {key: replace(variable, storage=Storage.CONSTANT) for key, variable in constant.items()}

    def change(node: object) -> object:
        match node:
            case VariablePlace(variable=Variable(key=key), span=span) if key in moved:
                return VariablePlace(moved[key], span)
            case _:
                return node

    functions = {
        key: replace(f, body=rebuilt(f.body, change)) if _names(f, moved) else f for key, f in unit.functions.items()
    }
    globals_ = {key: replace(g, variable=moved[key]) if key in moved else g for key, g in unit.globals.items()}
    return replace(unit, functions=functions, globals=globals_)


def _names(function: Function, moved: Mapping[str, Variable]) -> bool:
    places = (n for n in nodes(function.body) if isinstance(n, VariablePlace))
    return function.body is not None and any(p.variable.key in moved for p in places)
