"""Random generators in device code: calls read and advance the state that they are given the address of.

cuRAND Library Guide, "Device API Overview".
"""

from __future__ import annotations

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Call
from hgrd.program.types import IntType, PointerType, RecordType, Type, VoidType
from hgrd.protocol.device_calls.memory import reached
from hgrd.protocol.inference.events import AccessEvent, AtomicOperation
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Value
from hgrd.terms import Origin

_OF_A_BLOCK = "curandStateMtgp32"
_DIRECTIONS = {32: 32, 64: 64}  # words of a direction vector by their bits (Sobol generators)


def random(device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value:
    """Call of a random generator: it writes every state among the arguments, and reads it unless it initialises it."""
    initial = call.function.name == "curand_init"
    for e, address in zip(call.arguments, arguments, strict=False):
        type_ = e.type.to if isinstance(e.type, PointerType) else None
        match type_:
            case RecordType(key=key) if key == _OF_A_BLOCK:
                _advance_together(device, machine, state, call, address, type_)
            case RecordType():
                if not initial:
                    load(machine, state, address, type_, call.span)
                store(machine, state, address, OPAQUE, type_, call.span)
            case IntType(bits=bits) if bits in _DIRECTIONS:
                _read_directions(device, machine, state, call, address, bits)
            case _:
                pass
    name = f"{call.function.name}()"
    return OPAQUE if isinstance(call.type, VoidType) else machine.unknown(name, call.type, Origin.DATA)


def _advance_together(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, address: Value, type_: Type
) -> None:
    """MTGP32 generator: it serves all threads of a block at once, and other blocks must not use it."""
    for pointer, branch in reached(device, machine, state, address, call.span, "a random generator"):
        size = machine.size(type_) or 4
        event = AccessEvent(AccessKind.ATOMIC, pointer, size, call.span, AtomicOperation("next", Scope.BLOCK))
        device.access(machine, branch, event)


def _read_directions(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, address: Value, bits: int
) -> None:
    for pointer, branch in reached(device, machine, state, address, call.span, "a random generator"):
        size = _DIRECTIONS[bits] * bits // 8
        device.access(machine, branch, AccessEvent(AccessKind.READ, pointer, size, call.span))
