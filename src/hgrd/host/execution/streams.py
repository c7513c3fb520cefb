"""Streams of work that library functions do: whether it is complete before later launches run, or when they return."""

from __future__ import annotations

from typing import Final

from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.library_names import ALGORITHMS, LIBC_NAMES
from hgrd.host.linking.stream_flags import ORDERING
from hgrd.program.types import BoolType, FloatType, FunctionType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.values import NullValue
from hgrd.terms import const

_PAUSES: Final = ("yield", "sleep_for", "sleep_until")  # time that passes orders nothing
_ELSEWHERE: Final = (
    "std::",
    "cub::",
    "dim3",
    "make_",
    "operator new",
    "operator delete",
    "__builtin_",
    "omp_get",
    "omp_in_parallel",
)
_LOOKING: Final = frozenset(  # of Thrust's vectors and pointers: only an element of a `device_vector` takes a copy
    (
        "data", "begin", "end", "cbegin", "cend", "size", "empty", "capacity", "get", "operator[]", "front", "back",
        "raw_pointer_cast", "raw_reference_cast", "device_pointer_cast",
    )
)  # fmt: skip
_NAMESPACES: Final = ("std", "std::ranges")


def done_before_launches(call: LibraryCall, stream: int) -> bool:
    """Whether a copy is complete before any later launch; `stream` is the index of its stream argument.

    A copy on a stream of its own is not ordered with launches on others, nor is one on the default stream with those on
    streams that do not wait for it (CUDA Runtime API, "API synchronization behavior", "Stream synchronization
    behavior").
    """
    if not call.name.endswith("Async"):
        return True
    if call.run.text.independent_streams:
        return False
    given = call.argument(stream)
    return given is None or given == const(0) or isinstance(given, NullValue)


def may_wait(call: LibraryCall, name: str) -> bool:
    """Whether a function that CUDA does not declare may wait for the device, or a thread that does; `name` is known."""
    return (_may_order(call.call.function.qualified, name) and not _is_algorithm(call)) or _calls_back(call)


def _may_order(qualified: str, name: str) -> bool:
    if name in _PAUSES or (name in _LOOKING and (qualified.startswith("thrust::") or name.endswith("_cast"))):
        return False
    return qualified.startswith(ORDERING) or not (qualified.startswith(_ELSEWHERE) or name in LIBC_NAMES)


def _is_algorithm(call: LibraryCall) -> bool:
    """Whether a call is one of an algorithm of the standard library that gets pointers and numbers, and no function."""
    types = [argument.type for argument in call.call.arguments]
    return call.call.function.qualified == call.name and call.name in ALGORITHMS and all(map(_is_element, types))


def _is_element(type_: Type) -> bool:
    match type_:
        case PointerType(to=to):
            return _is_element(to)
        case _:
            return isinstance(type_, IntType | FloatType | BoolType)


def _calls_back(call: LibraryCall) -> bool:
    """Whether a function of the standard library, no method, may call a function that it gets (or a functor's)."""
    if call.call.function.qualified.rpartition("::")[0] not in _NAMESPACES or call.name in LIBC_NAMES:
        return False
    return any(_is_callable(argument.type) for argument in call.call.arguments)


def _is_callable(type_: Type) -> bool:
    match type_:
        case PointerType(to=to):
            return _is_callable(to)
        case OpaqueType(name=name):
            return name.startswith(ORDERING)
        case _:
            return isinstance(type_, FunctionType | RecordType)
