"""Hidden launches: those that no run over the host code comes to, because of `longjmp` or of modules.

`longjmp` goes on after a `setjmp` with whatever the program has changed in between (C11, 7.13.2.1); this is not
followed.  A kernel that is looked up in a module by its name is launched by a handle (CUDA Driver API, "Module
Management").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hgrd.host.linking.link import Linked
from hgrd.host.model import HostNote
from hgrd.program import expressions as ir
from hgrd.program.program import Function, Side
from hgrd.program.span import Span
from hgrd.program.types import OpaqueType, PointerType, RecordType
from hgrd.program.walk import nodes

_JUMPS: Final = ("longjmp", "siglongjmp", "_longjmp")
_BY_NAME: Final = {"cuModuleGetFunction": 2, "cuLibraryGetKernel": 2, "cudaLibraryGetKernel": 2}  # the name's argument
_HANDLES: Final = ("CUfunc_st", "CUkern_st")
_ALL: Final = ("cuModuleEnumerateFunctions", "cuLibraryEnumerateKernels", "cudaLibraryEnumerateKernels")


def hidden_launches(linked: Linked, driven: Mapping[Span, bool]) -> dict[str, HostNote]:
    """The keys of kernels that may have further launches, each with the place and the reason.

    `driven`: the launches by the driver API that the run has come to, and whether it knew their kernels.  Where there
    are no others, it has followed the kernels that are looked up by constant names.
    """
    kernels = [f for f in linked.functions.values() if f.side is Side.KERNEL]
    calls = tuple(_calls(linked))
    followed = all(driven.get(call.span, False) for call in calls if _drives(call.function.name))
    followed = followed and not any(call.function.key not in linked.uses and _hands_out(call) for call in calls)
    found: dict[str, HostNote] = {}
    for call in calls:
        name = call.function.name
        if name in _JUMPS:
            note = HostNote(call.span, f"{name} is not followed")
            found |= {kernel.ref.key: note for kernel in kernels}
        elif followed and name == "cuModuleGetFunction" and plain_name(call) in linked.functions:
            continue
        elif name in _BY_NAME or name in _ALL:
            note = HostNote(call.span, f"{name} is not followed")
            found |= dict.fromkeys(_named(call, kernels), note)
    return found


def _calls(linked: Linked) -> Iterator[ir.Call]:
    for key in linked.uses:
        yield from (n for n in nodes(linked.functions[key].body) if isinstance(n, ir.Call))


def _named(call: ir.Call, kernels: Iterable[Function]) -> Iterator[str]:
    """The keys of kernels that a look-up may mean: those whose name is in its constant, maybe mangled, text, or all."""
    text = plain_name(call)
    return (kernel.ref.key for kernel in kernels if text is None or kernel.ref.name in text)


def plain_name(call: ir.Call) -> str | None:
    """The name that a call looks up in a module; None: it is not constant."""
    at = _BY_NAME.get(call.function.name, len(call.arguments))
    name = call.arguments[at] if at < len(call.arguments) else None
    while isinstance(name, ir.Convert):
        name = name.operand
    return name.value if isinstance(name, ir.StringConst) else None


def _hands_out(call: ir.Call) -> bool:
    """Whether a function outside CUDA is passed a handle of a kernel by value."""
    types = [a.type.to if isinstance(a.type, PointerType) else None for a in call.arguments]
    handle = any(isinstance(t, RecordType | OpaqueType) and _name(t) in _HANDLES for t in types)
    return handle and not call.function.name.startswith("cu")


def _name(type_: RecordType | OpaqueType) -> str:
    return type_.key if isinstance(type_, RecordType) else type_.name


def _drives(name: str) -> bool:
    """Whether a function of this name launches the kernel of a handle, or prepares such a launch."""
    return name.startswith("cu") and ("Launch" in name or "KernelNode" in name) and "HostFunc" not in name
