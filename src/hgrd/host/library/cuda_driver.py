"""Models of the CUDA driver API, which launches kernels of modules by name (CUDA Driver API, "Module Management").

cuModuleGetFunction(&function, module, "scale");
cuLaunchKernel(function, grid x, y, z, block x, y, z, shared bytes, stream, addresses of arguments, 0);
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.launches.capture import LaunchRequest, capture_launch
from hgrd.host.library.launch_functions import by_address
from hgrd.host.linking.hidden_launches import plain_name
from hgrd.host.wording import pointee
from hgrd.program.program import Side
from hgrd.program.types import INT, VOID, PointerType
from hgrd.symbolic.state import ConditionKind
from hgrd.symbolic.values import OPAQUE, Cell, Choice, Composite, FunctionValue, MemorySpace, Value, pointed_to
from hgrd.terms import negate


def get_function(call: LibraryCall) -> None:
    """cuModuleGetFunction(function*, module, name), of a kernel of the program under its name for the linker."""
    name = plain_name(call.call)
    kernel = None if name is None else call.run.linked.functions.get(name)
    if kernel is not None and kernel.side is Side.KERNEL:
        call.store_at(call.arguments[0], FunctionValue(kernel.ref), PointerType(VOID))


def allocate(call: LibraryCall) -> None:
    """cuMemAlloc(CUdeviceptr*, size): the number is the address of a new object; copies to it go by that number."""
    if len(call.arguments) < 2:
        return
    name, type_ = call.receiver(0)
    made = call.allocate(name, pointee(type_), MemorySpace.GLOBAL, call.number(1))
    call.run.provenance.objects.record_input([made.target])
    call.store_at(call.arguments[0], made, PointerType(INT))


def launch_function(call: LibraryCall) -> None:
    """cuLaunchKernel and cuLaunchCooperativeKernel; arguments that are packed (`extra`) may be anything."""
    if len(call.arguments) >= 10:
        _launch(call, call.arguments[0])


def _launch(call: LibraryCall, kernel: Value) -> None:
    match kernel:
        case Choice(condition=condition, then=a, otherwise=b):
            for one, test in ((a, condition), (b, negate(condition))):
                branch = call.state.copy()
                branch.assume(test, ConditionKind.BRANCH, call.span)
                _launch(replace(call, state=branch), one)
        case _:
            grid, block = _extents(call, 1), _extents(call, 4)
            arguments = by_address(call, kernel, call.arguments[9])
            if not call.machine.speculative and call.state.alive:
                known = bool(call.run.launches.overlooked) or _leads(call, kernel, arguments)
                before = call.run.launches.by_handle.get(call.span, isinstance(kernel, FunctionValue))
                call.run.launches.by_handle[call.span] = before and known
            cooperative = "Cooperative" in call.name
            request = LaunchRequest(
                kernel, grid, block, call.number(7), arguments, call.span, cooperative, stream=call.argument(8)
            )
            capture_launch(call.run, call.machine, call.state, request)


def _leads(call: LibraryCall, kernel: Value, arguments: tuple[Value, ...]) -> bool:
    """Whether the targets of all pointer arguments are known: not after arithmetic on addresses as numbers."""
    function = call.run.linked.functions.get(kernel.function.key) if isinstance(kernel, FunctionValue) else None
    parameters = () if function is None else function.parameters
    types = [p.type for p in parameters]
    pointers = [a for a, t in zip(arguments, types, strict=False) if isinstance(t, PointerType)]
    return len(arguments) == len(types) and all(tuple(pointed_to(a)) for a in pointers)


def _extents(call: LibraryCall, first: int) -> Composite:
    return Composite({4 * i: Cell(call.argument(first + i) or OPAQUE, 4) for i in range(3)}, 12)
