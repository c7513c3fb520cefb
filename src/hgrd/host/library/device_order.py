"""Calls that put copies and fills on the device, or order what is there; how the host waits for it.

CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior", "Event Management"; what is not
said there to wait may wait all the same (CUDA Programming Guide, "Implicit Synchronization").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from hgrd.cuda.spelling import cuda_name
from hgrd.host.concurrency.followed_pointers import followed_pointers, written_bytes
from hgrd.host.concurrency.rows import Rectangle, bytes_from
from hgrd.host.concurrency.trace import (
    CALLBACK,
    Follow,
    Mark,
    Replay,
    Touch,
    Wait,
    Work,
    choices_of,
    pointers_of,
    told_of,
)
from hgrd.host.execution.held_functions import follow_held, hide_passed
from hgrd.host.execution.host_uses import record_call, writes_range
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.passed_functions import passed_function
from hgrd.host.execution.polls import QUERIES
from hgrd.host.execution.streams import later_stream, may_wait
from hgrd.host.library.host_threads import begins_thread, join_thread
from hgrd.host.library.launch_functions import number_of
from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.walk import nodes
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import OPAQUE, FunctionValue, MemorySpace, Pointer, Value, pointed_to
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
    "cudaMemcpyToSymbolAsync": 5, "cudaMemcpyFromSymbolAsync": 5, "cudaMemcpyPeerAsync": 5, "cudaFreeAsync": 1,
}  # fmt: skip
_SIZE_OF: Final[Mapping[str, int]] = {  # the index of the number of bytes, from the first one on
    "cudaMemcpy": 2, "cudaMemcpyAsync": 2, "cudaMemset": 2, "cudaMemsetAsync": 2, "cudaMemcpyPeer": 4,
    "cudaMemcpyPeerAsync": 4,
}  # fmt: skip
_RECTANGLE_OF: Final[Mapping[str, tuple[int, int, int]]] = {  # of the pitches there and here, and of the width
    "cudaMemcpy2D": (1, 3, 4), "cudaMemset2D": (1, 1, 3),
}  # fmt: skip
_SOURCE_OF: Final = (("cudaMemset", None), ("cudaMemcpyPeer", 2), ("cudaMemcpy2D", 2), ("cudaMemcpy3D", None))
_OWNERS: Final = ("std::unique_ptr", "std::shared_ptr")
_INVOKER: Final = "__invoke"  # what a lambda without captures is converted to
_CALLBACKS: Final = ("cudaLaunchHostFunc", "cudaStreamAddCallback")  # stream, function, what that gets
_WORK: Final = ("cudaMemcpy", "cudaMemset")
_QUIET: Final = (
    "cudaGet", "cudaPeek", "cudaStreamCreate", "cudaStreamDestroy", "cudaStreamGet",
    "cudaStreamAttach", "cudaEventCreate", "cudaEventDestroy", "cudaEventElapsed", "cudaFunc", "cudaOccupancy",
    "cudaLaunch", "cudaMallocAsync", "cudaMallocFromPool", "cudaGraphCreate", "cudaGraphInstantiate",
    "cudaGraphExec", "cudaGraphDestroy", "cudaGraphAddKernelNode", "cudaMemPrefetch", "cudaMemAdvise", "cudaDeviceGet",
    "cudaDeviceSet", "cudaDeviceEnable", "cudaDeviceCan", "cudaCreate", "cudaBind", "cudaHostGet", "cuLaunch",
    "cudaStreamIsCapturing", "cudaStreamUpdate", "cudaGraphUpload", "cuGet",
)  # fmt: skip
_ON_DEVICE: Final = 3  # cudaMemcpyDeviceToDevice


def record_order(call: LibraryCall) -> None:
    """Adds what a call means for the order of work on the device to the trace of the run."""
    if call.machine.speculative or not call.state.alive:
        return
    record_call(call)
    _add_hidden_release(call)
    if not begins_thread(call.call):
        if follow_held(call):
            return
        hide_passed(call)
    name = _known_name(call.name)
    own = call.call.function.user_code
    if not own and name.startswith(_WORK):
        _add_copy(call, name)
    elif not own and name == "cudaFreeAsync":
        _add_release(call)
    elif not own and name in _CALLBACKS:
        _add_callback(call)
    elif not own and name.startswith("cu"):
        _add_order(call, name)
    elif not own and (later := later_stream(call)) is not None:
        _add_algorithm(call, later)
    elif not own and (begins_thread(call.call) or join_thread(call)):
        pass
    elif own or may_wait(call, name):
        _wait(call, sure=False)


def is_callback(call: ir.Call) -> bool:
    """Whether a call gives a function of the host to a stream, to be called with what it is given."""
    return not call.function.user_code and _known_name(call.function.name) in _CALLBACKS


def _known_name(name: str) -> str:
    """The name of the runtime's function that a function is, also one of the driver or of another dialect."""
    name = cuda_name(name)
    return _DRIVER.get(name.removesuffix("_v2"), name)


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


def _add_order(call: LibraryCall, name: str) -> None:
    trace, choices = call.run.trace, choices_of(call.state)
    first, second = call.argument(0), call.argument(1)
    match name:
        case "cudaDeviceSynchronize" | "cudaFree":
            _wait(call)
        case "cudaStreamSynchronize":
            number = number_of(call.call.arguments[0]) if call.call.arguments else const(0)
            _wait(call, stream=first if number is None and first is not None else number)
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
        case _ if name in QUERIES:
            text = call.run.text
            loops = bool(call.run.launches.enclosing) or call.span in text.polling
            loops = loops and call.span not in text.impatient
            stream, event = (first, None) if name == "cudaStreamQuery" else (None, first)
            _wait(call, stream, event, sure=False, looks=not loops)
        case _:
            _wait(call, sure=False)


def _add_copy(call: LibraryCall, name: str) -> None:
    """A copy or fill; what the host waits for, where it is no asynchronous one.

    No fill of memory of the device waits, and no copy within it (CUDA Runtime API, "API synchronization behavior").
    """
    later = name.endswith("Async")
    fills = name.startswith("cudaMemset")
    at = next((index for prefix, index in _SOURCE_OF if name.startswith(prefix)), 1)
    to = call.arguments[0] if "Symbol" in name and call.arguments else call.argument(0)
    source = (
        call.arguments[at] if at is not None and "FromSymbol" in name else None if at is None else call.argument(at)
    )
    size = call.number(_SIZE_OF[name]) if name in _SIZE_OF else None
    given = ((to, True), (source, False))
    kind = call.number(3) if name in ("cudaMemcpy", "cudaMemcpyAsync") else None
    on_device = fills or (kind is not None and kind == const(_ON_DEVICE))
    waits = _is_pageable(call, to) if later and not fills else not later and not on_device
    touches = [
        replace(t, locked=later and not waits and _is_locked(call, v))
        for v, writes in given
        if v is not None
        for t in _touches(call, v, size, writes=writes, rectangle=_rectangle(call, name, there=writes))
    ]
    _add_work(call, "the fill" if fills else "the copy", _stream(call, name), touches, waits=waits)
    stays = name in _SIZE_OF and on_device and _on_device(call, to) and (source is None or _on_device(call, source))
    if not later and not stays:
        _wait(call, sure=False)


def _add_algorithm(call: LibraryCall, stream: Value) -> None:
    """An algorithm of Thrust that returns before it is done: it may use all that it gets pointers to."""
    touches = [
        t
        for index, value in enumerate(call.arguments[1:])
        for t in _touches(call, value, None, writes=writes_range(call.name, index))
    ]
    _add_work(call, "the algorithm", stream, touches)


def _add_release(call: LibraryCall) -> None:
    """cudaFreeAsync: other memory may be there as soon as the stream comes to it."""
    _add_work(call, "the release", _stream(call, "cudaFreeAsync"), _all_of(call, call.arguments[:1]))


def _all_of(call: LibraryCall, pointers: Sequence[Value]) -> list[Touch]:
    """All the memory behind pointers, which is written."""
    size = next((t.size for p in pointers for t in pointed_to(p)), None)
    return [t for p in pointers for t in _touches(call, p, size, writes=True)]


def _add_hidden_release(call: LibraryCall) -> None:
    """A smart pointer gets a deleter that gives memory back in a stream: that may happen at any time from here on."""
    if not call.call.function.qualified.startswith(_OWNERS):
        return
    for index in range(1, len(call.arguments)):
        found = passed_function(call, index, launching=False)
        if found is not None and _releases_later(found[0], call.run.linked.functions):
            pointers = [p for v in call.arguments[1:index] for p in pointers_of(v)]
            _add_work(call, "the release by a deleter", OPAQUE, _all_of(call, pointers))


def _releases_later(function: Function, functions: Mapping[str, Function]) -> bool:
    calls = (n for f in run_by(function.ref.key, functions) for n in nodes(f.body) if isinstance(n, ir.Call))
    return any(_known_name(n.function.name) == "cudaFreeAsync" for n in calls)


def _add_callback(call: LibraryCall) -> None:
    """A function of the host as work in a stream: it may use what it is given, and what pointers in that lead to."""
    given = call.argument(1)
    key = _with_body(given.function, call.run.linked.operators) if isinstance(given, FunctionValue) else ""
    function = call.run.linked.functions.get(key)
    index = -1 if function is None else len(function.parameters) - 1
    written, stored = call.run.text.mod_sets.of(key), call.run.text.mod_sets.stored(key)
    writes, stores = written is None or index in written, index in stored
    kinds = None if function is None or function.body is None else call.run.text.mod_sets.kinds_stored(key)
    follows = followed_pointers(key, call.run.linked.functions, call.run.linked.records)
    reached = reachable(call.state, call.arguments[2:3]) if follows is None or follows else ()
    others = [Pointer(t, const(0)) for t in reached if t.space is MemorySpace.HOST]
    own, found = (
        [
            replace(t, writes=writes, reads=True, stores=stores, kinds=kinds)
            for v in values
            for t in _touches(call, v, None, writes=writes)
        ]
        for values in (call.arguments[2:3], others)
    )
    deep = [replace(t, found=True, follows=follows) for t in own if follows is None or follows]
    parts = written_bytes(key, call.run.linked.functions, call.run.linked.records)
    if parts is not None:
        own = [replace(t, writes=False, stores=False) for t in own]
        own += [t for v in call.arguments[2:3] for part in sorted(parts) for t in _part_touches(call, v, part)]
    _add_work(call, CALLBACK, call.argument(0), [*own, *found, *deep])


def _with_body(function: ir.FunctionRef, operators: Mapping[str, tuple[str, ...]]) -> str:
    """The key of a function; of a lambda that is given as a function, that of its body."""
    owner, _, name = function.qualified.rpartition("::")
    bodies = operators.get(owner, ()) if name == _INVOKER else ()
    return bodies[0] if len(bodies) == 1 else function.key


def _part_touches(call: LibraryCall, value: Value, part: tuple[int, int]) -> list[Touch]:
    """Bytes of what a pointer leads to, which may be written."""
    row = replace(bytes_from(const(part[1] - part[0]), stores=True), maybe=True)
    parts = (move(p, const(part[0])) for p in pointers_of(value) if isinstance(p, Pointer))
    return [
        replace(t, stores=False, rows=(row,), covered=True) for p in parts for t in _touches(call, p, None, writes=True)
    ]


def _stream(call: LibraryCall, name: str) -> Value | None:
    return call.argument(_STREAM_OF[name]) if name in _STREAM_OF else None


def _add_work(call: LibraryCall, what: str, stream: Value | None, touches: list[Touch], *, waits: bool = False) -> None:
    trace = call.run.trace
    trace.add(
        Work(
            what,
            "",
            call.span,
            trace.address_of(stream),
            trace.device,
            tuple(touches),
            (),
            choices_of(call.state),
            waits=waits,
            captured=trace.capturing,
            told=told_of(call.state),
            sure=trace.is_sure(call.state) and not call.run.launches.only_traced,
        )
    )


def _rectangle(call: LibraryCall, name: str, *, there: bool) -> Rectangle | None:
    """The bytes that a copy or fill of lines uses where it writes to (`there`), or reads from."""
    indexes = _RECTANGLE_OF.get(name.removesuffix("Async"))
    if indexes is None:
        return None
    to, source, width = indexes
    pitch, row, lines = (call.number(n) for n in (to if there else source, width, width + 1))
    return None if pitch is None or row is None or lines is None else Rectangle(pitch, row, lines)


def _touches(
    call: LibraryCall, value: Value, size: Term | None, *, writes: bool, rectangle: Rectangle | None = None
) -> list[Touch]:
    """The memory behind a pointer, as a copy or fill of so many bytes touches it; `size` None: unknown."""
    found: list[Touch] = []
    rows = () if size is None else (bytes_from(size, stores=writes),)
    for pointer in pointers_of(value):
        call.run.trace.name(pointer)
        at, known = call.run.trace.address_of(pointer), bool(rows)
        found.append(Touch(at, writes, not writes, writes, rows, whole=known, covered=known, rectangle=rectangle))
    return found


def _on_device(call: LibraryCall, value: Value | None) -> bool:
    """Whether a pointer leads to memory of the device that the host cannot reach."""
    targets = () if value is None else tuple(pointed_to(value))
    return bool(targets) and all(t.space is MemorySpace.GLOBAL and not t.external for t in targets)


def _is_locked(call: LibraryCall, value: Value) -> bool:
    """Whether memory is page-locked memory of the host, which copies use while the host goes on.

    Where the program has such memory, what a pointer that was found somewhere leads to may be a part of it.
    """
    locked = call.run.copies.page_locked
    targets = tuple(pointed_to(value))
    return bool(locked and targets) and all(
        t.key in locked or (t.external and t.space is MemorySpace.HOST) for t in targets
    )


def _is_pageable(call: LibraryCall, to: Value | None) -> bool:
    """Whether a copy goes to memory of the host that is not page-locked: it is complete when the call returns."""
    targets = () if to is None else tuple(pointed_to(to))
    locked = call.run.copies.page_locked
    hosts = (MemorySpace.HOST, MemorySpace.LOCAL)
    return bool(targets) and all(t.space in hosts and not t.external and t.key not in locked for t in targets)
