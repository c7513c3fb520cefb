"""Models of classes that hold one pointer: smart pointers, Thrust's device pointers, spans.

    std::unique_ptr<float, Free> p(a);
    kernel<<<grid, block>>>(p.get(), …);   // a

The value of such an object is the pointer that it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.containers.moves import is_moved
from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.library.object_makers import make_object, makes_object
from hgrd.host.library.reordered_pointers import REORDERING
from hgrd.host.linking.library_names import adds_elements, is_range_access, keeps_elements, of_container
from hgrd.program.expressions import Call
from hgrd.program.types import INT, ArrayType, OpaqueType, PointerType
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import NULL, OPAQUE, Choice, NullValue, Pointer, PointerValue, Value
from hgrd.terms import const, mul

_CLASSES: Final = (
    "std::unique_ptr", "std::shared_ptr", "std::weak_ptr", "std::span", "thrust::device_ptr", "thrust::pointer",
    "thrust::device_reference",
)  # fmt: skip
_GETTERS: Final = ("get", "operator->", "operator*", "data", "lock", "begin", "operator&")
_CASTS: Final = ("raw_pointer_cast", "device_pointer_cast")
_MOVED_FROM: Final = ("std::unique_ptr", "std::shared_ptr")


def is_exact(call: Call) -> bool:
    """Whether a model of the function says what pointers it stores."""
    function = call.function
    of_elements = of_container(function.qualified) and (adds_elements(function) or keeps_elements(function))
    named = function.name in REORDERING or is_range_access(function.qualified)
    return of_elements or named or holder_model(function.qualified) is not None


def gets_held(call: Call) -> bool:
    """Whether a function gets what a smart pointer or its like holds."""
    return holder_model(call.function.qualified) is _get


def given_on(call: Call, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments that functions among them may get: a deleter gets what its holder holds, and never the holder."""
    return arguments[1:] if holder_model(call.function.qualified) is not None else arguments


def holder_model(qualified: str) -> LibraryModel | None:
    """The model of a member function of a class that holds a pointer; None: it has no model."""
    owner, _, name = qualified.rpartition("::")
    if name in _CASTS:
        return _cast
    if makes_object(name):
        return make_object
    class_ = owner.partition("<")[0]
    if class_ not in _CLASSES:
        return None
    if class_.rpartition("::")[2] == name:
        return _construct
    return _get if name in _GETTERS else _METHODS.get(name)


def _pointer(value: Value) -> PointerValue | None:
    return value if isinstance(value, Pointer | NullValue | Choice) else None


def _held(call: LibraryCall, address: Value) -> PointerValue | None:
    """The pointer that the object at an address holds; None: it is not known."""
    held = _pointer(load(call.machine, call.state, address, OpaqueType("holder"), call.span))
    if held is not None or not isinstance(address, Pointer) or not _is_in_array(call, address):
        return held
    to = call.call.type if isinstance(call.call.type, PointerType) else PointerType(INT)
    return _pointer(load(call.machine, call.state, address, to, call.span))


def _is_in_array(call: LibraryCall, address: Pointer) -> bool:
    """Whether a holder is an element of an array, a vector or its like, which its place tells."""
    target = address.target
    return target.key in call.run.origins.elements or (isinstance(target.element, ArrayType) and not target.external)


def _hold(call: LibraryCall, address: Value, value: Value) -> None:
    call.store_at(address, value, PointerType(INT))


def _given(call: LibraryCall, index: int) -> PointerValue | None:
    """An argument as a pointer: itself, or what a holder that it refers to holds."""
    if index >= len(call.arguments):
        return None
    value = call.arguments[index]
    if _is_holder(call, index):
        return _held(call, value) if isinstance(call.type_of(index), PointerType) else _pointer(value)
    argument = call.argument(index)
    return None if argument is None else _pointer(argument)


def _is_holder(call: LibraryCall, index: int) -> bool:
    match call.type_of(index):
        case PointerType(to=OpaqueType(name=name)) | OpaqueType(name=name):
            return name.partition("<")[0] in _CLASSES
        case _:
            return False


def _construct(call: LibraryCall) -> Value | None:
    """From a pointer (and a deleter or a size), or from another holder, which loses it if it is moved."""
    if len(call.arguments) == 1:
        _hold(call, call.arguments[0], NULL)
        return NULL
    shares = _is_holder(call, 1) and len(call.arguments) == 3 and isinstance(call.arguments[2], Pointer)
    value = _given(call, 2 if shares else 1)
    if value is None:
        return None
    _take(call)
    _hold(call, call.arguments[0], value)
    return value


def _take(call: LibraryCall) -> None:
    """A holder that is moved from holds nothing."""
    owns = call.call.function.qualified.startswith(_MOVED_FROM)
    if owns and _is_holder(call, 1) and is_moved(call.call.arguments[1]):
        _hold(call, call.arguments[1], NULL)


def _assign(call: LibraryCall) -> Value | None:
    value = _given(call, 1)
    if value is None:
        return None
    _take(call)
    _hold(call, call.arguments[0], value)
    return call.arguments[0]


def _get(call: LibraryCall) -> Value | None:
    return _held(call, call.arguments[0])


def _reset(call: LibraryCall) -> Value | None:
    here, *given = call.arguments
    value = _given(call, 1) if given else NULL
    if value is None:
        return None
    _hold(call, here, value)
    return OPAQUE


def _release(call: LibraryCall) -> Value | None:
    value = _get(call)
    if value is not None:
        _hold(call, call.arguments[0], NULL)
    return value


def _swap(call: LibraryCall) -> Value | None:
    one, other = _get(call), _given(call, 1)
    if one is None or other is None:
        return None
    _hold(call, call.arguments[0], other)
    _hold(call, call.arguments[1], one)
    return OPAQUE


def _element(call: LibraryCall) -> Value | None:
    """`p[i]`, as the address of the element."""
    start, index = _get(call), call.number(1)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    return None if start is None or index is None or size is None else move(start, mul(index, const(size)))


def _cast(call: LibraryCall) -> Value | None:
    """raw_pointer_cast, device_pointer_cast."""
    return _given(call, 0)


_METHODS: Final[Mapping[str, LibraryModel]] = {
    "operator=": _assign,
    "reset": _reset,
    "release": _release,
    "swap": _swap,
    "operator[]": _element,
}
