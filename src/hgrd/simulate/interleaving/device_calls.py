"""CUDA's own device functions, for one thread at a time.

CUDA Programming Guide, "C++ Language Extensions": atomics, barriers, fences, warp functions; the usual
functions of mathematics.  A call of anything else that has no body is an error of the run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import BinaryOp, Call
from hgrd.program.types import FloatType, IntType, OpaqueType, PointerType, RecordType, Type, VoidType
from hgrd.simulate import scalars
from hgrd.simulate.interleaving import heap
from hgrd.simulate.interleaving.libcu_atomics import atomic_member
from hgrd.simulate.interleaving.steps import Running, ThreadAccess, ThreadFence, ThreadMeeting
from hgrd.simulate.interleaving.thread import ExitedError, Thread
from hgrd.simulate.scalars import Scalar, UndefinedError
from hgrd.simulate.trace import MemoryOrder

_ATOMIC = re.compile(r"^(?:__)?(?:i|u|f|ll|ull)?atomic(Add|Sub|Exch|Min|Max|Inc|Dec|And|Or|Xor|CAS)(_block|_system)?$")
_SCOPES = {None: Scope.DEVICE, "_block": Scope.BLOCK, "_system": Scope.SYSTEM}
_FENCES = {"__threadfence_block": Scope.BLOCK, "__threadfence": Scope.DEVICE, "__threadfence_system": Scope.SYSTEM}
_SHUFFLE = re.compile(r"^__shfl(_up|_down|_xor)?_sync$")
_GROUP = re.compile(r"thread_block_tile<(\d+)|thread_block\b|grid_group")
_QUIET = {"printf", "__nanosleep", "__hgrd_assert", "assert", "__prefetch_global_l1", "__builtin_assume"}
_LOADS = {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"}
_STORES = {"__stcg", "__stcs", "__stwt", "__stwb"}
_MATHEMATICS: dict[str, Callable[..., float]] = {
    name: getattr(math, name)
    for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "floor", "ceil", "fabs", "pow", "fmod", "log2", "tanh")
}


def device_call(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar] | None:
    """The run of a function that CUDA defines; None for other functions."""
    name = call.function.name
    function = thread.world.program.functions.get(call.function.key)
    if (match := _ATOMIC.match(name)) is not None:
        return _atomic(thread, call, values, match[1].lower(), _SCOPES[match[2]])
    if function is not None and function.body is not None:
        return None
    if (member := atomic_member(thread, call, values)) is not None:
        return member
    if name in _FENCES:
        return _fence(call, _FENCES[name])
    if name.startswith("__syncthreads"):
        return _block_barrier(thread, call, values)
    if name == "__syncwarp" or _SHUFFLE.match(name) or name in _VOTES:
        return _warp(thread, call, values)
    if name in _LOADS:
        return thread.load(scalars.integer(values[0]), call.type, call.span, call)
    if name in _STORES:
        return _store(thread, call, values)
    grouped = _group(thread, call)
    return _plain(thread, call, values) if grouped is None else grouped


def _pointee(call: Call) -> Type:
    type_ = call.arguments[0].type
    return type_.to if isinstance(type_, PointerType) and not isinstance(type_.to, VoidType) else call.type


# ---------------------------------------------------------------- atomics and fences


def _atomic(thread: Thread, call: Call, values: Sequence[Scalar], operation: str, scope: Scope) -> Running[Scalar]:
    type_, address = _pointee(call), scalars.integer(values[0])
    operands = [scalars.convert(value, type_) for value in values[1:]]

    def change(old: bytes) -> bytes:
        return thread.pack(modified(operation, scalars.unpack(old, type_), operands, type_), type_)

    data, size = thread.private(address), thread.size(type_)
    if data is not None:
        before = heap.read(data, heap.offset_of(address), size)
        heap.write(data, heap.offset_of(address), change(before))
    else:
        there = heap.number_of(address), heap.offset_of(address), size, type_
        before = yield ThreadAccess(AccessKind.ATOMIC, *there, change, call.span, call, MemoryOrder.RELAXED, scope)
    return scalars.unpack(before, type_)


def modified(operation: str, old: Scalar, operands: Sequence[Scalar], type_: Type) -> Scalar:
    """What an atomic function leaves behind (CUDA Programming Guide, "Atomic Functions")."""
    first = operands[0]
    match operation:
        case "cas":
            return operands[1] if old == first else old
        case "exch":
            return first
        case "min":
            return min(scalars.number(old), scalars.number(first))
        case "max":
            return max(scalars.number(old), scalars.number(first))
        case "inc":
            return 0 if scalars.integer(old) >= scalars.integer(first) else scalars.integer(old) + 1
        case "dec":
            limit = scalars.integer(first)
            return limit if old == 0 or scalars.integer(old) > limit else scalars.integer(old) - 1
        case _:
            op = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}[operation]
            return scalars.binary(BinaryOp(op), old, first, type_)


def _fence(call: Call, scope: Scope) -> Running[Scalar]:
    yield ThreadFence(scope, call.span)
    return 0


def _store(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    yield from thread.store(scalars.integer(values[0]), values[1], _pointee(call), call.span, call)
    return 0


# ---------------------------------------------------------------- barriers and warp functions


def _block_barrier(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    predicate = int(bool(values[0])) if values else 0
    given: dict[int, Scalar] = yield ThreadMeeting(
        Scope.BLOCK, call.function.name, call.span, thread.where(), given=predicate
    )
    votes = [bool(v) for v in given.values()]
    return {
        "__syncthreads_count": sum(votes),
        "__syncthreads_and": int(all(votes)),
        "__syncthreads_or": int(any(votes)),
    }.get(call.function.name, 0)


_VOTES = {"__ballot_sync", "__any_sync", "__all_sync"}


def _warp(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    name = call.function.name
    mask = scalars.integer(values[0]) & 0xFFFFFFFF
    lane = thread.inside % 32
    brought = values[1] if len(values) > 1 else 0
    given: dict[int, Scalar] = yield ThreadMeeting(
        Scope.WARP, name, call.span, thread.where(), mask, brought, name == "__syncwarp"
    )
    first = thread.number - lane
    lanes = {number - first: value for number, value in given.items()}
    if name == "__syncwarp":
        return 0
    if name in _VOTES:
        ballot = sum(1 << n for n, value in lanes.items() if value)
        return {"__ballot_sync": ballot, "__any_sync": int(ballot != 0), "__all_sync": int(all(lanes.values()))}[name]
    source = _source(name, lane, scalars.integer(values[2]), scalars.integer(values[3]) if len(values) > 3 else 32)
    return lanes.get(source, brought)


def _source(name: str, lane: int, operand: int, width: int) -> int:
    """The lane that a shuffle takes its value from (CUDA Programming Guide, "Warp Shuffle Functions")."""
    low = lane // width * width
    match name:
        case "__shfl_up_sync":
            return lane - operand if lane - operand >= low else lane
        case "__shfl_down_sync":
            return lane + operand if lane + operand < low + width else lane
        case "__shfl_xor_sync":
            return lane ^ operand if lane ^ operand < low + width else lane
        case _:
            return low + operand % width


def _group(thread: Thread, call: Call) -> Running[Scalar] | None:
    """Barriers and ranks of cooperative groups, by the type of the group."""
    name = call.function.name
    if name in ("this_thread_block", "this_grid", "tiled_partition"):
        return _constant(bytes(16))
    if not call.arguments:
        return None
    type_ = call.arguments[0].type
    while isinstance(type_, PointerType):
        type_ = type_.to
    text = type_.key if isinstance(type_, RecordType) else type_.name if isinstance(type_, OpaqueType) else ""
    match = _GROUP.search(text)
    if match is None:
        return None
    width = int(match[1]) if match[1] else 0
    if name == "sync":
        return _group_barrier(thread, call, match[0], width)
    x, y, z = thread.world.block
    gx, gy, gz = thread.world.grid
    threads, blocks = x * y * z, gx * gy * gz
    own, rank = (width, thread.inside % width) if width else (threads, thread.inside)
    if match[0] == "grid_group":
        own, rank = threads * blocks, thread.number
    ranks = {
        "thread_rank": rank,
        "size": own,
        "num_threads": own,
        "meta_group_rank": thread.inside // (width or threads),
    }
    return _constant(ranks[name]) if name in ranks else None


def _group_barrier(thread: Thread, call: Call, group: str, width: int) -> Running[Scalar]:
    if 0 < width <= 32:
        mask = ((1 << width) - 1) << (thread.inside % 32 // width * width)
        yield ThreadMeeting(Scope.WARP, "sync", call.span, thread.where(), mask)
    else:
        yield ThreadMeeting(Scope.DEVICE if group == "grid_group" else Scope.BLOCK, "sync", call.span, thread.where())
    return 0


# ---------------------------------------------------------------- values


def _constant(value: Scalar) -> Running[Scalar]:
    return value
    yield


def _plain(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar] | None:
    value = _value(thread, call, values)
    return None if value is None else _constant(value)


def _value(thread: Thread, call: Call, values: Sequence[Scalar]) -> Scalar | None:
    """Functions that only compute."""
    name, type_ = call.function.name, call.type
    if name in _QUIET:
        return 0
    if name == "__builtin_unreachable":
        raise UndefinedError("a place that the program says is not reached")
    if name in ("__trap", "exit"):
        raise ExitedError
    if name.startswith("make_") and isinstance(type_, RecordType):
        fields = thread.world.program.records[type_.key].fields
        data = bytearray(thread.size(type_))
        for member, value in zip(fields, values, strict=False):
            new = thread.pack(scalars.convert(value, member.type), member.type)
            data[member.offset : member.offset + len(new)] = new
        return bytes(data)
    if any(isinstance(v, bytes) for v in values):
        return None
    return _arithmetic(name, type_, [scalars.number(v) for v in values])


def _arithmetic(name: str, type_: Type, values: list[int | float]) -> Scalar | None:
    match name, values:
        case (("min" | "umin" | "fmin" | "fminf" | "max" | "umax" | "fmax" | "fmaxf"), [_, _]):
            a, b = (scalars.number(scalars.convert(v, type_)) for v in values)
            return min(a, b) if "min" in name else max(a, b)
        case (("abs" | "labs" | "llabs" | "fabsf"), [a]):
            return scalars.fit(abs(a), type_)
        case (("__mul24" | "__umul24"), [a, b]):
            return scalars.fit(a * b, type_)
        case (("__popc" | "__popcll"), [int(a)]):
            return (a & ((1 << (64 if name == "__popcll" else 32)) - 1)).bit_count()
        case "__ffs", [int(a)]:
            return (a & -a).bit_length()
        case "__clz", [int(a)]:
            return 32 - (a & 0xFFFFFFFF).bit_length()
        case (("rsqrt" | "rsqrtf"), [a]):
            return scalars.convert(1 / math.sqrt(a) if a > 0 else math.inf, type_)
        case (("fma" | "fmaf"), [a, b, c]):
            return scalars.fit(float(a) * float(b) + float(c), type_)
        case _:
            pass
    known = _MATHEMATICS.get(name.removeprefix("__").removesuffix("f")) or _MATHEMATICS.get(name)
    if known is None or not isinstance(type_, FloatType | IntType):
        return None
    try:
        return scalars.convert(known(*(float(v) for v in values)), type_)
    except ValueError:
        return math.nan
    except OverflowError as error:
        raise UndefinedError(f"{name} of {values}") from error
