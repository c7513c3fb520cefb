"""Device functions of CUDA whose meaning is known: barriers, atomics, shuffles, vector types, maths.

CUDA Programming Guide, "C++ Language Extensions"; cooperative groups likewise.
"""

from __future__ import annotations

import re

from hgrd.cuda.limits import MAX_THREADS, WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import BinaryOp, Call
from hgrd.program.layout import scalars
from hgrd.program.types import BoolType, IntType, PointerType, RecordType, Type, VoidType
from hgrd.protocol.device_calls.annotations import SPECIFICATIONS, is_annotation, is_specification
from hgrd.protocol.device_calls.cooperative_groups import group_call
from hgrd.protocol.device_calls.curand import is_random, random
from hgrd.protocol.device_calls.libcu_atomics import atomic_member
from hgrd.protocol.device_calls.memory import atomic, cached_load, cached_store, copy, is_atomic
from hgrd.protocol.device_calls.surfaces import is_surface, is_texture, surface_access, texture_fetch
from hgrd.protocol.device_calls.unknown_functions import foreign
from hgrd.protocol.device_calls.warp_collectives import same_for_warp, thread_number
from hgrd.protocol.inference.semantics import DeviceCalls, DeviceSemantics, Handler
from hgrd.symbolic import arithmetic, floats, integers
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Choice, Composite, FloatValue, Pointer, Value
from hgrd.terms import (
    Origin,
    Term,
    as_int,
    const,
    ite,
    le,
    mod,
    mul,
    neg,
)
from hgrd.terms.interval import of_type

_SILENT = {
    "printf", "__nanosleep", "__prefetch_global_l1", "__pipeline_commit", "clock", "assert", "vprintf",
    "__brkpt", "__assertfail", "free", "__pipeline_wait_prior", "__syncwarp_hint",
}  # fmt: skip
_COPY_READ = {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", "__builtin_nontemporal_load"}
_COPY_WRITE = {"__stcg", "__stcs", "__stwt", "__stwb"}
_SHUFFLE = re.compile(r"^__shfl(_up|_down|_xor)?(_sync)?$")
_VOTES = {
    "__ballot_sync", "__ballot", "__activemask", "__any_sync", "__all_sync", "__any", "__all", "__match_any_sync",
    "__match_all_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_or_sync",
    "__reduce_and_sync", "__reduce_xor_sync", "__lane_id", "__smid", "clock64", "__globaltimer", "__fns", "clock",
}  # fmt: skip
_TRUTHS = {"__any_sync", "__all_sync", "__any", "__all", "__syncthreads_or", "__syncthreads_and"}


def intrinsic(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """The value of a known function; None if it is not known."""
    name = call.function.name
    handler = _TABLE.get(name)
    if handler is not None:
        return handler(device, machine, state, call, arguments)
    if is_atomic(name):
        return atomic(device, machine, state, call, arguments)
    known = atomic_member(device, machine, state, call, arguments)
    if known is not None:
        return known
    grouped = group_call(device, machine, state, call, arguments)
    if grouped is not None:
        return grouped
    function = machine.functions.get(call.function.key)
    if function is not None and function.body is not None:
        return None
    if _SHUFFLE.match(name) or name in _VOTES:
        value = machine.unknown(f"{name}()", call.type, Origin.DATA, _bounds(name))
        given = arguments[1] if _SHUFFLE.match(name) and len(arguments) > 1 else None
        device.uniformity.alike_for(machine, value, same_for_warp(device, name, arguments), given)
        return value
    if name.startswith("make_") and isinstance(call.type, RecordType):
        return _make_vector(machine, call.type, arguments)
    if name in ("dim3", "uint3") and len(arguments) >= 4:
        return _dim3(arguments)
    if is_annotation(name):
        return OPAQUE if isinstance(call.type, VoidType) else machine.unknown(name, call.type, Origin.UNKNOWN)
    if is_surface(name):
        return surface_access(device, machine, state, call, arguments)
    if is_texture(name):
        return texture_fetch(device, machine, state, call, arguments)
    if is_random(name):
        return random(device, machine, state, call, arguments)
    return foreign(device, machine, state, call, arguments)


def _bounds(vote: str) -> tuple[int, int] | None:
    """What a vote can result in; "non-zero" is 1, as PTX makes a predicate of it (PTX ISA, vote.sync, bar.red)."""
    if vote in _TRUTHS:
        return 0, 1
    return (0, MAX_THREADS) if vote == "__syncthreads_count" else None


# ---------------------------------------------------------------- barriers, fences


def _block_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]
) -> Value | None:
    device.barrier(machine, state, Scope.BLOCK, call.span)
    if isinstance(call.type, VoidType):
        return OPAQUE
    vote = machine.unknown("vote", call.type, Origin.DATA, _bounds(call.function.name))
    if not device.of_grid:
        device.uniformity.spread(machine, vote)
    return vote


def _warp_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    mask = arguments[0] if arguments and isinstance(arguments[0], Term) else None
    device.barrier(machine, state, Scope.WARP, call.span, mask=mask)
    return OPAQUE


def _fence(scope: Scope) -> Handler:
    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]
    ) -> Value | None:
        device.fence(machine, state, scope, call.span)
        return OPAQUE

    return handler


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


def _multiply(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """__mul24, __umul24: the product, where the operands fit 24 bits."""
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
    """std::min and std::max: references to two values, and to the one of them."""
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
    return mod(thread_number(device), const(WARP_SIZE))


_TABLE: dict[str, Handler] = {
    "__syncthreads": _block_barrier,
    "__syncthreads_count": _block_barrier,
    "__syncthreads_and": _block_barrier,
    "__syncthreads_or": _block_barrier,
    "__barrier_sync": _block_barrier,
    "__builtin_amdgcn_s_barrier": _block_barrier,
    "__syncwarp": _warp_barrier,
    "__threadfence": _fence(Scope.DEVICE),
    "__threadfence_block": _fence(Scope.BLOCK),
    "__threadfence_system": _fence(Scope.SYSTEM),
    "__trap": _stop,
    "__builtin_unreachable": _stop,
    "__mul24": _multiply,
    "__umul24": _multiply,
    "min": _extreme(False),
    "max": _extreme(True),
    "umin": _extreme(False),
    "umax": _extreme(True),
    "fmin": _extreme(False),
    "fmax": _extreme(True),
    "fminf": _extreme(False),
    "fmaxf": _extreme(True),
    "abs": _absolute,
    "labs": _absolute,
    "ceil": _rounded(True),
    "ceilf": _rounded(True),
    "floor": _rounded(False),
    "floorf": _rounded(False),
    "__lane_id": _lane,
    "memcpy": copy,
    "memset": copy,
    "memmove": copy,
    "__builtin_memcpy": copy,
    "__builtin_memset": copy,
    **SPECIFICATIONS,
    **dict.fromkeys(_SILENT, _silent),
    **dict.fromkeys(_COPY_READ, cached_load),
    **dict.fromkeys(_COPY_WRITE, cached_store),
}

DEVICE_CALLS = DeviceCalls(intrinsic, is_specification)
