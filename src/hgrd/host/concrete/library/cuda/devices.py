"""Models of the functions that ask for what a device is like; a run with a queue has a plausible device.

It is one of compute capability 9.0 with few multiprocessors, so that launches as large as the device stay small
(Programming Guide, "Compute Capabilities").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.memory import forget
from hgrd.host.concrete.state.values import Pointer, Value
from hgrd.program.types import INT, OpaqueType, RecordType

_SUCCESS: Final = 0
_PROPERTIES: Final[Mapping[str, int]] = {
    "multiProcessorCount": 8, "warpSize": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiProcessor": 2048,
    "sharedMemPerBlock": 49152, "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472,
    "regsPerBlock": 65536, "major": 9, "minor": 0, "managedMemory": 1,
    "concurrentManagedAccess": 1, "cooperativeLaunch": 1, "unifiedAddressing": 1, "canMapHostMemory": 1,
    "asyncEngineCount": 3, "concurrentKernels": 1,
}  # fmt: skip
_ATTRIBUTES: Final[Mapping[int, int]] = {
    1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2147483647, 6: 65535, 7: 65535, 8: 49152, 10: 32, 12: 65536, 15: 1, 16: 8,
    19: 1, 31: 1, 39: 2048, 40: 3, 41: 1, 75: 9, 76: 0, 81: 233472, 83: 1, 89: 1, 95: 1, 97: 232448, 115: 1, 120: 1,
}  # fmt: skip
"""The values of cudaDeviceAttr by number (driver_types.h): 16 is the number of multiprocessors."""
_BLOCKS: Final = 2  # of a kernel on a multiprocessor at a time


def _attribute(call: LibraryCall) -> Value | None:
    """cudaDeviceGetAttribute(&value, attribute, device)."""
    attribute = call.number(1)
    value = None if attribute is None else _ATTRIBUTES.get(attribute)
    return _give(call, value)


def _count(call: LibraryCall) -> Value | None:
    """cudaGetDeviceCount(&count)."""
    return _give(call, 1)


def _current(call: LibraryCall) -> Value | None:
    """cudaGetDevice(&device)."""
    return _give(call, 0)


def _blocks(call: LibraryCall) -> Value | None:
    """cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, …)."""
    return _give(call, _BLOCKS)


def _give(call: LibraryCall, value: int | None) -> Value | None:
    place = call.pointer(0)
    if value is None or call.machine.queue is None:
        forget(place.target)
    else:
        if call.function.name != "cudaGetDevice":
            call.machine.queue.doubt("what the device is like")
        call.store(place, value, call.pointee(0) or INT)
    return _SUCCESS


def _properties(call: LibraryCall) -> Value | None:
    """cudaGetDeviceProperties(&properties, device)."""
    type_ = call.pointee(0)
    place = call.pointer(0)
    forget(place.target)
    key = type_.key if isinstance(type_, RecordType) else type_.name if isinstance(type_, OpaqueType) else ""
    record = call.machine.records.get(key)
    if record is None or place.offset is None or call.machine.queue is None:
        return _SUCCESS
    call.machine.queue.doubt("what the device is like")
    for member in record.fields:
        if member.name in _PROPERTIES:
            at = Pointer(place.target, place.offset + member.offset)
            call.store(at, _PROPERTIES[member.name], member.type)
    return _SUCCESS


DEVICES: Final[Mapping[str, Model]] = {
    "cudaDeviceGetAttribute": _attribute,
    "cudaGetDeviceCount": _count,
    "cudaGetDevice": _current,
    "cudaGetDeviceProperties": _properties,
    "cudaGetDeviceProperties_v2": _properties,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": _blocks,
}
