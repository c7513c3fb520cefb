"""Launches, by their syntax and by functions of the CUDA runtime: `cudaLaunchKernel`, kernel nodes of graphs."""

from __future__ import annotations

from hgrd.host.concurrency.trace import Event, Follow, Mark, Wait, choices_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.launches.capture import Extents, LaunchRequest, capture_launch
from hgrd.host.library.stream_handles import made_handle
from hgrd.host.linking.stream_flags import stream_number
from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.program.types import VOID, ArrayType, Field, FunctionType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.arithmetic import convert
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, FunctionValue, Pointer, Value
from hgrd.terms import Term, as_int, const
from hgrd.terms.linear import linear

_ALONE = (const(1), const(1), const(1))
_MOST_NODES = 64
_MOST_ATTRIBUTES = 8
_EARLY = 6  # cudaLaunchAttributeProgrammaticStreamSerialization
_CLUSTER_DIMENSION = 4  # cudaLaunchAttributeClusterDimension


def launch_from_syntax(run: HostRunState, machine: Machine, state: State, launch: ir.Launch) -> Value:
    """kernel<<<grid, block, shared bytes, stream>>>(arguments …)."""
    kernel = machine.evaluate(state, launch.kernel)
    grid, block = machine.evaluate(state, launch.grid), machine.evaluate(state, launch.block)
    shared = None if launch.shared_bytes is None else machine.evaluate(state, launch.shared_bytes)
    to = launch.stream
    number = None if to is None else stream_number(to)
    stream = number if to is None or number else _by_value(machine, state, to, machine.evaluate(state, to))
    arguments = tuple(_by_value(machine, state, a, machine.evaluate(state, a)) for a in launch.arguments)
    signature = launch.kernel.type.to if isinstance(launch.kernel.type, PointerType) else launch.kernel.type
    type_ = signature if isinstance(signature, FunctionType) else None
    request = LaunchRequest(
        kernel, grid, block, shared, arguments, launch.span, type=type_, written=launch.arguments, stream=stream
    )
    capture_launch(run, machine, state, request)
    return OPAQUE


def _by_value(machine: Machine, state: State, argument: ir.Expression, value: Value) -> Value:
    """The value of an argument; kernels take no references, but code that compiles in part may seem to pass one."""
    if isinstance(argument.type, PointerType) and argument.type.reference:
        return load(machine, state, value, argument.type.to, argument.span)
    return value


def launch_from_function(call: LibraryCall) -> Value | None:
    """cudaLaunchKernel(kernel, grid, block, arguments, shared bytes, stream): arguments by their addresses."""
    if len(call.arguments) < 4:
        return None
    kernel, shared = call.arguments[0], call.arguments[4] if len(call.arguments) > 4 else None
    arguments = by_address(call, kernel, call.arguments[3])
    cooperative = "Cooperative" in call.name
    request = LaunchRequest(
        kernel,
        call.arguments[1],
        call.arguments[2],
        shared,
        arguments,
        call.span,
        cooperative,
        stream=call.stream(5),
    )
    capture_launch(call.run, call.machine, call.state, request)
    return const(0)


def launch_from_graph_node(call: LibraryCall) -> Value | None:
    """cudaGraphAddKernelNode(node, graph, dependencies, their number, cudaKernelNodeParams*)."""
    if len(call.arguments) < 5:
        return None
    node = call.arguments[4]
    kernel = member_at(call, node, "func")
    arguments = by_address(call, kernel, member_at(call, node, "kernelParams"))
    made = made_handle(call, call.arguments[0])
    _after_nodes(call, made)
    done = _launch_as_in(call, node, kernel, arguments, "sharedMemBytes", made, in_graph=True)
    _trace(
        call,
        Mark(
            call.run.trace.address_of(made),
            call.run.trace.address_of(made),
            call.run.trace.device,
            choices_of(call.state),
        ),
    )
    return done


def launch_from_changed_node(call: LibraryCall) -> Value | None:
    """cudaGraphKernelNodeSetParams(node, parameters), cudaGraphExecKernelNodeSetParams(graph, node, parameters)."""
    if len(call.arguments) < 2:
        return None
    node, parameters = call.argument(len(call.arguments) - 2), call.arguments[-1]
    kernel = member_at(call, parameters, "func")
    arguments = by_address(call, kernel, member_at(call, parameters, "kernelParams"))
    stream = OPAQUE if node is None else node
    return _launch_as_in(call, parameters, kernel, arguments, "sharedMemBytes", stream, in_graph=True)


def _after_nodes(call: LibraryCall, node: Value) -> None:
    """A node of a graph, which is a stream of its own here, comes after the nodes in an array of handles."""
    trace, choices, number = call.run.trace, choices_of(call.state), call.number(3)
    if not call.machine.speculative and isinstance(call.arguments[0], Pointer):
        trace.made[call.arguments[0].target.key] = False
    if number is None or not number.is_const or number.value > _MOST_NODES:
        _trace(call, Wait(None, None, trace.device, choices, sure=False))
        return
    for index in range(number.value):
        slot = move(call.arguments[2], const(8 * index))
        before = load(call.machine, call.state, slot, PointerType(VOID), call.span)
        follows = Follow(trace.address_of(node), trace.address_of(before), trace.device, choices)
        unknown = Wait(None, None, trace.device, choices, sure=False)
        _trace(call, follows if _is_made_node(call, before) else unknown)


def _is_made_node(call: LibraryCall, handle: Value) -> bool:
    """Whether a handle was found where a function that makes nodes has put one, and in no other container."""
    loaded = call.run.origins.loaded.get(handle.target.key) if isinstance(handle, Pointer) else None
    return loaded is not None and loaded.holder in call.run.trace.made


def _trace(call: LibraryCall, event: Event) -> None:
    if not call.machine.speculative:
        call.run.trace.add(event)


def launch_from_configuration(call: LibraryCall) -> Value | None:
    """cudaLaunchKernelEx(cudaLaunchConfig_t*, kernel, arguments …) and cudaLaunchKernelExC, arguments by address."""
    if len(call.arguments) < 2:
        return None
    config, kernel = call.arguments[0], call.arguments[1]
    if call.name.endswith("ExC"):
        arguments = by_address(call, kernel, call.arguments[2])
    else:
        arguments = tuple(v for i in range(2, len(call.arguments)) if (v := call.argument(i)) is not None)
    stream = member_at(call, config, "stream")
    return _launch_as_in(call, config, kernel, arguments, "dynamicSmemBytes", stream)


def _launch_as_in(
    call: LibraryCall,
    parameters: Value,
    kernel: Value,
    arguments: tuple[Value, ...],
    shared: str,
    stream: Value,
    *,
    in_graph: bool = False,
) -> Value:
    """A launch whose extents stand in a record of the runtime at the address `parameters`."""
    grid, block = member_at(call, parameters, "gridDim"), member_at(call, parameters, "blockDim")
    request = LaunchRequest(
        kernel,
        grid,
        block,
        member_at(call, parameters, shared),
        arguments,
        call.span,
        in_graph=in_graph,
        cluster=_ALONE if in_graph else _cluster(call, parameters),
        stream=stream,
        early=not in_graph and _begins_early(call, parameters),
    )
    capture_launch(call.run, call.machine, call.state, request)
    return const(0)


def _cluster(call: LibraryCall, config: Value) -> Extents | None:
    """Blocks of a cluster that the attribute of a configuration asks for; None: unknown, as where there are several."""
    attribute, count = member_at(call, config, "attrs"), member_at(call, config, "numAttrs")
    if not isinstance(count, Term) or not count.is_const or count.value > 1:
        return None
    if count.value == 0:
        return _ALONE
    kind = member_at(call, attribute, "id")
    if not isinstance(kind, Term) or not kind.is_const:
        return None
    if kind.value != _CLUSTER_DIMENSION:
        return _ALONE
    extents = [member_at(call, attribute, "val", "clusterDim", axis) for axis in "xyz"]
    x, y, z = (n if isinstance(n, Term) and n.is_const else None for n in extents)
    return None if x is None or y is None or z is None else (x, y, z)


def _begins_early(call: LibraryCall, config: Value) -> bool:
    """Whether a configuration has the attribute by which a kernel begins before the one before it has ended."""
    attributes, count = member_at(call, config, "attrs"), member_at(call, config, "numAttrs")
    most = count.value if isinstance(count, Term) and count.is_const else _MOST_ATTRIBUTES
    type_ = attributes.target.element if isinstance(attributes, Pointer) else None
    size = None if type_ is None else call.machine.size(_element(type_))
    for number in range(min(most, _MOST_ATTRIBUTES) if size else 0):
        attribute = move(attributes, const(number * (size or 0)))
        if member_at(call, attribute, "id") == const(_EARLY):
            return member_at(call, attribute, "val", "programmaticStreamSerializationAllowed") != const(0)
    return False


def member_at(call: LibraryCall, base: Value, *names: str) -> Value:
    """A member of the record at an address, or one of a member of it; unknown, if the program does not mention it."""
    type_ = _record_with(call, base, names[0]) if isinstance(base, Pointer) else None
    for name in names:
        member = next((m for m in _members(call, type_) if m.name == name), None)
        if member is None:
            return OPAQUE
        base, type_ = move(base, const(member.offset)), member.type
    return OPAQUE if type_ is None else load(call.machine, call.state, base, type_, call.span)


def _record_with(call: LibraryCall, place: Pointer, name: str) -> Type | None:
    """The type of the record at an address that has such a member: the object that it leads to, or a part of that."""
    constant, atoms = linear(place.offset)
    type_ = place.target.element
    while not any(m.name == name for m in _members(call, type_)):
        size = None if type_ is None else call.machine.size(_element(type_))
        if not size or any(c % size for c in atoms.values()):
            return None
        constant %= size
        parts = ((m, constant - m.offset) for m in _members(call, type_))
        part = next(((m, at) for m, at in parts if 0 <= at < (call.machine.size(m.type) or 0)), None)
        if part is None:
            return None
        type_, constant = part[0].type, part[1]
    return type_


def _members(call: LibraryCall, type_: Type | None) -> tuple[Field, ...]:
    match None if type_ is None else _element(type_):
        case RecordType(key=key) | OpaqueType(name=key):
            record = call.machine.records.get(key)
            return () if record is None else record.fields
        case _:
            return ()


def _element(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.of
    return type_


def by_address(call: LibraryCall, kernel: Value, array: Value) -> tuple[Value, ...]:
    """The arguments of a kernel whose addresses stand in an array; (): the kernel is unknown."""
    function = call.run.linked.functions.get(kernel.function.key) if isinstance(kernel, FunctionValue) else None
    values: list[Value] = []
    for index, parameter in enumerate(() if function is None else function.parameters):
        slot = move(array, const(8 * index))
        address = load(call.machine, call.state, slot, PointerType(VOID), call.span)
        values.append(_value_at(call, address, parameter.type, parameter.span))
    return tuple(values)


def _value_at(call: LibraryCall, address: Value, type_: Type, span: Span) -> Value:
    """The value at an address as `type_`; an integer keeps its value if only the signedness differs."""
    own = address.target.element if isinstance(address, Pointer) else None
    if not isinstance(own, IntType) or not isinstance(type_, IntType) or own.bits != type_.bits:
        return load(call.machine, call.state, address, type_, span)
    value = convert(load(call.machine, call.state, address, own, span), own, type_, explicit=False)
    return OPAQUE if value is None else value


def made_dim3(extents: tuple[Value, ...]) -> Composite:
    """The `dim3` that a constructor makes of these extents; those left out are 1."""
    cells: dict[int, Cell] = {}
    for index in range(3):
        value: Value = extents[index] if index < len(extents) else const(1)
        cells[4 * index] = Cell(as_int(value) if isinstance(value, Term) else OPAQUE, 4)
    return Composite(cells, 12)
