"""Device functions of CUDA whose meaning is known: barriers, atomics, shuffles, vector types, maths.

CUDA Programming Guide, "C++ Language Extensions"; cooperative groups likewise.
"""

from __future__ import annotations

from hgrd.cuda.atomics import atomic_function
from hgrd.cuda.builtins import Builtin, Kind, builtin
from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import BinaryOp, Call
from hgrd.program.layout import scalars
from hgrd.program.types import BoolType, IntType, PointerType, RecordType, Type, VoidType
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.device_calls.addresses import address_function
from hgrd.protocol.device_calls.annotations import SPECIFICATIONS, is_specification
from hgrd.protocol.device_calls.asynchronous_copies import counted_copy, pipeline_primitive
from hgrd.protocol.device_calls.barriers.in_memory import barrier_object_call
from hgrd.protocol.device_calls.barriers.of_pipelines import pipeline_call
from hgrd.protocol.device_calls.cooperative_groups import group_call, half_of_cluster_barrier
from hgrd.protocol.device_calls.curand import random
from hgrd.protocol.device_calls.libcu_atomics import atomic_object_call
from hgrd.protocol.device_calls.matrix_fragments import element_access
from hgrd.protocol.device_calls.memory import (
    atomic,
    cached_load,
    cached_store,
    copy,
    heap_memory,
    order_and_scope,
)
from hgrd.protocol.device_calls.number_functions import number_in_memory, numbers
from hgrd.protocol.device_calls.surfaces import surface_access, texture_fetch
from hgrd.protocol.device_calls.unknown_functions import foreign
from hgrd.protocol.device_calls.warp_collectives import exchanged, thread_number, width_of_parts
from hgrd.protocol.inference.semantics import DeviceCalls, DeviceSemantics, Handler
from hgrd.symbolic import arithmetic, floats, integers
from hgrd.symbolic.bit_functions import integer_function
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Choice, Composite, FloatValue, Pointer, Value
from hgrd.terms import (
    Origin,
    Term,
    as_int,
    const,
    div,
    ite,
    le,
    mod,
    mul,
    neg,
)
from hgrd.terms.interval import of_type


def intrinsic(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a call of a library's function; None if its effects are unknown, or a body of the program says them."""
    if call.function.user_code:
        return None if _has_body(machine, call) else foreign(device, machine, state, call, arguments)
    name = call.function.name
    row = builtin(name)
    handler = SPECIFICATIONS.get(name) or (None if row is None else _known_number(row))
    if handler is not None:
        return handler(device, machine, state, call, arguments)
    function = atomic_function(name)
    if function is not None:
        return atomic(device, machine, state, call, arguments, function)
    for objects in (atomic_object_call, barrier_object_call, counted_copy, number_in_memory):
        known = objects(device, machine, state, call, arguments)
        if known is not None:
            return known
    grouped = group_call(device, machine, state, call, arguments)
    if grouped is not None:
        return grouped
    meaning = foreign if row is None else MEANINGS.get(row.kind, foreign)
    return meaning(device, machine, state, call, arguments)


def _known_number(row: Builtin) -> Handler | None:
    """Meaning of a function of numbers that is more than a function of its arguments."""
    return NUMBERS.get(row.operation) if row.kind is Kind.NUMBER else None


def _has_body(machine: Machine, call: Call) -> bool:
    function = machine.functions.get(call.function.key)
    return function is not None and function.body is not None


def _exchange(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value that lanes of a warp compute together: of a vote, a reduction or a shuffle."""
    name = call.function.name
    row = builtin(name)
    assert row is not None
    value = machine.unknown(f"{name}()", call.type, Origin.DATA, row.result)
    exchanged(device, machine, state, name, arguments, value)
    if row.kind in _EXCHANGES:
        device.recorder.exchange(machine, name, call.span)
    for at in row.writes:
        type_ = call.arguments[at].type
        if isinstance(type_, PointerType):
            stored = machine.unknown(f"{name}()", type_.to, Origin.DATA)
            device.uniformity.exchange(stored)
            store(machine, state, arguments[at], stored, type_.to, call.span)
    return value


def _vector(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a vector type, a record of the arguments where it consists of these alone."""
    row = builtin(call.function.name)
    operation = "" if row is None else row.operation
    if operation == "make" and isinstance(call.type, RecordType):
        return _make_vector(machine, call.type, arguments)
    if operation == "dim3" and len(arguments) >= 4:
        return _dim3(arguments)
    return foreign(device, machine, state, call, arguments)


def _specification(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Specification that is not understood: it has no effect, and its value is unknown."""
    if isinstance(call.type, VoidType):
        return OPAQUE
    return machine.unknown(call.function.name, call.type, Origin.UNKNOWN)


# ---------------------------------------------------------------- barriers, fences


def _block_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]
) -> Value | None:
    device.barrier(machine, state, Scope.BLOCK, call.span)
    if isinstance(call.type, VoidType):
        return OPAQUE
    row = builtin(call.function.name)
    vote = machine.unknown("vote", call.type, Origin.DATA, None if row is None else row.result)
    device.uniformity.exchange(vote)
    if not device.of_grid:
        device.uniformity.spread(machine, vote)
    return vote


def _named_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Barrier with a number, of as many threads as it counts; None where these are no numbers."""
    row = builtin(call.function.name)
    number, count = (*arguments, None)[:2]
    if not isinstance(number, Term) or not isinstance(count, Term | None):
        return None
    arrives = row is not None and row.operation == "arrive"
    device.barrier(machine, state, Scope.BLOCK, call.span, named=NamedBarrier(number, count, arrives))
    return OPAQUE


def _warp_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    mask = arguments[0] if arguments and isinstance(arguments[0], Term) else None
    width = None if mask is None else width_of_parts(device, mask)
    if width is None:
        device.barrier(machine, state, Scope.WARP, call.span, mask=mask)
    else:
        device.barrier(machine, state, Scope.WARP, call.span, tile=div(thread_number(device), const(width)))
    return OPAQUE


def _fence(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Fence of the scope that its name or an argument gives; None where the argument is not constant."""
    row = builtin(call.function.name)
    if row is not None and row.scope is not None:
        device.fence(machine, state, row.scope, call.span)
        return OPAQUE
    known = order_and_scope(arguments)
    if known is None:
        return None
    order, scope = known
    device.fence(machine, state, scope, call.span, order)
    return OPAQUE


def _silent(device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]) -> Value | None:
    return OPAQUE if isinstance(call.type, VoidType) else machine.unknown(call.function.name, call.type, Origin.DATA)


def _stop(device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]) -> Value | None:
    device.abort(machine, state, call.span)
    state.kill(call.span)
    return OPAQUE


# ---------------------------------------------------------------- values


def _make_vector(machine: Machine, type_: RecordType, arguments: tuple[Value, ...]) -> Value:
    members = scalars(type_, machine.records, 16)
    return Composite(
        {at: Cell(v, machine.size(t) or 1) for (at, t), v in zip(members, arguments, strict=False)},
        machine.size(type_) or 0,
    )


def _dim3(arguments: tuple[Value, ...]) -> Value:
    return Composite({4 * i: Cell(v, 4) for i, v in enumerate(arguments[1:4])}, 12)


def _number(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Function of numbers: computed where it is an integer intrinsic, else a name for the value at its arguments."""
    numbers = tuple(as_int(a) for a in arguments if isinstance(a, Term))
    if len(numbers) == len(arguments) and isinstance(call.type, IntType):
        value = integer_function(call.function.name, numbers)
        if value is not None:
            return value
    return foreign(device, machine, state, call, arguments)


def _multiply(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Product of __mul24 and __umul24, where the operands fit 24 bits."""
    a, b = arguments[:2]
    if isinstance(a, Term) and isinstance(b, Term):
        return integers.reduced(mul(as_int(a), as_int(b)), call.type)
    return None


def _extreme(greatest: bool) -> Handler:
    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
    ) -> Value | None:
        if not arguments and isinstance(call.type, IntType):  # std::numeric_limits
            low, high = of_type(call.type.bits, call.type.signed)
            return const(high if greatest else low)
        if len(arguments) < 2:
            return foreign(device, machine, state, call, arguments)
        if isinstance(call.arguments[0].type, PointerType):
            return _extreme_of_places(machine, state, call, arguments, greatest)
        a, b = (_as_type(v, e.type, call.type) for v, e in zip(arguments, call.arguments, strict=False))
        value = arithmetic.extreme(a, b, greatest=greatest)
        return value if value is not None else foreign(device, machine, state, call, arguments)

    return handler


def _extreme_of_places(
    machine: Machine, state: State, call: Call, arguments: tuple[Value, ...], greatest: bool
) -> Value | None:
    """Minimum or maximum by reference: std::min and std::max take references and return one of them."""
    type_ = call.arguments[0].type
    if len(arguments) != 2 or not isinstance(type_, PointerType):
        return None
    a, b = (load(machine, state, p, type_.to, call.span) for p in arguments)
    order = arithmetic.binary(BinaryOp.LT, a, b, BoolType())
    test = arithmetic.truth_of(order) if order is not None else None
    if test is None:
        test = machine.unknown_truth("comparison", Origin.DATA)
    first, second = arguments
    if isinstance(first, Pointer) and isinstance(second, Pointer):
        return Choice(test, second, first) if greatest else Choice(test, first, second)
    return None


def _as_type(value: Value, source: Type, target: Type) -> Value:
    if isinstance(target, PointerType):
        return value
    converted = arithmetic.convert(value, source, target, explicit=False)
    return value if converted is None else converted


def _absolute(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    value = arguments[0]
    if isinstance(value, Term) and isinstance(call.type, IntType):
        number = as_int(value)
        return ite(le(const(0), number), number, neg(number))
    return foreign(device, machine, state, call, arguments)


def _rounded(up: bool) -> Handler:
    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
    ) -> Value | None:
        value = arguments[0]
        return floats.rounded(value, up=up) if isinstance(value, FloatValue) else None

    return handler


def _lane(device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]) -> Value | None:
    """Lane; or the number of the warp, where threads are not moved while they run (PTX ISA, "%warpid")."""
    row = builtin(call.function.name)
    if row is None or row.operation != "warp":
        return mod(thread_number(device), const(WARP_SIZE))
    if not machine.speculative:
        text = "%warpid is the number of the warp in its block: no warp is moved to another place while it runs"
        device.assumptions.assume(text, call.span)
    return div(thread_number(device), const(WARP_SIZE))


_EXCHANGES = (Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUCE)

NUMBERS: dict[str, Handler] = {
    "min": _extreme(False),
    "max": _extreme(True),
    "abs": _absolute,
    "ceil": _rounded(True),
    "floor": _rounded(False),
    "mul24": _multiply,
}
"""Numbers by operation."""

MEANINGS: dict[Kind, Handler] = {
    Kind.BLOCK_BARRIER: _block_barrier,
    Kind.NAMED_BARRIER: _named_barrier,
    Kind.WARP_BARRIER: _warp_barrier,
    Kind.FENCE: _fence,
    Kind.LANE: _lane,
    Kind.LOAD: cached_load,
    Kind.STORE: cached_store,
    Kind.COPY: copy,
    Kind.FILL: copy,
    Kind.STOP: _stop,
    Kind.ASSERT: _specification,
    Kind.SPECIFICATION: _specification,
    Kind.SILENT: _silent,
    **dict.fromkeys((Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUCE, Kind.ACTIVE_MASK), _exchange),
    **dict.fromkeys((Kind.REGISTER, Kind.UNTOLD), _exchange),
    Kind.NUMBER: _number,
    Kind.NUMBERS: numbers,
    Kind.CLUSTER_BARRIER: half_of_cluster_barrier,
    Kind.ASYNC_COPY: pipeline_primitive,
    Kind.PIPELINE: pipeline_call,
    Kind.VECTOR: _vector,
    Kind.HEAP: heap_memory,
    Kind.ADDRESS: address_function,
    Kind.RANDOM: random,
    Kind.TEXTURE: texture_fetch,
    Kind.SURFACE: surface_access,
    Kind.FRAGMENT: element_access,
}
"""Meaning of each kind of device function in a protocol; the others are `foreign`."""

DEVICE_CALLS = DeviceCalls(intrinsic, is_specification)
