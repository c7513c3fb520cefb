"""Chosen constructors: which one the library calls with what it is given (`emplace_back`, `make_unique`)."""

from __future__ import annotations

from hgrd.host.execution.library_call import LibraryCall
from hgrd.program.program import Function
from hgrd.program.types import IntType, PointerType, RecordType, Type, VoidType
from hgrd.symbolic.arithmetic import convert
from hgrd.symbolic.execution.constructors import constructors_of
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.values import Pointer, Value


def constructor_of(call: LibraryCall, made: RecordType, first: int) -> tuple[Function, tuple[Value, ...]] | None:
    """The only constructor that takes references to the arguments from `first` on, and these as it gets them; None:
    there is none, or more.
    """
    found: list[tuple[Function, tuple[Value, ...]]] = []
    for function in constructors_of(call.machine, made):
        arguments = _arguments(call, function, first)
        if arguments is not None:
            found.append((function, arguments))
    return found[0] if len(found) == 1 else None


def _arguments(call: LibraryCall, function: Function, first: int) -> tuple[Value, ...] | None:
    """The arguments of the call from `first` on as a constructor gets them; None: they are not its arguments."""
    given = list(zip(call.arguments, call.call.arguments, strict=True))[first:]
    parameters = function.parameters[1:]
    if function.variadic or len(given) != len(parameters):
        return None
    found = [_passed(call, v, e.type, p.type) for (v, e), p in zip(given, parameters, strict=True)]
    return None if None in found else tuple(v for v in found if v is not None)


def _passed(call: LibraryCall, value: Value, source: Type, target: Type) -> Value | None:
    """What a parameter of the type `target` holds that is given a reference to `source`; None: it takes none."""
    if not isinstance(source, PointerType) or not source.reference or isinstance(source.to, VoidType):
        return None
    if isinstance(target, PointerType) and target.reference:
        return value if isinstance(value, Pointer) and target.to == source.to else None
    numbers = isinstance(source.to, IntType) and isinstance(target, IntType)
    if source.to != target and not numbers:
        return None
    return convert(load(call.machine, call.state, value, source.to, call.span), source.to, target, explicit=False)
