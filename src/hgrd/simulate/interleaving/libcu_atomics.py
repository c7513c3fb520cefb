"""libcu++ for one thread at a time: cuda::atomic, cuda::atomic_ref, cuda::atomic_flag and their fence.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives".  Loads read and stores write, so that only
they cut or follow a release sequence as ISO C++ has it ([intro.races]); their site is atomic all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Call
from hgrd.program.types import PointerType, Type
from hgrd.simulate import scalars
from hgrd.simulate.interleaving import heap
from hgrd.simulate.interleaving.steps import Running, ThreadAccess, ThreadFence
from hgrd.simulate.interleaving.thread import Thread
from hgrd.simulate.lockstep.device.libcu_atomics import value_type
from hgrd.simulate.scalars import Scalar, UndefinedError
from hgrd.simulate.trace import MemoryOrder, one_sided

_MEMBER = re.compile(r"^(?:cuda::)?(?:std::)?(?:__\w+::)*atomic(_ref|_flag)?(?:<.*>)?::")
_SCOPES = {"device": Scope.DEVICE, "block": Scope.BLOCK, "thread": Scope.WARP}
_NUMBERS = (Scope.SYSTEM, Scope.DEVICE, Scope.BLOCK, Scope.WARP)
_ORDERS = (
    MemoryOrder.RELAXED,
    MemoryOrder.ACQUIRE,
    MemoryOrder.ACQUIRE,
    MemoryOrder.RELEASE,
    MemoryOrder.ACQ_REL,
    MemoryOrder.ACQ_REL,
)
_OPERATORS = {"++": "add", "--": "sub", "+=": "add", "-=": "sub", "&=": "and", "|=": "or", "^=": "xor"}
_OPERATIONS = ("exch", "add", "sub", "and", "or", "xor", "min", "max")
_OPERANDS = {"load": 0, "test": 0, "test_and_set": 0, "clear": 0}  # before the memory order; of others 1


def atomic_member(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar] | None:
    """The run of a member function or of a fence; None for anything else."""
    name = call.function.name
    if name == "atomic_thread_fence":
        return _fence(call, values)
    match = _MEMBER.match(call.function.qualified)
    if match is None or not values:
        return None
    if name in ("atomic", "atomic_ref", "atomic_flag"):
        return _construct(thread, call, values)
    if name in ("notify_one", "notify_all"):
        return _nothing()
    return _member(thread, call, values, match[1] or "")


def _nothing() -> Running[Scalar]:
    return 0
    yield


def _fence(call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    """A relaxed fence does nothing (ISO C++, [atomics.fences])."""
    if values[0] == 0:
        return 0
    yield ThreadFence(_NUMBERS[scalars.integer(values[1])] if len(values) > 1 else Scope.SYSTEM, call.span)
    return 0


def _construct(thread: Thread, call: Call, values: Sequence[Scalar]) -> Running[Scalar]:
    """The object holds its value; a reference, where that is."""
    for argument, value in zip(call.arguments[-1:], values[1:2], strict=False):
        yield from thread.store(scalars.integer(values[0]), value, argument.type, call.span, call)
    return 0


def _member(thread: Thread, call: Call, values: Sequence[Scalar], class_: str) -> Running[Scalar]:
    name, type_ = call.function.name, value_type(call)
    address = scalars.integer(values[0])
    if class_ == "_ref":
        address = scalars.integer((yield from thread.load(address, PointerType(type_), call.span, call)))
    order = _order(name, values)
    if name in ("load", "test") or (name.startswith("operator ") and len(values) == 1):
        order = one_sided(order, AccessKind.READ)
        return (yield from _access(thread, call, address, type_, AccessKind.READ, order, "", ()))
    if name in ("store", "clear", "operator="):
        order = one_sided(order, AccessKind.WRITE)
        operand = values[1] if name != "clear" else 0
        yield from _access(thread, call, address, type_, AccessKind.WRITE, order, "exch", (operand,))
        return operand
    if name.startswith("compare_exchange"):
        return (yield from _compare_exchange(thread, call, address, type_, order, values))
    operation = "exch" if name in ("exchange", "test_and_set") else name.removeprefix("fetch_")
    operation = _OPERATORS.get(name.removeprefix("operator"), operation)
    if operation not in _OPERATIONS:
        raise UndefinedError(f"{name} of an atomic object")
    step = name in ("operator++", "operator--")
    operand = 1 if step or name == "test_and_set" else values[1]
    old = yield from _access(thread, call, address, type_, AccessKind.ATOMIC, order, operation, (operand,))
    if not name.startswith("operator") or (step and len(values) > 1):
        return old
    return _modified(operation, old, (operand,), type_)


def _compare_exchange(
    thread: Thread, call: Call, address: int, type_: Type, order: MemoryOrder, values: Sequence[Scalar]
) -> Running[Scalar]:
    where = scalars.integer(values[1])
    expected = yield from thread.load(where, type_, call.span, call)
    old = yield from _access(thread, call, address, type_, AccessKind.ATOMIC, order, "cas", (expected, values[2]))
    yield from thread.store(where, old, type_, call.span, call)
    return int(old == expected)


def _access(
    thread: Thread,
    call: Call,
    address: int,
    type_: Type,
    kind: AccessKind,
    order: MemoryOrder,
    operation: str,
    operands: Sequence[Scalar],
) -> Running[Scalar]:
    """The old value."""
    converted = [scalars.convert(operand, type_) for operand in operands]

    def change(old: bytes) -> bytes:
        return thread.pack(_modified(operation, scalars.unpack(old, type_), converted, type_), type_)

    data, size = thread.private(address), thread.size(type_)
    there = heap.number_of(address), heap.offset_of(address), size, type_
    if data is not None:
        before = heap.read(data, there[1], size)
        heap.write(data, there[1], change(before) if operation else before)
    else:
        before = yield ThreadAccess(kind, *there, change if operation else None, call.span, call, order, _scope(call))
    return scalars.unpack(before, type_)


def _modified(operation: str, old: Scalar, operands: Sequence[Scalar], type_: Type) -> Scalar:
    from hgrd.simulate.interleaving.device_calls import modified

    return modified(operation, old, operands, type_)


def _order(name: str, values: Sequence[Scalar]) -> MemoryOrder:
    """The memory order behind the operands; operators, and calls without one, are sequentially consistent."""
    operands = 2 if name.startswith("compare_exchange") else _OPERANDS.get(name, 1)
    if name.startswith("operator") or len(values) <= operands + 1:
        return MemoryOrder.ACQ_REL
    return _ORDERS[scalars.integer(values[operands + 1])]


def _scope(call: Call) -> Scope:
    """The last template argument of the class."""
    arguments = call.function.template_args
    last = arguments[-1] if arguments else 0
    if isinstance(last, int):
        return _NUMBERS[last] if 0 <= last < len(_NUMBERS) else Scope.SYSTEM
    return _SCOPES.get(last.rpartition("_")[2], Scope.SYSTEM)
