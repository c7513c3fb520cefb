"""Models of objects that stand for an element of a container: of `std::vector<bool>`, of device memory by Thrust."""

from __future__ import annotations

from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.memory import forget, load
from hgrd.host.concrete.state.values import UNKNOWN, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import PointerType

_REFERENCES: Final = ("std::__bit_reference", "std::_Bit_reference", "thrust::device_reference")


def reference_model(function: FunctionRef) -> Model | None:
    """The model of a member of such a class; None: of another one."""
    owner, _, name = function.qualified.rpartition("::")
    if owner not in _REFERENCES:
        return None
    return _assigned_reference if name == "operator=" else _read_reference


def _read_reference(call: LibraryCall) -> Value | None:
    """The element that a reference object stands for."""
    held = load(call.pointer(0), call.pointee(0) or call.returns, call.machine.records)
    return load(held, call.returns, call.machine.records) if isinstance(held, Pointer) else UNKNOWN


def _assigned_reference(call: LibraryCall) -> Value | None:
    held = load(call.pointer(0), call.pointee(0) or call.returns, call.machine.records)
    type_ = call.types[1]
    if not isinstance(held, Pointer):
        raise StoppedError
    if isinstance(type_, PointerType):
        forget(held.target)
    else:
        call.store(held, call.value(1), type_)
    return call.arguments[0]
