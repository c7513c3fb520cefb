"""Textures and surfaces on the host: which memory a texture or surface object, or reference, stands for.

    resource.res.linear.devPtr = a;
    cudaCreateTextureObject(&t, &resource, &description, nullptr);  // `t` fetches from `a`

A handle that is not known (of an array, at an unknown place) may be that of any object that the program makes.
"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.memory.pointers_in_values import pointers_in
from hgrd.host.memory.unknowns import direct_targets, forget_targets
from hgrd.host.model import BoundMemory, MadeSurface
from hgrd.program.types import IntType
from hgrd.symbolic.state import EMPTY
from hgrd.symbolic.values import Pointer, Value
from hgrd.terms import Op, Origin, Term, const

_HANDLE = IntType(64, signed=False)
_SUCCESS = const(0)


def create_object(call: LibraryCall) -> Value | None:
    """cudaCreateTextureObject(&object, &resource, …), cudaCreateSurfaceObject(&object, &resource)."""
    memory = tuple(_in_description(call, call.argument(1)))
    call.run.provenance.objects.record_computed(direct_targets(call.arguments[:1]), call.span)
    handle = call.machine.unknown(call.receiver(0)[0], _HANDLE, Origin.INPUT)
    call.store_at(call.arguments[0], handle, _HANDLE)
    of_kind = call.run.surfaces if call.name == "cudaCreateSurfaceObject" else call.run.textures
    made = of_kind.setdefault((call.span, *(frame.call_site for frame in call.machine.frames)), [])
    own = all(_is_own(call, place.target.key) for place in memory)
    known = tuple(place for place in memory if "~" not in place.target.key)
    made.append(MadeSurface(known, own, followed=not call.machine.speculative))
    if isinstance(handle, Term) and handle.op is Op.VAR:
        call.run.bound[handle.symbol.name] = BoundMemory(handle, memory)
    return _SUCCESS


def _in_description(call: LibraryCall, resource: Value | None) -> Iterator[Pointer]:
    """The pointers in a description of a resource: members of a union, of which the last one set may be any."""
    for place in () if resource is None else pointers_in(resource):
        for cell in call.state.store.get(place.target.key, EMPTY).cells.values():
            yield from pointers_in(cell.value)


def _is_own(call: LibraryCall, key: str) -> bool:
    """Whether an object is another one in each iteration of the loops around."""
    loaded, index = call.run.origins.loaded.get(key), call.machine.names.index
    loops = [loop.binder for loop in call.run.trace.inside]
    if loaded is not None:
        return all(binder in loaded.offset.symbols for binder in loops)
    return all(index.get(key, -1) > index.get(binder.name, -1) for binder in loops)


def bind_reference(at: int) -> LibraryModel:
    """The model of a function that binds a reference, its argument `at`, to the memory of the next argument."""

    def model(call: LibraryCall) -> Value | None:
        reference = call.arguments[at] if at < len(call.arguments) else None
        memory = call.argument(at + 1)
        forget_targets(call.state, call.arguments[:at], deep=False)
        if isinstance(reference, Pointer) and memory is not None:
            key = reference.target.key
            call.run.bound[key] = BoundMemory(key, tuple(pointers_in(memory)))
        return _SUCCESS

    return model
