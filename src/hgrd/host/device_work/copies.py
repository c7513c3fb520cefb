"""Copies and fills: what they touch, and whether the host waits for them.

CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.concurrency.rows import Rectangle
from hgrd.host.concurrency.trace import Touch
from hgrd.host.device_work.work import Role, add_work, held_touches, touches_of, used_later
from hgrd.host.execution.library_call import LibraryCall
from hgrd.symbolic.values import OPAQUE, MemorySpace, Value, pointed_to
from hgrd.terms import Term, const, mul


class _Form(Struct, frozen=True):
    """Where the arguments of a copy or fill are: what it writes, what it reads (None: it fills), and how much.

    `stream`: the index of the stream, of the function that has one.  `size`: that of the number of elements, of
    `element` bytes.  `lines`: those of the pitches there and here, and of the width, behind which the height comes.
    `described`: the first argument leads to a record of all that.
    """

    stream: int
    source: int | None = None
    size: int | None = None
    element: int = 1
    lines: tuple[int, int, int] | None = None
    described: bool = False


_FORMS: Final[Mapping[str, _Form]] = {  # the destination comes first (Runtime and Driver API, "Memory Management")
    "cudaMemcpy": _Form(4, 1, 2),
    "cudaMemcpyPeer": _Form(5, 2, 4),
    "cudaMemcpyToSymbol": _Form(5, 1),
    "cudaMemcpyFromSymbol": _Form(5, 1),
    "cudaMemcpyToArray": _Form(6, 3),
    "cudaMemcpyFromArray": _Form(6, 1),
    "cudaMemcpyArrayToArray": _Form(8, 3),
    "cudaMemcpy2D": _Form(7, 2, lines=(1, 3, 4)),
    "cudaMemcpy2DToArray": _Form(8, 3),
    "cudaMemcpy2DFromArray": _Form(8, 2),
    "cudaMemcpy2DArrayToArray": _Form(9, 3),
    "cudaMemcpy3D": _Form(1, described=True),
    "cudaMemcpy3DPeer": _Form(1, described=True),
    "cudaMemset": _Form(3, size=2),
    "cudaMemset2D": _Form(5, lines=(1, 1, 3)),
    "cudaMemset3D": _Form(3),
    **dict.fromkeys(("cuMemcpy", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD"), _Form(3, 1, 2)),
    "cuMemcpyPeer": _Form(5, 2, 4),
    **dict.fromkeys(("cuMemcpyAtoH", "cuMemcpyAtoD"), _Form(4, 1)),
    **dict.fromkeys(("cuMemcpyHtoA", "cuMemcpyDtoA"), _Form(4, 2)),
    "cuMemcpyAtoA": _Form(5, 2),
    **dict.fromkeys(
        ("cuMemcpy2D", "cuMemcpy2DUnaligned", "cuMemcpy3D", "cuMemcpy3DPeer"), _Form(1, described=True)
    ),
    "cuMemsetD8": _Form(3, size=2),
    "cuMemsetD16": _Form(3, size=2, element=2),
    "cuMemsetD32": _Form(3, size=2, element=4),
    **dict.fromkeys(("cuMemsetD2D8", "cuMemsetD2D16", "cuMemsetD2D32"), _Form(5)),
}  # fmt: skip
_ON_DEVICE: Final = 3  # cudaMemcpyDeviceToDevice


def is_copy(name: str) -> bool:
    """Whether the runtime's, or the driver's, function of this name is a copy or fill."""
    return name.startswith(("cudaMemcpy", "cudaMemset", "cuMemcpy", "cuMemset"))


def add_copy(call: LibraryCall, name: str) -> bool:
    """Adds a copy or fill; the result: whether the host may wait for more than that.

    No fill of memory of the device waits, and no copy within it (CUDA Runtime API, "API synchronization behavior").
    """
    later = name.endswith("Async")
    form = _FORMS.get(name.removesuffix("Async"))
    if form is None:
        add_work(call, "the copy", OPAQUE, held_touches(call, OPAQUE, Role.UPDATED))  # any memory, in any stream
        return not later
    fills = name.startswith(("cudaMemset", "cuMemset"))
    to = call.arguments[0] if "Symbol" in name and call.arguments else call.argument(0)
    source = _source(call, name, form)
    kind = call.number(3) if name in ("cudaMemcpy", "cudaMemcpyAsync") else None
    within = name.startswith("cuMemcpyDtoD") or (kind is not None and kind == const(_ON_DEVICE))
    on_device = fills or within
    waits = _is_pageable(call, to) if later and not fills and not form.described else not later and not on_device
    touches = [
        used_later(call, v, t) if later and not waits else replace(t, locked=False)
        for v, writes in ((to, True), (source, False))
        if v is not None
        for t in _touches(call, v, form, writes=writes)
    ]
    stream = call.stream(form.stream) if later else None
    add_work(call, "the fill" if fills else "the copy", stream, touches, waits=waits)
    stays = form.size is not None and on_device and _on_device(call, to)
    return not later and not (stays and (source is None or _on_device(call, source)))


def _source(call: LibraryCall, name: str, form: _Form) -> Value | None:
    if form.source is None:
        return None
    by_name = "FromSymbol" in name and len(call.arguments) > form.source
    return call.arguments[form.source] if by_name else call.argument(form.source)


def _touches(call: LibraryCall, value: Value, form: _Form, *, writes: bool) -> list[Touch]:
    """What a copy or fill writes, or reads; pointers that are numbers, or in records, may lead to any memory."""
    if form.described or isinstance(value, Term):
        return held_touches(call, value, Role.UPDATED if form.described else Role.WRITTEN if writes else Role.READ)
    number = None if form.size is None else call.number(form.size)
    size = None if number is None else mul(number, const(form.element))
    return touches_of(call, value, size, writes=writes, rectangle=_rectangle(call, form, there=writes))


def _rectangle(call: LibraryCall, form: _Form, *, there: bool) -> Rectangle | None:
    """The bytes that a copy or fill of lines uses where it writes to (`there`), or reads from."""
    if form.lines is None:
        return None
    to, source, width = form.lines
    pitch, row, lines = (call.number(n) for n in (to if there else source, width, width + 1))
    return None if pitch is None or row is None or lines is None else Rectangle(pitch, row, lines)


def _on_device(call: LibraryCall, value: Value | None) -> bool:
    """Whether a pointer leads to memory of the device that the host cannot reach."""
    targets = () if value is None else tuple(pointed_to(value))
    return bool(targets) and all(t.space is MemorySpace.GLOBAL and not t.external for t in targets)


def _is_pageable(call: LibraryCall, to: Value | None) -> bool:
    """Whether a copy goes to memory of the host that is not page-locked: it is complete when the call returns."""
    targets = () if to is None else tuple(pointed_to(to))
    locked = call.run.copies.page_locked
    hosts = (MemorySpace.HOST, MemorySpace.LOCAL)
    return bool(targets) and all(t.space in hosts and not t.external and t.key not in locked for t in targets)
