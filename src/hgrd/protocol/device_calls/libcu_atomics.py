"""libcu++: cuda::atomic, cuda::atomic_ref and cuda::atomic_flag as atomic accesses, with their fences.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives"; a memory order stands for fences around
the access (ISO C++, [atomics.fences]).
"""

from __future__ import annotations

from hgrd.cuda.atomics import (
    AtomicMember,
    StdMemoryOrder,
    atomic_member,
    is_thread_fence,
    memory_order,
    scope_of_object,
    thread_scope,
)
from hgrd.program.expressions import Call
from hgrd.program.types import BoolType, PointerType, Type, VoidType
from hgrd.protocol.device_calls.memory import constant, ordered_access
from hgrd.protocol.inference.events import AtomicOperation, number_of
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, Value
from hgrd.terms import Origin, Term, add, as_int, const, eq, sub


def atomic_object_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a member function of an atomic object, or of a fence; None for other functions."""
    if is_thread_fence(call.function.qualified):
        return _fence(device, machine, state, call, arguments)
    member = atomic_member(call.function.qualified, call.function.name, len(arguments))
    if member is None:
        return None
    if member.constructs:
        return Composite({0: Cell(arguments[1], 8)}, 8) if member.by_reference and len(arguments) == 2 else None
    if not member.operation:
        return OPAQUE
    value = _value_type(call, member)
    if value is None:
        return None
    address = arguments[0]
    if member.by_reference:
        address = load(machine, state, address, PointerType(value), call.span)
    return _Member(device, machine, state, call, member, address, value, _order(member, arguments)).result(arguments)


def _fence(device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value:
    """Fence of a memory order; a relaxed one does nothing (ISO C++, [atomics.fences])."""
    order = constant(arguments[0]) if arguments else None
    if order is not None and memory_order(order) is StdMemoryOrder.RELAXED:
        return OPAQUE
    given = arguments[1] if len(arguments) > 1 else None
    device.fence(machine, state, thread_scope(constant(given) or 0), call.span)
    return OPAQUE


class _Member:
    """Call of a member function on the object at `address`, which holds a value of type `value`."""

    def __init__(
        self,
        device: DeviceSemantics,
        machine: Machine,
        state: State,
        call: Call,
        member: AtomicMember,
        address: Value,
        value: Type,
        order: StdMemoryOrder,
    ) -> None:
        self.device, self.machine, self.state = device, machine, state
        self.call, self.member, self.address, self.value = call, member, address, value
        self.order = order
        self.scope = scope_of_object(call.function.template_args)

    def result(self, arguments: tuple[Value, ...]) -> Value:
        """Result of the call with all its arguments."""
        member = self.member
        operand = arguments[1] if member.implied is None and len(arguments) > 1 else const(member.implied or 0)
        match member.operation:
            case "load":
                return self.access("load", None)
            case "store":
                self.access("store", operand)
                return operand if member.gives_new else OPAQUE
            case "cas":
                return self.compare_exchange(arguments)
            case _:
                return self.change(operand)

    def access(self, operation: str, operand: Value | None, compare: Value | None = None) -> Value:
        """Records the atomic access and gives the old value."""
        atomic = AtomicOperation(operation, self.scope, number_of(operand), number_of(compare))
        return ordered_access(
            self.device, self.machine, self.state, self.call, self.address, self.value, atomic, self.order
        )

    def change(self, operand: Value) -> Value:
        """Read-modify-write: fetch_… and x++ give the old value, ++x and x += y the new one."""
        operation = self.member.operation
        old = self.access(operation, operand)
        if not self.member.gives_new:
            return old
        if isinstance(old, Term) and isinstance(operand, Term) and operation in ("add", "sub"):
            return (add if operation == "add" else sub)(as_int(old), as_int(operand))
        return self.machine.unknown(f"{self.member.name}()", self.value, Origin.DATA)

    def compare_exchange(self, arguments: tuple[Value, ...]) -> Value:
        """Compare-and-swap: `expected` becomes the old value (which changes nothing where the two were equal)."""
        expected = load(self.machine, self.state, arguments[1], self.value, self.call.span)
        old = self.access("cas", arguments[2], expected)
        store(self.machine, self.state, arguments[1], old, self.value, self.call.span)
        if isinstance(old, Term) and isinstance(expected, Term) and not self.call.function.name.endswith("weak"):
            return eq(as_int(old), as_int(expected))
        return self.machine.unknown_truth("exchanged", Origin.DATA)


def _value_type(call: Call, member: AtomicMember) -> Type | None:
    """Type of the value in the atomic object; None: the call does not show it."""
    if member.of_flag:
        return BoolType()
    if member.typed_by is not None:
        return call.arguments[member.typed_by].type if len(call.arguments) > member.typed_by else None
    return None if isinstance(call.type, VoidType) else call.type


def _order(member: AtomicMember, arguments: tuple[Value, ...]) -> StdMemoryOrder:
    """Memory order that follows the operands; operators have the strongest."""
    given = member.takes_order and len(arguments) > member.operands + 1
    return memory_order(constant(arguments[member.operands + 1]) if given else None)
