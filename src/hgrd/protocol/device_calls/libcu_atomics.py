"""libcu++: cuda::atomic, cuda::atomic_ref and cuda::atomic_flag as atomic accesses, with their fences.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives"; a memory order stands for fences around
the access (ISO C++, [atomics.fences]).
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import Call
from hgrd.program.types import BoolType, PointerType, Type, VoidType
from hgrd.protocol.device_calls.memory import atomic_access
from hgrd.protocol.inference.events import AtomicOperation, number_of
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, Value
from hgrd.terms import Origin, Term, add, as_int, const, eq, sub

_MEMBER = re.compile(r"^(?:cuda::)?(?:std::)?(?:__\w+::)*atomic(_ref|_flag)?(?:<.*>)?::")
_FENCE = re.compile(r"^(?:cuda::)?(?:std::)?(?:__\w+::)*atomic_thread_fence$")
_SCOPES = {"system": Scope.SYSTEM, "device": Scope.DEVICE, "block": Scope.BLOCK, "thread": Scope.BLOCK}
_NUMBERS = ("system", "device", "block", "thread")
_ACQUIRES, _RELEASES = frozenset({1, 2, 4, 5}), frozenset({3, 4, 5})  # by std::memory_order
_STRONGEST = 5
_SILENT = frozenset({"notify_one", "notify_all"})
_GET = frozenset({"load", "wait", "test"})
_SET = frozenset({"store", "operator=", "clear"})
_CHANGES = {
    "exchange": "exch", "test_and_set": "exch", "fetch_add": "add", "fetch_sub": "sub", "fetch_and": "and",
    "fetch_or": "or", "fetch_xor": "xor", "fetch_min": "min", "fetch_max": "max", "operator++": "add",
    "operator--": "sub", "operator+=": "add", "operator-=": "sub", "operator&=": "and", "operator|=": "or",
    "operator^=": "xor",
}  # fmt: skip


def atomic_member(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """A member function of an atomic object, or a fence; None for anything else."""
    if _FENCE.match(call.function.qualified):
        given = arguments[1] if len(arguments) > 1 else None
        number = given.value if isinstance(given, Term) and given.is_const else 0
        device.fence(machine, state, _scope_of(number), call.span)
        return OPAQUE
    match = _MEMBER.match(call.function.qualified)
    if match is None or not arguments:
        return None
    name = call.function.name
    if name == "atomic_ref":
        return Composite({0: Cell(arguments[1], 8)}, 8) if len(arguments) == 2 else None
    if name in _SILENT:
        return OPAQUE
    value = _value_type(call, name)
    if value is None:
        return None
    address = arguments[0]
    if match[1] == "_ref":
        address = load(machine, state, address, PointerType(value), call.span)
    member = _Member(device, machine, state, call, address, value, _order(name, arguments))
    if name in _GET or (name.startswith("operator ") and len(arguments) == 1):
        return member.access("load", None)
    if name in _SET:
        member.access("store", arguments[1] if name != "clear" else const(0))
        return arguments[1] if name == "operator=" else OPAQUE
    if name.startswith("compare_exchange"):
        return member.compare_exchange(arguments)
    return member.change(name, arguments) if name in _CHANGES else None


class _Member:
    """One call on the object at `address`, which holds a value of type `value`."""

    def __init__(
        self,
        device: DeviceSemantics,
        machine: Machine,
        state: State,
        call: Call,
        address: Value,
        value: Type,
        order: int,
    ) -> None:
        self.device, self.machine, self.state = device, machine, state
        self.call, self.address, self.value = call, address, value
        self.order = order
        self.scope = _scope(call)

    def access(self, operation: str, operand: Value | None, compare: Value | None = None) -> Value:
        """The old value."""
        if self.order in _RELEASES and operation != "load":
            self.device.fence(self.machine, self.state, self.scope, self.call.span)
        call = replace(self.call, type=VoidType() if operation == "store" else self.value)
        atomic = AtomicOperation(operation, self.scope, number_of(operand), number_of(compare))
        old = atomic_access(self.device, self.machine, self.state, call, self.address, self.value, atomic)
        if self.order in _ACQUIRES and operation != "store":
            self.device.fence(self.machine, self.state, self.scope, self.call.span)
        return old

    def change(self, name: str, arguments: tuple[Value, ...]) -> Value:
        """Read, modify, write: fetch_… and x++ give the old value, ++x and x += y the new one."""
        step = name in ("operator++", "operator--")
        operand = const(1) if step or name == "test_and_set" else arguments[1]
        old = self.access(_CHANGES[name], operand)
        new = (name.startswith("operator") and not step) or (step and len(arguments) == 1)
        if not new:
            return old
        if isinstance(old, Term) and isinstance(operand, Term) and _CHANGES[name] in ("add", "sub"):
            return (add if _CHANGES[name] == "add" else sub)(as_int(old), as_int(operand))
        return self.machine.unknown(f"{name}()", self.value, Origin.DATA)

    def compare_exchange(self, arguments: tuple[Value, ...]) -> Value:
        """`expected` becomes the old value (where it was that, it stays as it is)."""
        expected = load(self.machine, self.state, arguments[1], self.value, self.call.span)
        old = self.access("cas", arguments[2], expected)
        store(self.machine, self.state, arguments[1], old, self.value, self.call.span)
        if isinstance(old, Term) and isinstance(expected, Term) and not self.call.function.name.endswith("weak"):
            return eq(as_int(old), as_int(expected))
        return self.machine.unknown_truth("exchanged", Origin.DATA)


def _value_type(call: Call, name: str) -> Type | None:
    """The type of the value in the atomic object."""
    if name in ("test", "test_and_set", "clear"):
        return BoolType()
    if name.startswith("compare_exchange"):
        return call.arguments[2].type if len(call.arguments) > 2 else None
    if name in ("store", "wait", "operator=") and len(call.arguments) > 1:
        return call.arguments[1].type
    return None if isinstance(call.type, VoidType) else call.type


def _order(name: str, arguments: tuple[Value, ...]) -> int:
    """The std::memory_order behind the operands; operators have the strongest."""
    operands = (
        2 if name.startswith("compare_exchange") else 0 if name in ("load", "test", "test_and_set", "clear") else 1
    )
    given = arguments[operands + 1] if not name.startswith("operator") and len(arguments) > operands + 1 else None
    return given.value if isinstance(given, Term) and given.is_const else _STRONGEST


def _scope(call: Call) -> Scope:
    """The last template argument of the class."""
    arguments = call.function.template_args
    scope = arguments[-1] if arguments else 0
    if isinstance(scope, int):
        return _scope_of(scope)
    return _SCOPES.get(scope.rpartition("_")[2], Scope.SYSTEM)


def _scope_of(number: int) -> Scope:
    return _SCOPES[_NUMBERS[number]] if 0 <= number < len(_NUMBERS) else Scope.SYSTEM
