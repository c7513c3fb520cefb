"""Device functions that access memory: atomics, cached loads and stores, copies.

CUDA Programming Guide, "Atomic Functions", "Load Functions Using Cache Hints".
"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.cuda.atomics import AtomicFunction, StdMemoryOrder, memory_order, nv_thread_scope
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Call
from hgrd.program.span import Span
from hgrd.program.types import PointerType, Type, VoidType
from hgrd.protocol.inference.events import AccessEvent, AtomicOperation, number_of
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.inference.value_names import symbol_of
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, load, points_within_arrays, store
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, Choice, MemoryObject, MemorySpace, Pointer, Value, may_be_any
from hgrd.terms import TRUE, Origin, Term, as_int, conj, const, eq, negate


def atomic(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    arguments: tuple[Value, ...],
    function: AtomicFunction,
) -> Value | None:
    """Value of an atomic function; None where its order and scope are arguments that are not constant."""
    if function.scope is None:
        return _scoped_atomic(device, machine, state, call, arguments, function)
    address, *operands = arguments
    compare = operands[0] if function.operation == "cas" and operands else None
    stored = operands[-1] if len(operands) >= function.operands else operands[0] if operands else None
    done = AtomicOperation(function.operation, function.scope, number_of(stored), number_of(compare))
    return atomic_access(device, machine, state, call, address, _pointee_type(call), done)


def _scoped_atomic(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    arguments: tuple[Value, ...],
    function: AtomicFunction,
) -> Value | None:
    """Value of an atomic function of a pointer, operands, a memory order and a scope; None: these are not constant."""
    said, type_ = arguments[function.orders_at :], _pointee_type(call)
    failure = memory_order(constant(said[1])) if function.exchanges else StdMemoryOrder.RELAXED
    known = order_and_scope((said[0], *said[2:]) if function.exchanges else said)
    if known is None or failure is None:
        return None
    order, scope = known
    operand = arguments[function.operands] if function.operands else None
    if operand is not None and function.by_pointer:
        operand = load(machine, state, operand, type_, call.span)
    expected = load(machine, state, arguments[1], type_, call.span) if function.exchanges else None
    done = AtomicOperation(function.operation, scope, number_of(operand), number_of(expected), order, failure)
    old = atomic_access(device, machine, state, call, arguments[0], type_, done)
    if function.exchanges:
        store(machine, state, arguments[1], old, type_, call.span)
        return _equal(machine, old, expected)
    if function.stores_result:
        store(machine, state, arguments[1 + function.operands], old, type_, call.span)
        return OPAQUE
    return old


def _equal(machine: Machine, old: Value, expected: Value | None) -> Value:
    """Whether a compare-and-swap has found what it expects."""
    if isinstance(old, Term) and isinstance(expected, Term):
        return eq(as_int(old), as_int(expected))
    return machine.unknown_truth("exchanged", Origin.DATA)


def order_and_scope(arguments: tuple[Value, ...]) -> tuple[StdMemoryOrder, Scope] | None:
    """Order and scope arguments of an `__nv_atomic_…` function; None: they are not constant, or the scope is a cluster.

    Without a scope argument it is that of the system.
    """
    order = memory_order(constant(arguments[0])) if arguments else StdMemoryOrder.SEQ_CST
    scope = nv_thread_scope(constant(arguments[1])) if len(arguments) > 1 else Scope.SYSTEM
    return None if order is None or scope is None else (order, scope)


def constant(value: Value | None) -> int | None:
    """Constant number that a value is; None: it is not constant."""
    return value.value if isinstance(value, Term) and value.is_const else None


def atomic_access(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    address: Value,
    type_: Type,
    atomic: AtomicOperation,
) -> Value:
    """Records an atomic access to a value of `type_` and gives the old value."""
    old = machine.unknown(f"{atomic.name}()", VoidType() if atomic.name == "store" else type_, Origin.DATA)
    symbol = symbol_of(old)
    if symbol is not None and isinstance(address, Pointer):
        device.observe(machine, symbol, address, atomic, call.span)
    points_within_arrays(machine, state, call.arguments[0])
    for pointer, branch in reached(device, machine, state, address, call.span, "an atomic"):
        if pointer.target.space not in SHARED_SPACES:
            forget(state, pointer.target)
            continue
        size = machine.size(type_) or 4
        event = AccessEvent(AccessKind.ATOMIC, pointer, size, call.span, atomic, atomic.operand, symbol)
        device.access(machine, branch, event)
    return old


def reached(
    device: DeviceSemantics, machine: Machine, state: State, address: Value, span: Span, what: str
) -> Iterator[tuple[Pointer, State]]:
    """The pointers that an address can be, each with a state where it is that; a gap where it may be another one."""
    if may_be_elsewhere(address):
        device.unsupported(machine, state, f"{what} at an unknown address", span)
    yield from branches(state, address, span)


def branches(state: State, address: Value, span: Span) -> Iterator[tuple[Pointer, State]]:
    """The known pointers that an address can be, each with a state where it is that."""
    for pointer, guard in arms(address):
        branch = state.copy()
        branch.assume(guard, ConditionKind.BRANCH, span)
        yield pointer, branch


def may_be_elsewhere(address: Value) -> bool:
    """Whether an address may be one that is not known."""
    return not arms(address) or may_be_any(address)


def arms(address: Value) -> list[tuple[Pointer, Term]]:
    """Pointers that an address can be, each with its condition."""
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


def cached_load(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    points_within_arrays(machine, state, call.arguments[0])
    return load(machine, state, arguments[0], call.type, call.span)


def cached_store(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    points_within_arrays(machine, state, call.arguments[0])
    store(machine, state, arguments[0], arguments[1], _pointee_type(call), call.span)
    return OPAQUE


def copy(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Copies and fills, memcpy and memset: they access the whole range where its length is constant."""
    reads = call.function.name not in ("memset", "__builtin_memset")
    target, source, length = arguments[:3]
    if not isinstance(length, Term) or not length.is_const:
        device.unsupported(machine, state, f"{call.function.name} of a length that is not constant", call.span)
        return target
    for address, kind in ((target, AccessKind.WRITE), (source, AccessKind.READ))[: 1 + reads]:
        for pointer, branch in reached(device, machine, state, address, call.span, call.function.name):
            device.access(machine, branch, AccessEvent(kind, pointer, length.value, call.span))
            if pointer.target.space not in SHARED_SPACES and kind is AccessKind.WRITE:
                forget(state, pointer.target)
    return target


def heap_memory(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value:
    """Memory of the thread's own: `malloc`, that is assumed not to fail."""
    text = f"{call.function.name}() does not fail"
    if not machine.speculative:
        device.assumptions.assume(text, call.span)
    size = arguments[0] if arguments else None
    name = machine.names.unique(call.function.name)
    bytes_ = as_int(size) if isinstance(size, Term) else None
    return Pointer(MemoryObject(name, name, MemorySpace.HOST, None, bytes_, call.span), const(0))
