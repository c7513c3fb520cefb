"""CUDA's own device functions, for one thread at a time.

CUDA Programming Guide, "C++ Language Extensions": atomics, barriers, fences, warp functions; the usual
functions of mathematics.  A call of anything else that has no body is an error of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from hgrd.cuda.atomics import AtomicFunction, StdMemoryOrder, atomic_function, nv_thread_scope
from hgrd.cuda.builtins import Builtin, Kind, builtin
from hgrd.cuda.groups import HANDLE_SIZE, Group, group_type
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import Call
from hgrd.program.types import INT, ArrayType, IntType, OpaqueType, PointerType, RecordType, Type, VoidType
from hgrd.simulate import scalars
from hgrd.simulate.interleaving.atomic_update import modified
from hgrd.simulate.interleaving.heap import address_of
from hgrd.simulate.interleaving.libcu_atomics import (
    atomic_object_call,
    change_of,
    compare_exchange,
    fence,
    known_order,
    known_scope,
    ordered_access,
)
from hgrd.simulate.interleaving.numbers import arithmetic, several
from hgrd.simulate.interleaving.steps import Running, ThreadMeeting
from hgrd.simulate.interleaving.thread import ExitedError, Thread
from hgrd.simulate.scalars import Scalar, UndefinedError


def device_call(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar] | None:
    """The run of a function that CUDA defines; None of other functions."""
    if call.function.user_code:
        return None
    name = call.function.name
    atomic = atomic_function(name)
    if atomic is not None:
        return _atomic(thread, call, values, atomic)
    for known in (atomic_object_call(thread, call, values), _group(thread, call)):
        if known is not None:
            return known
    row = builtin(name)
    meaning = None if row is None else MEANINGS.get(row.kind)
    return _plain(thread, call, values) if row is None or meaning is None else meaning(thread, call, values, row)


def _pointee(call: Call) -> Type:
    type_ = call.arguments[0].type
    return type_.to if isinstance(type_, PointerType) and not isinstance(type_.to, VoidType) else call.type


# ---------------------------------------------------------------- atomics and fences


def _atomic(thread: Thread, call: Call, values: Sequence[Scalar], function: AtomicFunction) -> Running[Scalar]:
    """An atomic function of a pointer; those of no scope have their memory order and scope after the operands."""
    if function.scope is None:
        return _with_order(thread, call, values, function)
    operands = tuple(values[1 : 1 + function.operands])
    change = change_of(function.operation, StdMemoryOrder.RELAXED, function.scope, operands)
    return ordered_access(thread, call, scalars.integer(values[0]), _pointee(call), change)


def _with_order(thread: Thread, call: Call, values: Sequence[Scalar], function: AtomicFunction) -> Running[Scalar]:
    address, type_, said = scalars.integer(values[0]), _pointee(call), values[function.orders_at :]
    how = _order_and_scope((said[0], *said[2:]) if function.exchanges else said)
    operands = list(values[1 : 1 + function.operands])
    if function.by_pointer and operands:
        operands[-1] = yield from thread.load(scalars.integer(operands[-1]), type_, call.span, call)
    if function.exchanges:
        return (yield from compare_exchange(thread, call, address, type_, how, operands))
    change = change_of(function.operation, *how, tuple(operands))
    old = yield from ordered_access(thread, call, address, type_, change)
    if function.stores_result:
        where = scalars.integer(values[1 + function.operands])
        yield from thread.store(where, old, type_, call.span, call)
    return old


def _order_and_scope(values: Sequence[Scalar]) -> tuple[StdMemoryOrder, Scope]:
    """What the last arguments of an `__nv_atomic_…` function say; where they are left out, the widest."""
    order = known_order(values[0]) if values else StdMemoryOrder.SEQ_CST
    return order, known_scope(nv_thread_scope(scalars.integer(values[1])) if len(values) > 1 else Scope.SYSTEM)


def _fence(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    order, scope = _order_and_scope(values) if row.scope is None else (StdMemoryOrder.SEQ_CST, row.scope)
    return fence(order, scope, call)


def _load(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    return thread.load(scalars.integer(values[0]), call.type, call.span, call)


def _store(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    yield from thread.store(scalars.integer(values[0]), values[1], _pointee(call), call.span, call)
    return 0


# ---------------------------------------------------------------- barriers and warp functions


def _block_barrier(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    predicate = int(bool(values[0])) if values else 0
    given: dict[int, Scalar] = yield ThreadMeeting(
        Scope.BLOCK, call.function.name, call.span, thread.where(), given=predicate
    )
    votes = [bool(v) for v in given.values()]
    return {"count": sum(votes), "and": int(all(votes)), "or": int(any(votes))}.get(row.operation, 0)


def _named_barrier(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar] | None:
    """A barrier with a number, of all threads of the block; None of those that count threads."""
    return None if row.operation else _block_barrier(thread, call, (), row)


def _warp(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar] | None:
    """A barrier or exchange of the lanes that a mask names; None of others."""
    return _of_lanes(thread, call, values, row) if row.masked else None


def _of_lanes(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    mask = scalars.integer(values[0]) & ALL_LANES
    lane = thread.inside % WARP_SIZE
    brought = values[1] if len(values) > 1 else 0
    barrier = row.kind is Kind.WARP_BARRIER
    given: dict[int, Scalar] = yield ThreadMeeting(
        Scope.WARP, call.function.name, call.span, thread.where(), mask, brought, barrier
    )
    first = thread.number - lane
    lanes = {number - first: value for number, value in given.items()}
    if barrier:
        return 0
    if row.kind is Kind.VOTE:
        return _vote(row.operation, lanes)
    if row.kind is Kind.REDUCE:
        return reduce(lambda a, b: modified(row.operation, a, (b,), call.type), lanes.values())
    if row.kind is Kind.MATCH:
        alike = sum(1 << n for n, value in lanes.items() if value == brought)
        if row.operation == "any":
            return alike
        same = alike.bit_count() == len(lanes)
        yield from thread.store(scalars.integer(values[2]), int(same), INT, call.span, call)
        return alike if same else 0
    width = scalars.integer(values[3]) if len(values) > 3 else WARP_SIZE
    return lanes.get(_source(row.operation, lane, scalars.integer(values[2]), width), brought)


def _vote(operation: str, lanes: dict[int, Scalar]) -> int:
    ballot = sum(1 << n for n, value in lanes.items() if value)
    some, every = ballot != 0, all(lanes.values())
    return {"ballot": ballot, "any": int(some), "all": int(every), "uni": int(every or not some)}[operation]


def _source(operation: str, lane: int, operand: int, width: int) -> int:
    """The lane that a shuffle takes its value from (CUDA Programming Guide, "Warp Shuffle Functions")."""
    low = lane // width * width
    match operation:
        case "up":
            return lane - operand if lane - operand >= low else lane
        case "down":
            return lane + operand if lane + operand < low + width else lane
        case "xor":
            return lane ^ operand if lane ^ operand < low + width else lane
        case _:
            return low + operand % width


def _group(thread: Thread, call: Call) -> Running[Scalar] | None:
    """Barriers and ranks of cooperative groups, by the type of the group."""
    name = call.function.name
    if name in _HANDLES:
        return _constant(bytes(HANDLE_SIZE))
    if not call.arguments:
        return None
    type_ = call.arguments[0].type
    while isinstance(type_, PointerType):
        type_ = type_.to
    group = group_type(type_.name) if isinstance(type_, OpaqueType) else None
    if group is None or (group.kind not in ("thread_block", "grid_group") and group.size is None):
        return None
    width = group.size or 0
    if name == "sync":
        return _group_barrier(thread, call, group)
    x, y, z = thread.world.block
    gx, gy, gz = thread.world.grid
    threads, blocks = x * y * z, gx * gy * gz
    own, rank = (width, thread.inside % width) if width else (threads, thread.inside)
    if group.kind == "grid_group":
        own, rank = threads * blocks, thread.number
    if width and name == "meta_group_rank":
        whole = None if group.parent is None else group.parent.size or threads
        return None if whole is None else _constant(thread.inside % whole // width)
    ranks = (rank, own, own, 0)
    return _constant(dict(zip(_RANKS, ranks, strict=True))[name]) if name in _RANKS else None


_HANDLES = ("this_thread_block", "this_grid", "tiled_partition", "experimental_tiled_partition")
_RANKS = ("thread_rank", "size", "num_threads", "meta_group_rank")
GROUP_MEANINGS = frozenset({*_HANDLES, *_RANKS, "sync"})
"""The functions of groups that have a meaning for one thread."""


def _group_barrier(thread: Thread, call: Call, group: Group) -> Running[Scalar]:
    if group.size is not None and group.scope is Scope.WARP:
        mask = ((1 << group.size) - 1) << (thread.inside % WARP_SIZE // group.size * group.size)
        yield ThreadMeeting(Scope.WARP, "sync", call.span, thread.where(), mask)
    else:
        yield ThreadMeeting(group.scope, "sync", call.span, thread.where())
    return 0


# ---------------------------------------------------------------- values


def _constant(value: Scalar) -> Running[Scalar]:
    return value
    yield


def _plain(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar] | None:
    value = _value(thread, call, values)
    return None if value is None else _constant(value)


def _computed(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar] | None:
    return _plain(thread, call, values)


def _silent(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    return _constant(0)


def _heap_memory(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    return _constant(address_of(thread.world.heap.add(bytes(scalars.integer(values[0])))))


def _lane(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    return _constant(thread.inside // WARP_SIZE if row.operation == "warp" else thread.inside % WARP_SIZE)


def _specification(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar] | None:
    """What holds, or the program is wrong; None of a value that specifications alone have."""
    return _constant(1) if row.operation in ("condition", "assert") else None


def _stop(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    if call.function.name == "__builtin_unreachable":
        raise UndefinedError("a place that the program says is not reached")
    raise ExitedError


def _value(thread: Thread, call: Call, values: Sequence[Scalar]) -> Scalar | None:
    """Functions that only compute."""
    name, type_ = call.function.name, call.type
    if name.startswith("make_") and isinstance(type_, RecordType):
        fields = thread.world.program.records[type_.key].fields
        data = bytearray(thread.size(type_))
        for member, value in zip(fields, values, strict=False):
            new = thread.pack(scalars.convert(value, member.type), member.type)
            data[member.offset : member.offset + len(new)] = new
        return bytes(data)
    if any(isinstance(v, bytes) for v in values):
        return None
    return arithmetic(name, type_, [scalars.number(v) for v in values])


def _several(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar] | None:
    """Numbers, all but the first stored where arguments point to; None of functions that are not known."""
    given = [scalars.number(v) for i, v in enumerate(values) if i not in row.writes]
    found = several(call.function.name, given)
    return None if found is None else _stored(thread, call, values, row, found)


def _stored(
    thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin, found: Sequence[int | float]
) -> Running[Scalar]:
    for at, value in zip(row.writes, found[1:], strict=True):
        pointer = call.arguments[at].type
        assert isinstance(pointer, PointerType)
        yield from thread.store(
            scalars.integer(values[at]), scalars.convert(value, pointer.to), pointer.to, call.span, call
        )
    return scalars.convert(found[0], call.type)


def _copy(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    to, source, size = map(scalars.integer, values)
    if size:
        bytes_ = ArrayType(IntType(8, False), size)
        read = yield from thread.load(source, bytes_, call.span, call)
        yield from thread.store(to, read, bytes_, call.span, call)
    return to


def _fill(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    to, byte, size = map(scalars.integer, values)
    if size:
        yield from thread.store(to, bytes([byte & 255]) * size, ArrayType(IntType(8, False), size), call.span, call)
    return to


def _register(thread: Thread, call: Call, values: Sequence[Scalar], row: Builtin) -> Running[Scalar]:
    """Clocks and the like: zero, so that runs are alike."""
    return _constant(0)


MEANINGS: dict[Kind, Callable[[Thread, Call, Sequence[Scalar], Builtin], Running[Scalar] | None]] = {
    Kind.BLOCK_BARRIER: _block_barrier,
    Kind.NAMED_BARRIER: _named_barrier,
    **dict.fromkeys((Kind.WARP_BARRIER, Kind.VOTE, Kind.SHUFFLE, Kind.MATCH, Kind.REDUCE), _warp),
    Kind.FENCE: _fence,
    Kind.LANE: _lane,
    Kind.LOAD: _load,
    Kind.STORE: _store,
    Kind.COPY: _copy,
    Kind.FILL: _fill,
    Kind.HEAP: _heap_memory,
    Kind.NUMBERS: _several,
    Kind.REGISTER: _register,
    Kind.SILENT: _silent,
    Kind.ASSERT: _silent,
    Kind.SPECIFICATION: _specification,
    Kind.STOP: _stop,
    Kind.NUMBER: _computed,
    Kind.VECTOR: _computed,
}
"""The meaning of each kind of device function for one thread."""
