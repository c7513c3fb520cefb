"""libcu++: cuda::atomic, cuda::atomic_ref and cuda::atomic_flag as atomic accesses, with their fences.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives"; a memory order stands for fences around
the access (ISO C++, [atomics.fences]).
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.cuda.atomics import (
    AtomicMember,
    StdMemoryOrder,
    atomic_member,
    failure_order,
    is_thread_fence,
    memory_order,
    scope_of_object,
    thread_scope,
)
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import Call
from hgrd.program.types import BoolType, PointerType, Type, VoidType
from hgrd.protocol.device_calls.memory import atomic_access, constant
from hgrd.protocol.inference.events import AtomicOperation, number_of
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, Value
from hgrd.terms import Origin, Term, add, as_int, conj, const, eq, ne, sub


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
    orders, scope = _orders(member, arguments), scope_of_object(call.function.template_args)
    if orders is None or scope is None:
        what = "memory order" if orders is None else "scope"
        device.unsupported(machine, state, f"an atomic whose {what} is not known", call.span)
    order, failure = orders or (StdMemoryOrder.RELAXED, StdMemoryOrder.RELAXED)
    operation = AtomicOperation(member.operation, scope or Scope.THREAD, None, None, order, failure)
    return _Member(device, machine, state, call, member, address, value, operation).result(arguments)


def _fence(device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value:
    """Fence of a memory order."""
    order = memory_order(constant(arguments[0])) if arguments else None
    scope = thread_scope(constant(arguments[1])) if len(arguments) > 1 else Scope.SYSTEM
    if order is None or scope is None:
        device.unsupported(machine, state, "a fence whose memory order or scope is not known", call.span)
    else:
        device.fence(machine, state, scope, call.span, order)
    return OPAQUE


class _Member:
    """Call of a member function on the object at `address`, which holds a value of type `value`.

    `operation` has no operands yet.
    """

    def __init__(
        self,
        device: DeviceSemantics,
        machine: Machine,
        state: State,
        call: Call,
        member: AtomicMember,
        address: Value,
        value: Type,
        operation: AtomicOperation,
    ) -> None:
        self.device, self.machine, self.state = device, machine, state
        self.call, self.member, self.address, self.value = call, member, address, value
        self.operation = operation

    def result(self, arguments: tuple[Value, ...]) -> Value:
        """Result of the call with all its arguments."""
        member = self.member
        operand = arguments[1] if member.implied is None and len(arguments) > 1 else const(member.implied or 0)
        match member.operation:
            case "load":
                old = self.access("load", None)
                if member.name == "wait":
                    self.ended(old, operand)
                return old
            case "store":
                self.access("store", operand)
                return operand if member.gives_new else OPAQUE
            case "cas":
                return self.compare_exchange(arguments)
            case _:
                return self.change(operand)

    def access(self, operation: str, operand: Value | None, compare: Value | None = None) -> Value:
        """Records the atomic access and gives the old value."""
        atomic = replace(self.operation, name=operation, operand=number_of(operand), compare=number_of(compare))
        return atomic_access(self.device, self.machine, self.state, self.call, self.address, self.value, atomic)

    def ended(self, found: Value, old: Value) -> None:
        """Assumes that a wait has found another value than the old one."""
        if isinstance(found, Term) and isinstance(old, Term):
            self.state.assume(ne(as_int(found), as_int(old)), ConditionKind.ENDED, self.call.span)

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
        done = self.machine.unknown_truth("exchanged", Origin.DATA)
        if not isinstance(old, Term) or not isinstance(expected, Term):
            return done
        same = eq(as_int(old), as_int(expected))
        return conj(same, done) if self.call.function.name.endswith("weak") else same  # a weak one may fail for nothing


def _value_type(call: Call, member: AtomicMember) -> Type | None:
    """Type of the value in the atomic object; None: the call does not show it."""
    if member.of_flag:
        return BoolType()
    if member.typed_by is not None:
        return call.arguments[member.typed_by].type if len(call.arguments) > member.typed_by else None
    return None if isinstance(call.type, VoidType) else call.type


def _orders(member: AtomicMember, arguments: tuple[Value, ...]) -> tuple[StdMemoryOrder, StdMemoryOrder] | None:
    """Memory order that follows the operands, and that of a failure; operators have the strongest.

    None: they are not constant.
    """
    given = arguments[member.operands + 1 :] if member.takes_order else ()
    orders = [memory_order(constant(argument)) for argument in given] or [StdMemoryOrder.SEQ_CST]
    success, *others = orders
    if success is None or None in others:
        return None
    return success, next((o for o in others if o is not None), failure_order(success))
