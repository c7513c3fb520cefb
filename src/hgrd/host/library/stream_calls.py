"""Calls that order streams: events, waits of the host, devices; they are put into the log of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hgrd.cuda.spelling import cuda_name
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.stream_log import (
    DEFAULT,
    Allocated,
    Awaits,
    Created,
    Deed,
    Either,
    Handle,
    HostWaits,
    NodesLinked,
    OnDevice,
    Recorded,
    handle_of,
    plain_name,
)
from hgrd.host.linking.stream_flags import is_default
from hgrd.symbolic.values import Pointer
from hgrd.terms import Term

_Meaning: TypeAlias = Callable[[LibraryCall], Deed | None]


def log_call(call: LibraryCall) -> None:
    """Puts what a call does with streams into the log."""
    name = cuda_name(call.name)
    meaning = _MEANINGS.get(name)
    if meaning is None and name.endswith("Synchronize") and name.startswith("cu"):
        meaning = _everything
    deed = None if meaning is None else meaning(call)
    if deed is not None:
        log_deed(call, deed)


def log_deed(call: LibraryCall, deed: Deed) -> None:
    """Puts what a call does into the log."""
    loops = tuple(loop.binder for loop in call.run.launches.enclosing)
    call.run.streams.add(call.machine, call.state, deed, call.span, loops)


def handle_at(call: LibraryCall, index: int) -> Handle | Either | None:
    """The stream or event that a call is given; the default stream, if it is not given one."""
    value = call.argument(index)
    return DEFAULT if value is None else handle_of(call.machine, call.state, call.call.arguments[index], value)


def _created(call: LibraryCall) -> Deed | None:
    name, _ = call.receiver(0)
    flags = call.call.arguments[1:2]
    return Created(Handle(plain_name(name)), all(map(is_default, flags)))


def _recorded(call: LibraryCall) -> Deed | None:
    event, stream = handle_at(call, 0), handle_at(call, 1)
    return None if event is None or stream is None else Recorded(event, stream)


def _awaits(call: LibraryCall) -> Deed | None:
    stream, event = handle_at(call, 0), handle_at(call, 1)
    return None if event is None or stream is None else Awaits(stream, event)


def _host_waits(call: LibraryCall) -> Deed | None:
    return HostWaits(handle_at(call, 0))


def _everything(_: LibraryCall) -> Deed | None:
    return HostWaits(None)


def _nodes_linked(_: LibraryCall) -> Deed | None:
    return NodesLinked()


def _on_default(_: LibraryCall) -> Deed | None:
    return HostWaits(DEFAULT)


def _device(call: LibraryCall) -> Deed | None:
    device = call.argument(0)
    return OnDevice(device) if isinstance(device, Term) else None


def _allocated(call: LibraryCall) -> Deed | None:
    """Memory from a pool is new memory, and waits for nothing."""
    place = call.argument(0)
    return Allocated(call.receiver(0)[0]) if isinstance(place, Pointer) else None


_MEANINGS: Final[Mapping[str, _Meaning]] = {
    "cudaStreamCreate": _created,
    "cudaStreamCreateWithFlags": _created,
    "cudaStreamCreateWithPriority": _created,
    "cudaEventRecord": _recorded,
    "cudaEventRecordWithFlags": _recorded,
    "cudaStreamWaitEvent": _awaits,
    "cudaStreamSynchronize": _host_waits,
    "cudaStreamQuery": _host_waits,
    "cudaEventSynchronize": _host_waits,
    "cudaEventQuery": _host_waits,
    "cudaSetDevice": _device,
    "cudaGraphAddDependencies": _nodes_linked,
    "cudaMallocAsync": _allocated,
    "cudaMallocFromPoolAsync": _allocated,
    **dict.fromkeys(("cudaMemcpy", "cudaMemset", "cudaMemcpy2D", "cudaMemcpy3D", "cudaMemcpyToSymbol"), _on_default),
    **dict.fromkeys(
        (
            "cudaFree", "cudaFreeHost", "cudaMalloc", "cudaMallocHost", "cudaMallocManaged", "cudaHostAlloc",
            "cudaMallocPitch", "cudaMalloc3D", "cudaMallocArray", "cudaDeviceReset", "cudaStreamEndCapture",
            "cudaDeviceSynchronize", "cudaThreadSynchronize",
        ),
        _everything,
    ),
}  # fmt: skip
