"""std::make_unique, std::make_shared and std::allocate_shared: they make an object, and a holder of its address.

    auto layout = std::make_unique<Padded>(80);   // new Padded(80)

Arguments come as references to what the constructor gets (C++ [unique.ptr.create], [util.smartptr.shared.create]).
"""

from __future__ import annotations

from typing import Final

from hgrd.host.execution.library_call import LibraryCall
from hgrd.program.program import Function
from hgrd.program.types import IntType, OpaqueType, PointerType, RecordType, Type, VoidType
from hgrd.symbolic.arithmetic import convert
from hgrd.symbolic.execution.calls import may_enter, run
from hgrd.symbolic.execution.constructors import constructors_of
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import Generation, Region
from hgrd.symbolic.values import MemorySpace, Pointer, Value

_MAKING: Final = ("make_unique", "make_shared", "allocate_shared")
_BESIDES: Final = {"allocate_shared": 1}  # the allocator comes first
_NUMBERS: Final = frozenset(("int", "unsigned int", "long", "unsigned long", "float", "double", "char", "bool"))


def makes_object(name: str) -> bool:
    """Whether a function of the C++ library makes an object, and a smart pointer to it."""
    return name in _MAKING


def make_object(call: LibraryCall) -> Value | None:
    """The address of the new object, after its constructor ran.

    What the object holds is a value that the program has computed, where it is not known which.
    """
    name = call.run.result_names.of(call.machine, call.span) or call.name
    made = _class_made(call)
    pointer = call.allocate(name, made, MemorySpace.HOST, None, exact=made is not None)
    zeroed = _held(call.call.type).removesuffix("[]") in _NUMBERS and _held(call.call.type).endswith("[]")
    call.state.store[pointer.target.key] = Region({}, Generation(by_loop=True), zeroed, undefined=not zeroed)
    constructor = None if made is None else _constructor(call, made)
    if constructor is not None:
        function, arguments = constructor
        if may_enter(call.machine, function, (pointer, *arguments)):
            run(call.machine, call.state, function, (pointer, *arguments), call.span)
    return pointer


def _held(holder: Type) -> str:
    """What a holder points to, as its name says: `float[]` of `std::unique_ptr<float[]>`."""
    return holder.name.partition("<")[2].removesuffix(">") if isinstance(holder, OpaqueType) else ""


def _class_made(call: LibraryCall) -> RecordType | None:
    """The class of the new object; None: it is of no class of the program."""
    key = _held(call.call.type)
    return RecordType(key) if key in call.machine.records else None


def _constructor(call: LibraryCall, made: RecordType) -> tuple[Function, tuple[Value, ...]] | None:
    """The only constructor that takes the arguments, and these as it gets them; None: there is none, or more."""
    found: list[tuple[Function, tuple[Value, ...]]] = []
    for function in constructors_of(call.machine, made):
        arguments = _arguments(call, function)
        if arguments is not None:
            found.append((function, arguments))
    return found[0] if len(found) == 1 else None


def _arguments(call: LibraryCall, function: Function) -> tuple[Value, ...] | None:
    """The arguments of the call as a constructor gets them; None: they are not its arguments."""
    first = _BESIDES.get(call.name, 0)
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
