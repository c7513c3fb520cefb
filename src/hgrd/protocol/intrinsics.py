"""Device functions of CUDA whose meaning is known: barriers, atomics, shuffles, vector types, maths.

CUDA Programming Guide, "C++ Language Extensions"; cooperative groups likewise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from hgrd.host.model import Fact, FactKind
from hgrd.program.expressions import Call
from hgrd.program.memory import AccessKind
from hgrd.program.types import FloatType, IntType, PointerType, RecordType, Type, VoidType
from hgrd.protocol.configuration import WARP_SIZE, index_terms
from hgrd.protocol.groups import group_call
from hgrd.protocol.model import Scope
from hgrd.symbolic import arithmetic
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.places import SHARED_SPACES, load, scalars, store
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, Cell, Choice, Composite, FloatValue, Pointer, Value
from hgrd.terms import Origin, Symbol, Term, as_bool, as_int, const, ite, le, mul, ne, neg, var
from hgrd.terms.build import read_between
from hgrd.terms.interval import ANY, of_type

if TYPE_CHECKING:
    from hgrd.protocol.device import DeviceSemantics

Handler: TypeAlias = Callable[["DeviceSemantics", Machine, State, Call, tuple[Value, ...]], Value | None]

_ATOMIC = re.compile(r"^(?:__)?(?:i|u|f|ll|ull)?atomic(Add|Sub|Exch|Min|Max|Inc|Dec|And|Or|Xor|CAS)(_block|_system)?$")
_ASSERTS = {"__hgrd_assert", "__requires", "__assume", "__global_requires", "__builtin_assume"}
_SILENT = {
    "printf", "__nanosleep", "__prefetch_global_l1", "__pipeline_commit", "clock", "assert", "vprintf",
    "__builtin_unreachable", "__brkpt", "__assertfail", "free", "__pipeline_wait_prior", "__syncwarp_hint",
}  # fmt: skip
_COPY_READ = {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", "__builtin_nontemporal_load"}
_COPY_WRITE = {"__stcg", "__stcs", "__stwt", "__stwb"}
_SHUFFLE = re.compile(r"^__shfl(_up|_down|_xor)?(_sync)?$")
_SMALL_RANGE = {
    "__popc": (0, 32), "__popcll": (0, 64), "__clz": (0, 32), "__clzll": (0, 64), "__ffs": (0, 32),
    "__ffsll": (0, 64), "isnan": (0, 1), "isinf": (0, 1), "isfinite": (0, 1), "signbit": (0, 1),
    "__popcnt": (0, 32), "__builtin_popcount": (0, 32), "__builtin_clz": (0, 32),
}  # fmt: skip
_VOTES = {
    "__ballot_sync", "__ballot", "__activemask", "__any_sync", "__all_sync", "__any", "__all", "__match_any_sync",
    "__match_all_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_or_sync",
    "__reduce_and_sync", "__reduce_xor_sync", "__lane_id", "__smid", "clock64", "__globaltimer", "__fns", "clock",
}  # fmt: skip


def intrinsic(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """The value of a known function; None if it is not known."""
    name = call.function.name
    handler = _TABLE.get(name)
    if handler is not None:
        return handler(device, machine, state, call, arguments)
    if _ATOMIC.match(name):
        return _atomic(device, machine, state, call, arguments)
    grouped = group_call(device, machine, state, call, arguments)
    if grouped is not None:
        return grouped
    function = machine.functions.get(call.function.key)
    if function is not None and function.body is not None:
        return None
    if _SHUFFLE.match(name) or name in _VOTES:
        return machine.unknown(f"{name}()", call.type, Origin.DATA)
    if name.startswith("make_") and isinstance(call.type, RecordType):
        return _make_vector(machine, call.type, arguments)
    if name in ("dim3", "uint3") and len(arguments) >= 4:
        return _dim3(arguments)
    return _pure(device, machine, state, call, arguments)


# ---------------------------------------------------------------- barriers, fences, assumptions


def _block_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]
) -> Value | None:
    device.barrier(machine, state, Scope.BLOCK, call.span)
    return OPAQUE if isinstance(call.type, VoidType) else machine.unknown("vote", call.type, Origin.DATA)


def _warp_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    mask = arguments[0] if arguments and isinstance(arguments[0], Term) else None
    device.barrier(machine, state, Scope.WARP, call.span, mask)
    return OPAQUE


def _fence(scope: Scope) -> Handler:
    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]
    ) -> Value | None:
        device.fence(machine, state, scope, call.span)
        return OPAQUE

    return handler


def _assume(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    if not arguments or (call.function.name == "__hgrd_assert" and not device.asserts):
        return OPAQUE
    term = arithmetic.truth_of(arguments[0])
    if term is not None:
        state.assume(term, ConditionKind.ASSERT, call.span)
        if not machine.probing:
            device.assumed.append(Fact(term, FactKind.ASSERT, f"assert({term})", call.span))
    return OPAQUE


def _silent(device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]) -> Value | None:
    return OPAQUE if isinstance(call.type, VoidType) else machine.unknown(call.function.name, call.type, Origin.DATA)


def _stop(device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]) -> Value | None:
    state.kill(call.span)
    return OPAQUE


# ---------------------------------------------------------------- memory


def _atomic(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    match = _ATOMIC.match(call.function.name)
    assert match is not None
    scope = {None: Scope.DEVICE, "_block": Scope.BLOCK, "_system": Scope.SYSTEM}[match[2]]
    address, *operands = arguments
    operand = operands[0] if operands else None
    return atomic_access(device, machine, state, call, address, _pointee_type(call), scope, match[1].lower(), operand)


def atomic_access(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    address: Value,
    type_: Type,
    scope: Scope,
    operation: str,
    operand: Value | None,
) -> Value:
    """Records an atomic access and gives the old value."""
    result = machine.unknown(f"{operation}()", call.type, Origin.DATA)
    symbol = result.symbol if isinstance(result, Term) and result.op.name == "VAR" else None
    amount = as_int(operand) if isinstance(operand, Term) else None
    for pointer, guard in arms(address):
        if pointer.target.space not in SHARED_SPACES:
            continue
        branch = state.copy()
        branch.assume(guard, ConditionKind.BRANCH, call.span)
        size = machine.size(type_) or 4
        device.access(
            machine, branch, AccessKind.ATOMIC, pointer, size, call.span,
            scope=scope, result=symbol, operation=operation, value=amount,
        )  # fmt: skip
    if not arms(address):
        device.unsupported(machine, state, "an atomic at an unknown address", call.span)
    return result


def arms(address: Value) -> list[tuple[Pointer, Term]]:
    """The pointers that an address can be, each with its condition."""
    from hgrd.terms import TRUE, conj, negate

    match address:
        case Pointer():
            return [(address, TRUE)]
        case Choice(condition=c, then=a, otherwise=b):
            return [(p, conj(c, g)) for p, g in arms(a)] + [(p, conj(negate(c), g)) for p, g in arms(b)]
        case _:
            return []


def _pointee_type(call: Call) -> Type:
    type_ = call.arguments[0].type
    return type_.to if isinstance(type_, PointerType) and not isinstance(type_.to, VoidType) else call.type


def _cached_load(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    return load(machine, state, arguments[0], call.type, call.span)


def _cached_store(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    store(machine, state, arguments[0], arguments[1], _pointee_type(call), call.span)
    return OPAQUE


def _copy(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """memcpy, memset: accesses of the whole range where its length is a constant."""
    reads = call.function.name not in ("memset", "__builtin_memset")
    target, source, length = arguments[:3]
    if not isinstance(length, Term) or not length.is_const:
        device.unsupported(machine, state, f"{call.function.name} of a length that is not constant", call.span)
        return target
    for address, kind in ((target, AccessKind.WRITE), (source, AccessKind.READ))[: 1 + reads]:
        for pointer, _ in arms(address):
            device.access(machine, state, kind, pointer, length.value, call.span)
            if pointer.target.space not in SHARED_SPACES and kind is AccessKind.WRITE:
                from hgrd.symbolic.places import forget

                forget(state, pointer.target)
    return target


# ---------------------------------------------------------------- values


def _make_vector(machine: Machine, type_: RecordType, arguments: tuple[Value, ...]) -> Value:
    members = scalars(machine, type_, 16)
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
        return arithmetic.reduced(mul(as_int(a), as_int(b)), call.type)
    return None


def _extreme(greatest: bool) -> Handler:
    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
    ) -> Value | None:
        if len(arguments) < 2:
            return None
        a, b = (_as_type(v, e.type, call.type) for v, e in zip(arguments, call.arguments, strict=False))
        value = arithmetic.extreme(a, b, greatest=greatest)
        return value if value is not None else _pure(device, machine, state, call, arguments)

    return handler


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
    return _pure(device, machine, state, call, arguments)


def _rounded(up: bool) -> Handler:
    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
    ) -> Value | None:
        value = arguments[0]
        return arithmetic.rounded(value, up=up) if isinstance(value, FloatValue) else None

    return handler


def _pure(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """A function without pointers: its result is a function of its arguments."""
    from hgrd.protocol.device import identity_of

    if any(isinstance(e.type, PointerType | RecordType) for e in call.arguments):
        return None
    keys = [identity_of(a) for a in arguments]
    known = [k for k in keys if k is not None]
    if len(known) != len(keys) or not keys:
        return None
    name = call.function.name
    match call.type:
        case FloatType():
            return FloatValue(read_between(f"float {name}", tuple(known), *ANY))
        case IntType(bits=bits, signed=signed):
            low, high = _SMALL_RANGE.get(name, of_type(bits, signed))
            return read_between(f"{name}()", tuple(known), low, high)
        case VoidType():
            return None
        case _:
            return None


def linear_thread(device: DeviceSemantics) -> Term:
    """threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)."""
    from hgrd.terms import add

    x, y, z = index_terms(device.configuration.thread)
    bx, by, _ = device.configuration.block
    return add(x, mul(bx, add(y, mul(by, z))))


def _lane(device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]) -> Value | None:
    from hgrd.terms import mod

    return mod(linear_thread(device), const(WARP_SIZE))


def fresh_symbol(machine: Machine, base: str, low: int, high: int) -> Term:
    return var(Symbol(machine.names.unique(base), low, high, Origin.DATA))


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
    "memcpy": _copy,
    "memset": _copy,
    "memmove": _copy,
    "__builtin_memcpy": _copy,
    "__builtin_memset": _copy,
    **dict.fromkeys(_ASSERTS, _assume),
    **dict.fromkeys(_SILENT, _silent),
    **dict.fromkeys(_COPY_READ, _cached_load),
    **dict.fromkeys(_COPY_WRITE, _cached_store),
}

__all__ = ["as_bool", "atomic_access", "intrinsic", "linear_thread", "ne"]
