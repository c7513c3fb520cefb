"""Calls that put copies and fills on the device, or order what is there; how the host waits for it.

CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior", "Event Management"; what is not
said there to wait may wait all the same (CUDA Programming Guide, "Implicit Synchronization").
"""

from __future__ import annotations

from typing import Final

from hgrd.host.concurrency.not_ready import QUERIES
from hgrd.host.concurrency.trace import Follow, Mark, Replay, Wait, choices_of
from hgrd.host.device_work.callbacks import add_callback, is_callback
from hgrd.host.device_work.copies import add_copy, is_copy
from hgrd.host.device_work.cub_algorithms import add_device_wide, is_device_wide
from hgrd.host.device_work.names import runtime_name, stores_nothing
from hgrd.host.device_work.numeric_libraries import add_numeric, is_numeric
from hgrd.host.device_work.releases import add_hidden_release, add_release
from hgrd.host.device_work.thrust_algorithms import add_element_access, add_thrust, is_thrust
from hgrd.host.execution.held_functions import calls_held, follow_given, follow_held, hide_passed
from hgrd.host.execution.host_uses import record_call, record_handed
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.streams import may_wait
from hgrd.host.library.host_threads import is_followed, join_thread
from hgrd.host.linking.library_names import LIBC_FAMILIES, is_of_program
from hgrd.host.linking.stream_flags import begins_thread
from hgrd.symbolic.values import Value
from hgrd.terms import Term, as_int, const

_QUIET: Final = (
    "cudaGet", "cudaPeek", "cudaStreamCreate", "cudaStreamDestroy", "cudaStreamGet",
    "cudaStreamAttach", "cudaEventCreate", "cudaEventDestroy", "cudaEventElapsed", "cudaFunc", "cudaOccupancy",
    "cudaLaunch", "cudaMallocAsync", "cudaMallocFromPool", "cudaGraphCreate", "cudaGraphInstantiate",
    "cudaGraphExec", "cudaGraphDestroy", "cudaGraphAddKernelNode", "cudaMemPrefetch", "cudaMemAdvise", "cudaDeviceGet",
    "cudaDeviceSet", "cudaDeviceEnable", "cudaDeviceCan", "cudaCreate", "cudaBind", "cudaHostGet", "cuLaunch",
    "cudaStreamIsCapturing", "cudaStreamUpdate", "cudaGraphUpload", "cuGet",
)  # fmt: skip


def record_order(call: LibraryCall) -> None:
    """Adds what a call means for the order of work on the device to the trace of the run."""
    if call.machine.speculative or not call.state.alive:
        return
    record_call(call)
    add_hidden_release(call)
    if not begins_thread(call.call):
        if follow_held(call):
            return
        follow_given(call)
        hide_passed(call)
    name = runtime_name(call.name)
    own = call.call.function.user_code
    if own or calls_held(call.call.function):
        given = ((value, call.type_of(index)) for index, value in enumerate(call.arguments))
        record_handed(call.run, call.machine, call.state, given, call.span)
    if not own and is_copy(name):
        if add_copy(call, name):
            _wait(call, sure=False)
    elif not own and name == "cudaFreeAsync":
        add_release(call)
    elif not own and is_callback(call.call):
        add_callback(call)
    elif is_device_wide(call):
        add_device_wide(call)
    elif is_numeric(call):
        if add_numeric(call):
            _wait(call, sure=False)
    elif not own and name.startswith("cu"):
        _record_runtime(call, name)
    elif is_thrust(call):
        if add_thrust(call):
            _wait(call, sure=False)
    elif not own and add_element_access(call):
        _wait(call, sure=False)
    elif not own and (begins_thread(call.call) or join_thread(call)):
        pass
    elif own or may_wait(call, name):
        _wait(call, sure=False)


def stores_no_pointers(call: LibraryCall) -> bool:
    """Whether a library's function stores no pointer that it gets, neither in what it gets nor for later."""
    silent = call.name in LIBC_FAMILIES["no effect"] or stores_nothing(call.name)
    known = is_device_wide(call) or is_numeric(call) or is_followed(call)
    return known or (silent and not is_of_program(call.call.function))


def _wait(
    call: LibraryCall,
    stream: Value | None = None,
    event: Value | None = None,
    *,
    sure: bool = True,
    looks: bool = False,
) -> None:
    one, other = (None if v is None else call.run.trace.address_of(v) for v in (stream, event))
    call.run.trace.add(Wait(one, other, call.run.trace.device, choices_of(call.state), sure, looks=looks))


def _record_runtime(call: LibraryCall, name: str) -> None:
    trace, choices = call.run.trace, choices_of(call.state)
    first, second = call.stream(0), call.stream(1)
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
            trace.capturing, trace.graphs = True, trace.graphs + 1
        case "cudaGraphCreate":
            trace.graphs += 1
        case "cudaGraphAddChildGraphNode":
            trace.nested = True
            _wait(call, sure=False)
        case "cudaStreamEndCapture":
            trace.capturing = False
        case "cudaGraphAddDependencies":
            trace.linked = True
        case "cudaSetDevice":
            number = call.argument(0)
            trace.device = as_int(number) if isinstance(number, Term) else const(-1)
        case _ if name.startswith(_QUIET):
            pass
        case _ if name in QUERIES:
            text = call.run.text
            loops = bool(call.run.launches.enclosing) or call.span in text.polling
            loops = loops and call.span not in text.impatient
            stream, event = (first, None) if name == "cudaStreamQuery" else (None, first)
            _wait(call, stream, event, sure=False, looks=not loops)
        case _:
            _wait(call, sure=False)
