"""Models of the runtime's functions that launch kernels; the concrete run follows them where it has a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cuda.streams import argument
from hgrd.host.concrete.state.launches import record_launch
from hgrd.host.concrete.state.memory import load
from hgrd.host.concrete.state.values import Callee, Pointer, StoppedError, Value
from hgrd.program.program import Function
from hgrd.program.types import RecordType, Type

_SUCCESS: Final = 0
_POINTER: Final = 8  # bytes


def _launched(call: LibraryCall) -> Value | None:
    """cudaLaunchKernel(kernel, grid, block, arguments, shared bytes, stream), and cudaLaunchCooperativeKernel."""
    kernel = kernel_of(call, call.value(0))
    given = arguments_at(call, kernel, call.pointer(3))
    shared = call.value(4) if len(call.arguments) > 4 else 0
    shape = call.value(1), call.value(2)
    record_launch(call.machine, kernel.ref, shape, shared, given, call.span, argument(call, 5))
    return _SUCCESS


def _with_configuration(call: LibraryCall) -> Value | None:
    """cudaLaunchKernelEx(&configuration, kernel, …)."""
    kernel = kernel_of(call, call.value(1))
    grid, block, shared, stream = (member(call, 0, n) for n in ("gridDim", "blockDim", "dynamicSmemBytes", "stream"))
    given = tuple(call.value(2 + index) for index in range(len(kernel.parameters)))
    if call.machine.queue is not None and member(call, 0, "numAttrs") != 0:
        call.machine.queue.doubt("attributes of a launch")
    record_launch(call.machine, kernel.ref, (grid, block), shared, given, call.span, stream)
    return _SUCCESS


def kernel_of(call: LibraryCall, address: Value) -> Function:
    """The kernel that is at an address; the run stops where it is not known, or nobody runs it."""
    found = call.machine.functions.get(address.function.key) if isinstance(address, Callee) else None
    if found is None or call.machine.device is None:
        raise StoppedError
    return found


def arguments_at(call: LibraryCall, kernel: Function, places: Pointer) -> tuple[Value, ...]:
    """The arguments of a kernel: those that the addresses from a place on lead to."""
    return tuple(_at(call, places, index, p.type) for index, p in enumerate(kernel.parameters))


def _at(call: LibraryCall, places: Pointer, index: int, type_: Type) -> Value:
    cell = None if places.offset is None else places.target.cells.get(places.offset + _POINTER * index)
    if cell is None or not isinstance(cell.value, Pointer):
        raise StoppedError
    return load(cell.value, type_, call.machine.records)


def member(call: LibraryCall, index: int, name: str) -> Value:
    """A member of the record that an argument leads to."""
    place, type_ = call.pointer(index), call.pointee(index)
    record = call.machine.records.get(type_.key) if isinstance(type_, RecordType) else None
    for found in () if record is None or place.offset is None else record.fields:
        if found.name == name:
            return load(Pointer(place.target, (place.offset or 0) + found.offset), found.type, call.machine.records)
    raise StoppedError


LAUNCHING: Final[Mapping[str, Model]] = {
    **dict.fromkeys(("cudaLaunchKernel", "cudaLaunchCooperativeKernel"), _launched),
    "cudaLaunchKernelEx": _with_configuration,
}
