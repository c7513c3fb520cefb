"""Models of the CUDA runtime and of the C library in the concrete run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import gcd
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cuda.devices import DEVICES
from hgrd.host.concrete.library.cuda.graphs import graph_models, in_stream
from hgrd.host.concrete.library.cuda.launching import LAUNCHING
from hgrd.host.concrete.library.cuda.streams import STREAMS, argument
from hgrd.host.concrete.state.arithmetic import cut
from hgrd.host.concrete.state.memory import clear, copy_bytes, fill, forget, forget_reachable
from hgrd.host.concrete.state.queue import FILL, Used
from hgrd.host.concrete.state.values import UNKNOWN, Object, Pointer, StoppedError, Value
from hgrd.program.types import INT, PointerType

_OF_CUDA: Final = re.compile(r"cuda|cu[A-Z]")
_SUCCESS: Final = 0
_BYTE: Final = 0xFF
_CHEAP: Final = 4  # a fill takes a step for so many elements, as a power of two
_MOST_BY_HOST: Final = 64  # elements of a fill, which the host makes row by row
_STREAM_OF: Final[Mapping[str, int]] = {
    "cudaMemcpyAsync": 4, "cudaMemsetAsync": 3, "cudaMemcpyToSymbolAsync": 5
}  # fmt: skip
"""Which argument is the stream, by the name of the function."""
_PINNED: Final = ("cudaMallocHost", "cudaHostAlloc")
_AT_ONCE: Final = re.compile(
    r"cuda(Get|Set|Func|Occupancy|Malloc|Device(Get|Set|Can)|Mem(Advise|GetInfo|Prefetch))|.*Async$"
)
_HARMLESS: Final = re.compile(
    r"cuda(Func(Set|Get)|Occupancy|DeviceSet(Limit|CacheConfig|SharedMemConfig)|MemGetInfo|(Driver|Runtime)GetVersion)"
)
_LAUNCHING: Final = ("cudaLaunch", "cudaGraph", "cuLaunch", "cuGraph")


def _allocated(call: LibraryCall) -> Value | None:
    """cudaMalloc(&p, size) and its like."""
    place, size = call.pointer(0), call.number(1)
    new = Object(place.target.name, size, on_device=True, pinned=call.function.name in _PINNED)
    call.store(place, Pointer(new, 0), call.pointee(0) or PointerType(call.returns))
    return _SUCCESS


def _malloc(call: LibraryCall) -> Value | None:
    """malloc(size), operator new(size)."""
    return Pointer(Object("allocation", call.number(0)), 0)


def _calloc(call: LibraryCall) -> Value | None:
    """calloc(count, size)."""
    count, size = call.number(0), call.number(1)
    return Pointer(Object("allocation", None if count is None or size is None else count * size, zero=True), 0)


def _copied(call: LibraryCall) -> Value | None:
    """cudaMemcpy(to, from, size, …), memcpy(to, from, size)."""
    to, source = call.pointer(0), call.arguments[1]
    _put(call, "the copy", ((to, True), (source, False)), call.number(2))
    if isinstance(source, Pointer):
        copy_bytes(to, source, call.number(2), call.span)
    else:
        forget(to.target)
    return _SUCCESS if call.function.name.startswith("cuda") else to


def _copied_to_symbol(call: LibraryCall) -> Value | None:
    """cudaMemcpyToSymbol(symbol, from, size, offset, …)."""
    to, source, at = call.pointer(0), call.arguments[1], call.number(3)
    at = 0 if len(call.arguments) < 4 else at
    later = call.function.name.endswith("Async") and call.machine.queue is None  # kernels may not wait for it
    there = UNKNOWN if at is None or to.offset is None else Pointer(to.target, to.offset + at)
    _put(call, "the copy", ((there, True), (source, False)), call.number(2))
    if isinstance(source, Pointer) and at is not None and to.offset is not None and not later:
        copy_bytes(Pointer(to.target, to.offset + at), source, call.number(2), call.span)
    else:
        forget(to.target)
    return _SUCCESS


def _set(call: LibraryCall) -> Value | None:
    """cudaMemset(to, value, size), memset."""
    to, value, size = call.pointer(0), call.number(1), call.number(2)
    _put(call, FILL, ((to, True),), size)
    result = _SUCCESS if call.function.name.startswith("cuda") else to
    if value is None or to.offset is None or size is None:
        forget(to.target)
    elif value & _BYTE:
        _repeat(call, to, value & _BYTE, size)
    elif to.offset == 0 and size == to.target.size:
        clear(to.target, 0, size)
        to.target.zero, to.target.written = True, call.span
    else:
        whole = to.target.zero
        clear(to.target, to.offset, to.offset + size)
        to.target.zero = whole
    return result


def _repeat(call: LibraryCall, to: Pointer, byte: int, size: int) -> None:
    """Fills memory with a byte: it is known what numbers of the usual size are then."""
    width = INT.bits >> 3
    count, by_host = size // width, not call.function.name.startswith("cuda")
    if to.offset is None or size % width or count > (_MOST_BY_HOST if by_host else call.machine.most_elements):
        forget(to.target)
        return
    call.machine.step(count >> _CHEAP)
    number = cut(int.from_bytes(bytes([byte] * width), "little"), INT)
    fill(to, number, INT, width, count, call.span)


def _put(call: LibraryCall, what: str, used: tuple[tuple[Value, bool], ...], size: int | None) -> None:
    """Puts a copy, or a fill, into its stream, with what it uses; the host does that by itself, or may wait for it."""
    queue, name = call.machine.queue, call.function.name
    places = [(p, stores) for p, stores in used if isinstance(p, Pointer)]
    if queue is None:
        return
    if not name.startswith("cuda"):
        for place, stores in places:
            queue.touch(place, size, call.span, stores=stores)
        return
    later = name in _STREAM_OF
    work = queue.put(what, call.span, argument(call, _STREAM_OF[name]) if later else 0)
    for place, stores in places:
        target, at = place.target, place.offset
        if _is_for_device(target) and at is not None and size is not None:
            queue.use(work, Used(target, at, at + size, stores, call.span))
        elif _is_for_device(target):
            queue.doubt("a copy, or a fill, of unknown size")
    if len(places) < len(used):
        queue.doubt("a copy, or a fill, of unknown place")
    if not later and all(place.target.on_device and not place.target.pinned for place, _ in places):
        queue.suppose(work)  # "API synchronization behavior": on the device, these do not wait for the host's sake
    elif not later or any(stores and not _is_for_device(place.target) for place, stores in places):
        queue.done |= work.before | work.bit


def _is_for_device(target: Object) -> bool:
    """Whether a copy uses memory as it is; it uses other memory of the host while the host waits."""
    return target.on_device or target.pinned


def _registered(call: LibraryCall) -> Value | None:
    """cudaHostRegister(p, size, flags)."""
    call.pointer(0).target.pinned = True
    return _SUCCESS


def _mapped(call: LibraryCall) -> Value | None:
    """cudaHostGetDevicePointer(&p, host, flags): one address for both (CUDA C++ Programming Guide, "Mapped Memory")."""
    call.store(call.pointer(0), call.arguments[1], call.pointee(0) or PointerType(call.returns))
    return _SUCCESS


def _done(call: LibraryCall) -> Value | None:
    """A function of the runtime that changes nothing that the run knows."""
    return _SUCCESS


def _of_runtime(call: LibraryCall) -> Value | None:
    """Any other function of the runtime, or the driver: it succeeds, and may have changed what its arguments lead to.

    It may also make another device current, which has variables of its own.
    """
    forget_reachable(call.arguments)
    queue, name = call.machine.queue, call.function.name
    if queue is not None and not _AT_ONCE.match(name):
        queue.may_wait_for_all(f"a call of {name}")
    if queue is not None and not (_HARMLESS.match(name) or (name == "cudaSetDevice" and call.number(0) == 0)):
        queue.doubt(f"a call of {name}")
    for target in call.machine.statics.values():
        if target.on_device:
            forget(target)
    return _SUCCESS


def _stops(call: LibraryCall) -> Value | None:
    """A function that launches kernels, or has code of the program called."""
    raise StoppedError


def _nothing(call: LibraryCall) -> Value | None:
    """A function that only looks at its arguments."""
    return UNKNOWN


def _gcd(call: LibraryCall) -> Value | None:
    a, b = call.number(0), call.number(1)
    return UNKNOWN if a is None or b is None else gcd(a, b)


def _abs(call: LibraryCall) -> Value | None:
    number = call.number(0)
    return UNKNOWN if number is None else abs(number)


def _free(call: LibraryCall) -> Value | None:
    return UNKNOWN


_RUNTIME: Final[Mapping[str, Model]] = {
    **dict.fromkeys(
        ("cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"), _allocated
    ),
    **dict.fromkeys(("cudaMemcpy", "memcpy", "memmove"), _copied),
    "cudaMemcpyAsync": in_stream(_copied, _STREAM_OF["cudaMemcpyAsync"]),
    "cudaMemcpyToSymbol": _copied_to_symbol,
    "cudaMemcpyToSymbolAsync": in_stream(_copied_to_symbol, _STREAM_OF["cudaMemcpyToSymbolAsync"]),
    **dict.fromkeys(("cudaMemset", "memset"), _set),
    "cudaMemsetAsync": in_stream(_set, _STREAM_OF["cudaMemsetAsync"]),
    **dict.fromkeys(("malloc", "operator new", "operator new[]"), _malloc),
    "calloc": _calloc,
    **dict.fromkeys(
        (
            "cudaFreeAsync", "cudaGetLastError", "cudaPeekAtLastError", "cudaMemPrefetchAsync", "cudaMemAdvise",
            "cudaStreamDestroy", "cudaEventDestroy",
        ),
        _done,
    ),
    **dict.fromkeys(("free", "operator delete", "operator delete[]"), _free),
    **dict.fromkeys(
        (
            "printf", "fprintf", "puts", "putchar", "fputs", "fflush", "atoi", "atol", "atoll", "atof", "strcmp",
            "strncmp", "strlen", "strtol", "strtoul", "getenv", "time", "clock", "rand", "srand", "perror",
            "cudaGetErrorString", "cudaGetErrorName", "__hgrd_assert",
        ),
        _nothing,
    ),
    **STREAMS,
    **LAUNCHING,
    **DEVICES,
    **graph_models(_copied),
    "cudaLaunchHostFunc": in_stream(STREAMS["cudaLaunchHostFunc"], 0),
    "cudaHostRegister": _registered,
    "cudaHostGetDevicePointer": _mapped,
    **dict.fromkeys(("gcd", "__gcd"), _gcd),
    **dict.fromkeys(("abs", "labs", "llabs"), _abs),
}  # fmt: skip


def runtime_model(name: str) -> Model | None:
    """The model of a function of the CUDA runtime or the C library; None: it has none."""
    found = _RUNTIME.get(name)
    if found is None and name.startswith(_LAUNCHING):
        return _stops
    return _of_runtime if found is None and _OF_CUDA.match(name) else found
