"""Why kernels may have launches that no run over the host code comes to: jumps out of functions, and modules.

`longjmp` goes on behind a `setjmp` with whatever the program has changed in between (C11, 7.13.2.1): that is not
followed.  A kernel that is got out of a module by its name is launched by a handle (CUDA Driver API, "Module
Management").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hgrd.host.link import Linked
from hgrd.host.model import HostNote
from hgrd.program import expressions as ir
from hgrd.program.program import Function, Side
from hgrd.program.walk import nodes

_JUMPS: Final = ("longjmp", "siglongjmp", "_longjmp")
_BY_NAME: Final = {"cuModuleGetFunction": 2, "cuLibraryGetKernel": 2, "cudaLibraryGetKernel": 2}  # the name's argument
_ALL: Final = ("cuModuleEnumerateFunctions", "cuLibraryEnumerateKernels", "cudaLibraryEnumerateKernels")


def launched_elsewhere(linked: Linked) -> dict[str, HostNote]:
    """The keys of kernels that may have further launches, each with the place and the reason."""
    kernels = [f for f in linked.functions.values() if f.side is Side.KERNEL]
    found: dict[str, HostNote] = {}
    for call in _calls(linked):
        name = call.function.name
        if name in _JUMPS:
            note = HostNote(call.span, f"{name} is not followed")
            found |= {kernel.ref.key: note for kernel in kernels}
        elif name in _BY_NAME or name in _ALL:
            note = HostNote(call.span, f"{name} is not followed")
            found |= dict.fromkeys(_named(call, kernels), note)
    return found


def _calls(linked: Linked) -> Iterator[ir.Call]:
    for key in linked.uses:
        yield from (n for n in nodes(linked.functions[key].body) if isinstance(n, ir.Call))


def _named(call: ir.Call, kernels: Iterable[Function]) -> Iterator[str]:
    """The kernels that a call may mean: those whose name is in the text, which may be mangled, or all."""
    at = _BY_NAME.get(call.function.name, len(call.arguments))
    name = call.arguments[at] if at < len(call.arguments) else None
    while isinstance(name, ir.Convert):
        name = name.operand
    text = name.value if isinstance(name, ir.StringConst) else None
    return (kernel.ref.key for kernel in kernels if text is None or kernel.ref.name in text)
