"""libcu++ atomics for one thread at a time: cuda::atomic, cuda::atomic_ref, cuda::atomic_flag and their fence.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives".  Loads read and stores write, so that only
they cut or follow a release sequence as ISO C++ has it ([intro.races]); their site is atomic all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hgrd.cuda.atomics import (
    AtomicMember,
    StdMemoryOrder,
    atomic_member,
    is_atomic_object,
    is_thread_fence,
    memory_order,
    scope_of_object,
    thread_scope,
)
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Call
from hgrd.program.types import BOOL, PointerType, Type
from hgrd.simulate import scalars
from hgrd.simulate.interleaving import heap
from hgrd.simulate.interleaving.atomic_update import modified
from hgrd.simulate.interleaving.steps import Running, ThreadAccess, ThreadFence
from hgrd.simulate.interleaving.thread import Thread
from hgrd.simulate.scalars import Scalar, UndefinedError
from hgrd.simulate.trace import MemoryOrder, one_sided

_ORDERS = {
    StdMemoryOrder.RELAXED: MemoryOrder.RELAXED,
    StdMemoryOrder.CONSUME: MemoryOrder.ACQUIRE,
    StdMemoryOrder.ACQUIRE: MemoryOrder.ACQUIRE,
    StdMemoryOrder.RELEASE: MemoryOrder.RELEASE,
    StdMemoryOrder.ACQ_REL: MemoryOrder.ACQ_REL,
    StdMemoryOrder.SEQ_CST: MemoryOrder.ACQ_REL,
}


def atomic_object_call(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar] | None:
    """The run of a member function of an atomic object or of a fence; None for other calls."""
    if is_thread_fence(call.function.qualified):
        return _fence(call, values)
    if not is_atomic_object(call.function.qualified) or not values:
        return None
    member = atomic_member(call.function.qualified, call.function.name, len(values))
    if member is None:
        raise UndefinedError(f"{call.function.name} of an atomic object")
    if member.constructs:
        return _construct(thread, call, values)
    return _member(thread, call, values, member) if member.operation else _nothing()


def _nothing() -> Running[Scalar]:
    return 0
    yield


def _fence(call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    order = known_order(values[0])
    scope = known_scope(thread_scope(scalars.integer(values[1])) if len(values) > 1 else Scope.SYSTEM)
    return fence(order, scope, call)


def fence(order: StdMemoryOrder, scope: Scope, call: Call) -> Running[Scalar]:
    """A fence; a relaxed one does nothing (ISO C++, [atomics.fences])."""
    if order is not StdMemoryOrder.RELAXED:
        yield ThreadFence(scope, call.span, order)
    return 0


def known_order(value: Scalar) -> StdMemoryOrder:
    """The memory order with this number."""
    order = memory_order(scalars.integer(value))
    if order is None:
        raise UndefinedError(f"a memory order of number {value}")
    return order


def known_scope(scope: Scope | None) -> Scope:
    """The scope, which must be one of those that are known."""
    if scope is None:
        raise UndefinedError("an atomic of a scope that is not known")
    return scope


def _construct(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    """A constructor: the object holds its value, a reference the address of its value."""
    for argument, value in zip(call.arguments[-1:], values[1:2], strict=False):
        yield from thread.store(scalars.integer(values[0]), value, argument.type, call.span, call)
    return 0


def _member(thread: Thread, call: Call, values: Sequence[Scalar], member: AtomicMember) -> Running[Scalar]:
    type_ = _value_type(call, member)
    address = scalars.integer(values[0])
    if member.by_reference:
        address = scalars.integer((yield from thread.load(address, PointerType(type_), call.span, call)))
    order, scope = _order(member, values), known_scope(scope_of_object(call.function.template_args))
    if member.operation == "cas":
        return (yield from compare_exchange(thread, call, address, type_, (order, scope), values[1:3]))
    if member.name == "wait":
        return (yield from _wait(thread, call, (address, type_), change_of("load", order, scope, ()), values[1]))
    if member.operation == "load":
        return (yield from ordered_access(thread, call, address, type_, change_of("load", order, scope, ())))
    operand = values[1] if member.implied is None else member.implied
    change = change_of(member.operation, order, scope, (operand,))
    old = yield from ordered_access(thread, call, address, type_, change)
    if member.operation == "store":
        return operand
    return modified(member.operation, old, (operand,), type_) if member.gives_new else old


def _wait(thread: Thread, call: Call, there: tuple[int, Type], change: Change, old: Scalar) -> Running[Scalar]:
    """Loads until one finds another value than the old one."""
    for _ in range(thread.world.patience):
        if (yield from ordered_access(thread, call, *there, change)) != old:
            return 0
    raise UndefinedError("a wait that does not end")


def compare_exchange(
    thread: Thread,
    call: Call,
    address: int,
    type_: Type,
    how: tuple[StdMemoryOrder, Scope],
    operands: Sequence[Scalar],
) -> Running[Scalar]:
    """Compare-and-swap with what the first operand points to, which becomes what was found."""
    where = scalars.integer(operands[0])
    expected = yield from thread.load(where, type_, call.span, call)
    change = change_of("cas", *how, (expected, operands[1]))
    old = yield from ordered_access(thread, call, address, type_, change)
    yield from thread.store(where, old, type_, call.span, call)
    return int(old == expected)


class Change(Struct, frozen=True):
    """The change of a value by one atomic access; `operation` is named as in an AtomicFunction."""

    kind: AccessKind
    order: MemoryOrder
    scope: Scope
    operation: str
    operands: tuple[Scalar, ...]


def change_of(operation: str, order: StdMemoryOrder, scope: Scope, operands: tuple[Scalar, ...]) -> Change:
    """The change that an operation with a memory order makes."""
    kind = {"load": AccessKind.READ, "store": AccessKind.WRITE}.get(operation, AccessKind.ATOMIC)
    seen = _ORDERS[order]
    return Change(kind, seen if kind is AccessKind.ATOMIC else one_sided(seen, kind), scope, operation, operands)


def ordered_access(thread: Thread, call: Call, address: int, type_: Type, change: Change) -> Running[Scalar]:
    """Performs an atomic access; gives the old value."""
    converted = [scalars.convert(operand, type_) for operand in change.operands]

    def changed(old: bytes) -> bytes:
        return thread.pack(modified(change.operation, scalars.unpack(old, type_), converted, type_), type_)

    data, size = thread.private(address), thread.size(type_)
    there = heap.number_of(address), heap.offset_of(address), size, type_
    if data is not None:
        before = heap.read(data, there[1], size)
        if change.operation != "load":
            heap.write(data, there[1], changed(before))
    else:
        new = None if change.operation == "load" else changed
        before = yield ThreadAccess(change.kind, *there, new, call.span, call, change.order, change.scope)
    return scalars.unpack(before, type_)


def _value_type(call: Call, member: AtomicMember) -> Type:
    """The type of the value in the atomic object."""
    if member.of_flag:
        return BOOL
    return call.type if member.typed_by is None else call.arguments[member.typed_by].type


def _order(member: AtomicMember, values: Sequence[Scalar]) -> StdMemoryOrder:
    """The memory order that follows the operands; operators, and calls without one, are sequentially consistent."""
    given = member.takes_order and len(values) > member.operands + 1
    return known_order(values[member.operands + 1]) if given else StdMemoryOrder.SEQ_CST
