"""Models of streams and events in the concrete run, and of the functions that wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.memory import forget
from hgrd.host.concrete.state.queue import Queue
from hgrd.host.concrete.state.values import UNKNOWN, Callee, Object, Pointer, StoppedError, Value
from hgrd.program.types import PointerType

_SUCCESS: Final = 0
_NON_BLOCKING: Final = 1  # cudaStreamNonBlocking
CALLING: Final = ("cudaLaunchHostFunc", "cudaStreamAddCallback")


def argument(call: LibraryCall, index: int) -> Value:
    """A stream, or an event; the default stream where none is given."""
    return call.value(index) if index < len(call.arguments) else 0


def _stream(call: LibraryCall) -> Value | None:
    """cudaStreamCreate(&s), cudaStreamCreateWithFlags(&s, flags), cudaStreamCreateWithPriority(&s, flags, …)."""
    made = _made(call, "stream")
    if call.machine.queue is not None:
        flags = call.number(1) if len(call.arguments) > 1 else 0
        call.machine.queue.make_stream(made, blocking=flags == 0)
        call.machine.queue.lost |= flags not in (0, _NON_BLOCKING)
    return _SUCCESS


def _event(call: LibraryCall) -> Value | None:
    """cudaEventCreate(&e), cudaEventCreateWithFlags(&e, flags)."""
    _made(call, "event")
    return _SUCCESS


def _made(call: LibraryCall, name: str) -> Object:
    made = Object(name)
    call.store(call.pointer(0), Pointer(made, 0), call.pointee(0) or PointerType(call.returns))
    return made


def _record(call: LibraryCall) -> Value | None:
    """cudaEventRecord(e, s)."""
    if call.machine.queue is not None:
        call.machine.queue.mark(argument(call, 0), argument(call, 1))
    return _SUCCESS


def _follow(call: LibraryCall) -> Value | None:
    """cudaStreamWaitEvent(s, e, flags)."""
    if call.machine.queue is not None:
        call.machine.queue.follow(argument(call, 0), argument(call, 1))
    return _SUCCESS


def _asked(call: LibraryCall) -> Value | None:
    """cudaStreamQuery(s), cudaEventQuery(e): in the test of a loop, which goes on until all is done, a wait."""
    queue, of_event = call.machine.queue, "Event" in call.function.name
    if queue is None:
        return UNKNOWN
    if call.span not in queue.polled:
        queue.ask(argument(call, 0), of_event=of_event)
        return UNKNOWN
    return _wait_for_event(call) if of_event else _wait_for_stream(call)


def _wait_for_stream(call: LibraryCall) -> Value | None:
    """cudaStreamSynchronize(s)."""
    if call.machine.queue is not None:
        call.machine.queue.wait_for_stream(argument(call, 0))
    return _SUCCESS


def _wait_for_event(call: LibraryCall) -> Value | None:
    """cudaEventSynchronize(e)."""
    if call.machine.queue is not None:
        call.machine.queue.wait_for_event(argument(call, 0))
    return _SUCCESS


def _wait_for_all(call: LibraryCall) -> Value | None:
    """cudaDeviceSynchronize()."""
    if call.machine.queue is not None:
        call.machine.queue.wait_for_all()
    return _SUCCESS


def _free(call: LibraryCall) -> Value | None:
    """cudaFree(p), cudaFreeHost(p): other work may not have been done before it returns."""
    if call.machine.queue is not None:
        call.machine.queue.may_wait_for_all("memory that is freed")
    return _SUCCESS


def _elapsed(call: LibraryCall) -> Value | None:
    """cudaEventElapsedTime(&ms, begin, end)."""
    forget(call.pointer(0).target)
    return _SUCCESS


def _called_later(call: LibraryCall) -> Value | None:
    """cudaLaunchHostFunc(s, function, data), cudaStreamAddCallback(s, function, data, flags).

    Where the run keeps no queue, its results must hold whenever the function is called.
    """
    queue, function = call.machine.queue, call.value(1)
    if queue is None or not isinstance(function, Callee):
        raise StoppedError
    with_data = (call.value(2),) if call.function.name == "cudaLaunchHostFunc" else (call.value(0), 0, call.value(2))
    _call_in_stream(call, queue, function, with_data)
    return _SUCCESS


def _call_in_stream(call: LibraryCall, queue: Queue, function: Callee, given: tuple[Value, ...]) -> None:
    if queue.calling is not None:
        raise StoppedError
    declared = call.machine.functions.get(function.function.key)
    if declared is None or declared.body is None:
        raise StoppedError
    queue.calling = queue.put("the callback", call.span, argument(call, 0))
    types = tuple(p.type for p in declared.parameters)
    call.machine.call(declared.ref, given, types, declared.ref.returns, call.span)
    queue.calling = None


STREAMS: Final[Mapping[str, Model]] = {
    **dict.fromkeys(("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"), _stream),
    **dict.fromkeys(("cudaEventCreate", "cudaEventCreateWithFlags"), _event),
    **dict.fromkeys(("cudaEventRecord", "cudaEventRecordWithFlags"), _record),
    "cudaStreamWaitEvent": _follow,
    "cudaStreamSynchronize": _wait_for_stream,
    "cudaEventSynchronize": _wait_for_event,
    **dict.fromkeys(("cudaStreamQuery", "cudaEventQuery"), _asked),
    **dict.fromkeys(("cudaDeviceSynchronize", "cudaThreadSynchronize"), _wait_for_all),
    **dict.fromkeys(("cudaFree", "cudaFreeHost"), _free),
    "cudaEventElapsedTime": _elapsed,
    **dict.fromkeys(CALLING, _called_later),
}
"""The functions of the runtime for streams and events.  cudaMalloc also may wait, but promises nothing."""
