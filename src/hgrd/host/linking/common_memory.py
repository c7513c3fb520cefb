"""Common memory of the host and of kernels: whether a program's text shows that both may use some.

Managed and mapped memory, and on some systems all memory of the host (CUDA Programming Guide, "Unified Memory
Programming", "Mapped Memory").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.kernel_accesses import bare
from hgrd.host.linking.library_names import makes_memory
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.analysis.effects import local_effects, named
from hgrd.program.program import Function, Side
from hgrd.program.types import OpaqueType, PointerType
from hgrd.program.walk import nodes

_Root: TypeAlias = ir.Variable | str
"""A variable that holds a pointer, or the name of a member."""
_COMMON: Final = (
    "cudaMallocManaged", "cudaHostAlloc", "cudaMallocHost", "cudaHostMalloc", "cudaHostRegister",
    "cudaHostGetDevicePointer", "cuMemAllocManaged", "cuMemHostAlloc", "cuMemAllocHost", "cuMemHostRegister",
)  # fmt: skip
_CALLBACKS: Final = ("cudaLaunchHostFunc", "cudaStreamAddCallback", "cudaGraphAddHostNode")
_KEEPING: Final = ("ref", "cref", "tie", "forward_as_tuple", "addressof", "bind", "make_tuple", "make_pair")
_ON_DEVICE: Final = ("device_vector", "device_ptr", "device_malloc")


def uses_memory_of_kernels(functions: Mapping[str, Function]) -> bool:
    """Whether the host may use memory itself that kernels use, too."""
    hosts = [f for f in functions.values() if f.user_code and f.body is not None and f.side is not Side.KERNEL]
    bodies = [tuple(nodes(f.body)) for f in hosts if f.side in (Side.HOST, Side.BOTH)]
    everything = [n for body in bodies for n in body]
    if any(isinstance(n, ir.Call) and (_gives_common_memory(n.function) or _is_callback(n)) for n in everything):
        return True
    if any(_is_managed(n) for f in hosts if f.side is Side.HOST for n in nodes(f.body)):
        return True
    given = [a for n in everything if isinstance(n, ir.Launch) for a in n.arguments]
    if any(_leads_to_host(a) for a in given):
        return True
    roots = {root for a in given if (root := _root(a)) is not None}
    used = {root for n in everything if isinstance(n, ir.Deref) and (root := _root(n.pointer)) is not None}
    return not roots.isdisjoint(used) or not roots.isdisjoint(_held(everything))


def variables_of_callbacks(functions: Mapping[str, Function]) -> frozenset[str]:
    """The keys of variables in functions of the host that functions which a stream calls may use.

    Those are variables whose address is taken, where the program has such functions.
    """
    bodies = [f.body for f in functions.values() if f.user_code and f.body is not None and f.side is not Side.KERNEL]
    if not any(isinstance(n, ir.Call) and _is_callback(n) for body in bodies for n in nodes(body)):
        return frozenset()
    exposed = {variable for body in bodies for variable in local_effects(body).exposed}
    kept = {variable for body in bodies for variable in _may_be_kept(body)}
    return frozenset(v.key for v in exposed & kept if not isinstance(v.type, OpaqueType))


def _may_be_kept(body: st.Statement) -> Iterator[ir.Variable]:
    """Variables whose address may be kept: all but those that functions of the library only get by reference."""
    calls = (n for n in nodes(body) if isinstance(n, ir.Call) and not n.function.user_code)
    given = (a for n in calls if n.function.name not in _KEEPING for a in n.arguments)
    only_looked_at = {id(a) for a in given if isinstance(a.type, PointerType) and a.type.reference}
    for node in nodes(body):
        variable = named(node.place) if isinstance(node, ir.AddressOf) and id(node) not in only_looked_at else None
        if variable is not None:
            yield variable


def _is_callback(call: ir.Call) -> bool:
    return not call.function.user_code and cuda_name(call.function.name) in _CALLBACKS


def _gives_common_memory(function: ir.FunctionRef) -> bool:
    return cuda_name(function.name) in _COMMON or function.qualified.startswith("thrust::universal_")


def _is_managed(node: object) -> bool:
    """Whether the host accesses a variable of the device by its name, as it can a managed one."""
    match node:
        case ir.Load(place=place) | ir.Assign(place=place) | ir.Update(place=place):
            return any(
                isinstance(n, ir.VariablePlace) and n.variable.storage is ir.Storage.DEVICE for n in nodes(place)
            )
        case _:
            return False


def _root(expression: ir.Expression) -> _Root | None:
    """What holds the pointer that an expression is computed from."""
    match bare(expression):
        case ir.PointerAdd(pointer=pointer):
            return _root(pointer)
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return variable
        case ir.Load(place=ir.FieldPlace(field=member)):
            return member.name
        case ir.Load(place=ir.Deref(pointer=pointer)):
            return _root(pointer)
        case _:
            return None


def _leads_to_host(argument: ir.Expression) -> bool:
    """Whether an argument is the address of a variable, or of the elements of a container of the host."""
    match bare(argument):
        case ir.AddressOf():
            return True
        case ir.Call(function=ir.FunctionRef(name="raw_pointer_cast"), arguments=(pointer,)):
            return _leads_to_host(pointer)
        case ir.Call(function=function, arguments=arguments) if not function.user_code:
            types = (str(n.type) for a in arguments for n in nodes(a) if isinstance(n, ir.Load | ir.AddressOf))
            inner = any(isinstance(n, ir.Call) for a in arguments for n in nodes(a))
            return function.name in ("data", "get") and not inner and not any(d in t for t in types for d in _ON_DEVICE)
        case _:
            return False


def _held(everything: list[object]) -> Iterator[_Root]:
    """What holds pointers to memory that the host has made."""
    for node in everything:
        match node:
            case st.Declare(variable=root, initial=value) if value is not None and _makes(value):
                yield root
            case ir.Assign(place=ir.VariablePlace(variable=root), value=value) if _makes(value):
                yield root
            case ir.Assign(place=ir.FieldPlace(field=member), value=value) if _makes(value):
                yield member.name
            case _:
                pass


def _makes(value: ir.Expression) -> bool:
    match bare(value):
        case ir.New():
            return True
        case ir.Call(function=function):
            return makes_memory(function)
        case _:
            return False
