"""Copies and fills: what they touch, and whether the host waits for them.

CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from hgrd.host.concurrency.rows import Rectangle
from hgrd.host.device_work.work import add_work, touches_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.symbolic.values import MemorySpace, Value, pointed_to
from hgrd.terms import const

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
_ON_DEVICE: Final = 3  # cudaMemcpyDeviceToDevice


def add_copy(call: LibraryCall, name: str) -> bool:
    """Adds a copy or fill; the result: whether the host may wait for more than that.

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
        for t in touches_of(call, v, size, writes=writes, rectangle=_rectangle(call, name, there=writes))
    ]
    add_work(call, "the fill" if fills else "the copy", stream_of(call, name), touches, waits=waits)
    stays = name in _SIZE_OF and on_device and _on_device(call, to) and (source is None or _on_device(call, source))
    return not later and not stays


def stream_of(call: LibraryCall, name: str) -> Value | None:
    """The stream that a function of this name gets; None: the default one."""
    return call.argument(_STREAM_OF[name]) if name in _STREAM_OF else None


def _rectangle(call: LibraryCall, name: str, *, there: bool) -> Rectangle | None:
    """The bytes that a copy or fill of lines uses where it writes to (`there`), or reads from."""
    indexes = _RECTANGLE_OF.get(name.removesuffix("Async"))
    if indexes is None:
        return None
    to, source, width = indexes
    pitch, row, lines = (call.number(n) for n in (to if there else source, width, width + 1))
    return None if pitch is None or row is None or lines is None else Rectangle(pitch, row, lines)


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
