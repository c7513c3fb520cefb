"""Calls that put copies and fills on the device, or order what is there; how the host waits for it.

CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior", "Event Management"; what is not
said there to wait may wait all the same (CUDA Programming Guide, "Implicit Synchronization").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.spelling import cuda_name
from hgrd.host.concurrency.rows import bytes_from
from hgrd.host.concurrency.trace import (
    Follow,
    Mark,
    Replay,
    Touch,
    Wait,
    Work,
    choices_of,
    pointers_of,
)
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.library.libc import LIBC
from hgrd.host.linking.stream_flags import ORDERING
from hgrd.symbolic.values import MemorySpace, Value, pointed_to
from hgrd.terms import Term, as_int, const

_DRIVER: Final[Mapping[str, str]] = {
    "cuStreamSynchronize": "cudaStreamSynchronize",
    "cuCtxSynchronize": "cudaDeviceSynchronize",
    "cudaThreadSynchronize": "cudaDeviceSynchronize",
    "cuEventSynchronize": "cudaEventSynchronize",
    "cuEventRecord": "cudaEventRecord",
    "cudaEventRecordWithFlags": "cudaEventRecord",
    "cuStreamWaitEvent": "cudaStreamWaitEvent",
    "cudaDeviceReset": "cudaFree",
    "cudaFreeHost": "cudaFree",
    "cudaFreeArray": "cudaFree",
    "cuMemFree": "cudaFree",
}
_STREAM_OF: Final[Mapping[str, int]] = {  # the index of the stream among the arguments
    "cudaMemcpyAsync": 4, "cudaMemsetAsync": 3, "cudaMemset2DAsync": 5, "cudaMemcpy2DAsync": 7, "cudaMemcpy3DAsync": 1,
    "cudaMemcpyToSymbolAsync": 5, "cudaMemcpyFromSymbolAsync": 5, "cudaMemcpyPeerAsync": 5,
}  # fmt: skip
_PLAIN: Final = ("cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync")  # the third argument is their size
_WORK: Final = ("cudaMemcpy", "cudaMemset")
_QUIET: Final = (
    "cudaGet", "cudaPeek", "cudaStreamCreate", "cudaStreamDestroy", "cudaStreamGet", "cudaStreamAddCallback",
    "cudaStreamAttach", "cudaEventCreate", "cudaEventDestroy", "cudaEventElapsed", "cudaFunc", "cudaOccupancy",
    "cudaLaunch", "cudaMallocAsync", "cudaFreeAsync", "cudaMallocFromPool", "cudaGraphCreate", "cudaGraphInstantiate",
    "cudaGraphExec", "cudaGraphDestroy", "cudaGraphAddKernelNode", "cudaMemPrefetch", "cudaMemAdvise", "cudaDeviceGet",
    "cudaDeviceSet", "cudaDeviceEnable", "cudaDeviceCan", "cudaCreate", "cudaBind", "cudaHostGet", "cuLaunch",
    "cudaStreamIsCapturing", "cudaStreamUpdate", "cudaGraphUpload", "cuGet",
)  # fmt: skip
_ELSEWHERE: Final = ("std::", "dim3", "make_", "operator new", "operator delete", "__builtin_")
_ON_DEVICE: Final = 3  # cudaMemcpyDeviceToDevice


def record_order(call: LibraryCall) -> None:
    """Adds what a call means for the order of work on the device to the trace of the run."""
    if call.machine.speculative or not call.state.alive:
        return
    name = cuda_name(call.name)
    name = _DRIVER.get(name.removesuffix("_v2"), name)
    own = call.call.function.user_code
    if not own and name.startswith(_WORK):
        _add_work(call, name)
    elif not own and name.startswith("cu"):
        _add_order(call, name)
    elif own or _may_order(call.call.function.qualified, name):
        _wait(call, sure=False)


def _may_order(qualified: str, name: str) -> bool:
    """Whether a function that CUDA does not declare may wait for the device, or for a thread that does."""
    return qualified.startswith(ORDERING) or not (qualified.startswith(_ELSEWHERE) or name in LIBC)


def _wait(call: LibraryCall, stream: Value | None = None, event: Value | None = None, *, sure: bool = True) -> None:
    one, other = (None if v is None else call.run.trace.address_of(v) for v in (stream, event))
    call.run.trace.add(Wait(one, other, call.run.trace.device, choices_of(call.state), sure))


def _add_order(call: LibraryCall, name: str) -> None:
    trace, choices = call.run.trace, choices_of(call.state)
    first, second = call.argument(0), call.argument(1)
    match name:
        case "cudaDeviceSynchronize" | "cudaFree":
            _wait(call)
        case "cudaStreamSynchronize":
            _wait(call, stream=const(0) if first is None else first)
        case "cudaEventSynchronize":
            _wait(call, event=first)
        case "cudaEventRecord" if first is not None:
            trace.add(Mark(trace.address_of(first), trace.address_of(second), trace.device, choices))
        case "cudaStreamWaitEvent" if first is not None:
            trace.add(Follow(trace.address_of(first), trace.address_of(second), trace.device, choices))
        case "cudaGraphLaunch":
            trace.add(Replay(trace.address_of(second), trace.device, choices))
        case "cudaStreamBeginCapture":
            trace.capturing = True
        case "cudaStreamEndCapture":
            trace.capturing = False
        case "cudaGraphAddDependencies":
            trace.linked = True
        case "cudaSetDevice":
            trace.device = as_int(first) if isinstance(first, Term) else const(-1)
        case _ if name.startswith(_QUIET):
            pass
        case _:
            _wait(call, sure=False)


def _add_work(call: LibraryCall, name: str) -> None:
    """A copy or fill; what the host waits for, where it is no asynchronous one."""
    trace, later = call.run.trace, name.endswith("Async")
    fills = name.startswith("cudaMemset")
    to, source = call.argument(0), None if fills else call.argument(1)
    size = call.number(2) if name in _PLAIN else None
    given = ((to, True), (source, False))
    touches = [t for v, writes in given if v is not None for t in _touches(call, v, size, writes=writes)]
    stream = call.argument(_STREAM_OF.get(name, 99)) if later else None
    kind = call.number(3) if name in ("cudaMemcpy", "cudaMemcpyAsync") else None
    on_device = fills or (kind is not None and kind == const(_ON_DEVICE))
    waits = _is_pageable(call, to) if later and not fills else not later and not on_device
    what = "the fill" if fills else "the copy"
    trace.add(
        Work(
            what,
            "",
            call.span,
            call.run.trace.address_of(stream),
            trace.device,
            tuple(touches),
            (),
            choices_of(call.state),
            waits=waits,
            captured=trace.capturing,
        )
    )
    if not later:
        _wait(call, sure=False)


def _touches(call: LibraryCall, value: Value, size: Term | None, *, writes: bool) -> list[Touch]:
    """The memory behind a pointer, as a copy or fill of so many bytes touches it; `size` None: unknown."""
    found: list[Touch] = []
    rows = () if size is None else (bytes_from(size, stores=writes),)
    for pointer in pointers_of(value):
        call.run.trace.names |= {t.key: t.name for t in pointed_to(pointer)}
        found.append(Touch(call.run.trace.address_of(pointer), writes, not writes, writes, rows, whole=bool(rows)))
    return found


def _is_pageable(call: LibraryCall, to: Value | None) -> bool:
    """Whether a copy goes to memory of the host that is not page-locked: it is complete when the call returns."""
    targets = () if to is None else tuple(pointed_to(to))
    locked = call.run.copies.page_locked
    hosts = (MemorySpace.HOST, MemorySpace.LOCAL)
    return bool(targets) and all(t.space in hosts and not t.external and t.key not in locked for t in targets)
