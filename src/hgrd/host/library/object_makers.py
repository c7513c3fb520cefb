"""std::make_unique, std::make_shared and std::allocate_shared: they make an object, and a holder of its address.

    auto layout = std::make_unique<Padded>(80);   // new Padded(80)

Arguments come as references to what the constructor gets (C++ [unique.ptr.create], [util.smartptr.shared.create]).
"""

from __future__ import annotations

from typing import Final

from hgrd.host.containers.chosen_constructors import constructor_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.program.types import OpaqueType, RecordType, Type
from hgrd.symbolic.execution.calls import may_enter, run
from hgrd.symbolic.execution.construction import construct_each
from hgrd.symbolic.execution.constructors import construct_by, default_constructor
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
    _make_row(call, pointer)
    constructor = None if made is None else constructor_of(call, made, _BESIDES.get(call.name, 0))
    if constructor is not None:
        function, arguments = constructor
        if may_enter(call.machine, function, (pointer, *arguments)):
            run(call.machine, call.state, function, (pointer, *arguments), call.span)
    return pointer


def _make_row(call: LibraryCall, first: Pointer) -> None:
    """The elements of a new array of objects, after their constructor ran."""
    held = _held(call.call.type)
    type_ = RecordType(held.removesuffix("[]"))
    constructor = default_constructor(call.machine, type_) if held.endswith("[]") else None
    count = call.number(_BESIDES.get(call.name, 0)) if constructor is not None else None
    if constructor is not None and count is not None and may_enter(call.machine, constructor, ()):
        construct_each(call.machine, call.state, construct_by(constructor, type_, call.span), first, count)


def _held(holder: Type) -> str:
    """What a holder points to, as its name says: `float[]` of `std::unique_ptr<float[]>`."""
    return holder.name.partition("<")[2].removesuffix(">") if isinstance(holder, OpaqueType) else ""


def _class_made(call: LibraryCall) -> RecordType | None:
    """The class of the new object; None: it is of no class of the program."""
    key = _held(call.call.type)
    return RecordType(key) if key in call.machine.records else None
