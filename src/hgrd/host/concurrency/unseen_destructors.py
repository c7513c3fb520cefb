"""Unseen destructors: those that the library runs, for what its objects hold, and the deleters that it calls.

No run of the host code follows them.  Where they only give back memory, streams and the like, nothing that a run knows
changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final

from msgspec import Struct

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.kernel_accesses import member_of
from hgrd.host.linking.kernel_effects import is_in_destroyed
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import Field, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

_RELEASING: Final = frozenset(
    {
        "cudaFree", "cudaFreeHost", "cudaFreeAsync", "cudaStreamDestroy", "cudaEventDestroy", "cudaGraphDestroy",
        "cudaGraphExecDestroy", "cudaHostUnregister", "cudaStreamSynchronize", "cudaDeviceSynchronize",
        "cudaEventSynchronize", "cudaGetErrorString", "cudaGetErrorName", "cudaGetLastError", "free",
        "operator delete", "operator delete[]", "printf", "fprintf", "fputs", "puts", "abort", "exit", "terminate",
        "perror", "operator<<", "__assert_fail", "cudaDestroyTextureObject", "cudaDestroySurfaceObject",
    }
)  # fmt: skip
OWNING: Final = ("std::unique_ptr::", "std::shared_ptr::")
"""Whose members get deleters."""
_LOCAL: Final = (ir.Storage.LOCAL, ir.Storage.PARAMETER)
_LOOKING: Final = frozenset(
    {
        "begin", "end", "size", "empty", "front", "back", "data", "get", "c_str", "what", "move", "forward",
        "operator*", "operator->", "operator!=", "operator==", "operator++", "operator[]", "operator bool",
        "operator<<",
    }
)  # fmt: skip


def destroys_unseen(functions: Mapping[str, Function]) -> bool:
    """Whether the library may destroy, or delete, objects by code that does more than give back what they hold."""
    hosts = [f for f in functions.values() if f.user_code and f.body is not None]
    unseen = {f.ref.name[1:] for f in hosts if f.ref.name.startswith("~") and _does_more(run_by(f.ref.key, functions))}
    functors = [f for f in hosts if f.ref.name == "operator()" and _does_more(run_by(f.ref.key, functions))]
    unseen |= {_owner(f) for f in functors}
    names = {name for f in hosts for name in _names_of_library_types(f)} if unseen else set[str]()
    held = any(re.search(rf"\b{re.escape(owner)}\b(?!::)", name) for owner in unseen if owner for name in names)
    keys = {key for f in functors if (key := _record_of_member(f))}
    return held or any(_is_given(node, keys) for f in hosts if keys for node in nodes(f.body))


class UnseenStores(Struct, frozen=True):
    """What code that the library may run for what it destroys stores outside that.

    `variables` are the keys of variables that it changes, `pointer` is the place of one that it stores.
    """

    variables: frozenset[str] = frozenset()
    pointer: Span | None = None


def unseen_stores(functions: Mapping[str, Function]) -> UnseenStores:
    """The stores of all destructors and deleters, any of which the library may run."""
    hosts = [f for f in functions.values() if f.user_code and f.body is not None]
    roots = [f for f in hosts if f.ref.name.startswith("~") or f.ref.name == "operator()"]
    below = {f.ref.key: f for root in roots for f in run_by(root.ref.key, functions) if f.user_code}
    changes = [n for f in below.values() for n in nodes(f.body) if isinstance(n, ir.Assign | ir.Update)]
    outside = [n for n in changes if _is_outside(n.place)]
    named = (member_of(n.place) for n in outside)
    pointers = (n.span for n in outside if isinstance(n.type, PointerType))
    return UnseenStores(frozenset(m[0].key for m in named if m is not None), next(pointers, None))


def gives_back(record: str, functions: Mapping[str, Function]) -> bool:
    """Whether a deleter, by the key of its record, does nothing but give back what it gets."""
    called = [f for f in functions.values() if f.ref.name == "operator()" and _record_of_member(f) == record]
    return bool(called) and not any(_does_more(run_by(f.ref.key, functions)) for f in called)


def _record_of_member(function: Function) -> str:
    return _record_of(function.parameters[0].type) if function.parameters else ""


def _is_given(node: object, functors: Set[str]) -> bool:
    """Whether a smart pointer gets a deleter that does more, as far as its type tells."""
    match node:
        case ir.Call(function=function, arguments=arguments):
            called = function
        case ir.Construct(constructor=ir.FunctionRef() as called, arguments=arguments):
            pass
        case _:
            return False
    if not called.qualified.startswith(OWNING):
        return False
    types = [a.type.to if isinstance(a.type, PointerType) else a.type for a in arguments]
    return any(
        t.key in functors if isinstance(t, RecordType) else isinstance(t, OpaqueType) and "function<" in t.name
        for t in types[1:]
    )


def _record_of(type_: Type) -> str:
    """The key of the record that a type leads to; "" of other types."""
    return type_.to.key if isinstance(type_, PointerType) and isinstance(type_.to, RecordType) else ""


def _owner(function: Function) -> str:
    """The name of the class that a member is of."""
    return function.ref.qualified.rpartition("::")[0].rpartition("::")[2]


def _does_more(functions: Iterable[Function]) -> bool:
    """Whether functions do anything but give back what there is, and say so."""
    return any(_changes(node) for f in functions if f.user_code for node in nodes(f.body))


def _changes(node: object) -> bool:
    match node:
        case ir.Call(function=function) if not function.user_code:
            looks = function.qualified.startswith(("std::", "__gnu_cxx::")) and function.name in _LOOKING
            return not looks and cuda_name(function.name) not in _RELEASING
        case ir.Launch() | ir.IndirectCall() | ir.Throw() | ir.Unsupported() | st.UnsupportedStatement():
            return True
        case ir.Assign(place=place) | ir.Update(place=place):
            return _is_outside(place)
        case _:
            return False


def _is_outside(place: ir.Place) -> bool:
    """Whether a place is outside what is destroyed, and the variables of its destructor."""
    stored = member_of(place)
    return not (is_in_destroyed(place) if stored is None else stored[0].storage in _LOCAL)


def _names_of_library_types(function: Function) -> Iterator[str]:
    for variable in (*function.parameters, *(n.variable for n in nodes(function.body) if isinstance(n, st.Declare))):
        yield from _names(variable.type)
    for node in nodes(function.body):
        match node:
            case ir.Construct(type=type_) | ir.FieldPlace(field=Field(type=type_)):
                yield from _names(type_)
            case ir.Call(type=type_, arguments=arguments):
                yield from _names(type_)
                for argument in arguments:
                    yield from _names(argument.type)
            case _:
                pass


def _names(type_: Type) -> Iterator[str]:
    match type_:
        case PointerType(to=to):
            yield from _names(to)
        case OpaqueType(name=name):
            yield name
        case _:
            pass
