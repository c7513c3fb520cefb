"""Barriers in memory: `cuda::barrier` in shared memory, made for all threads of the block, or for a constant number.

CUDA C++ Programming Guide, "Asynchronous Barrier": a thread that waits goes on when as many threads have arrived as the
barrier was made for, and sees what they have written before.  To make one is a write, and to use it an atomic, so that
those who use it before it is made are seen.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.cuda.barrier_objects import (
    FIRST_NUMBER,
    INIT,
    NUMBERS_OF_OBJECT,
    OBJECT_SIZE,
    BarrierCall,
    barrier_call,
)
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Call
from hgrd.program.types import OpaqueType, PointerType, Type
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.inference.events import AccessEvent, AtomicOperation
from hgrd.protocol.inference.recorder import barrier_guards
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Symbol, Term, add, const, mul, show_exactly, var
from hgrd.terms.linear import difference

_OTHERS = "a barrier in memory that is not known to be of all threads of a block, or of a constant number"
_STILL_USED = "memory that an asynchronous copy may still use, between arrival and wait"
_ONE = const(1)
_WAITS = {BarrierCall.WAIT, BarrierCall.PHASE}
_ALL, _UNKNOWN = 0, -1  # instead of a number of threads


def barrier_object_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a function of a barrier in memory; None of others."""
    kind = barrier_call(call.function.qualified, class_of(call.arguments[0].type if call.arguments else None))
    if kind is None:
        return None
    if kind is BarrierCall.INIT:
        return _made(device, machine, state, call, arguments)
    named = _named(device, arguments[0])
    by_one = kind in _WAITS or all(a is _ONE for a in arguments[1:])
    if named is None or not by_one:
        device.unsupported(machine, state, _OTHERS, call.span)
        return OPAQUE
    barrier, pointer = named
    _used(device, machine, state, pointer, call)
    place, recorder = barrier.place, device.recorder
    if kind not in _WAITS:
        recorder.arriving[place] = recorder.end_counted(machine, place, barrier_guards(state), call.span)
    match kind:
        case BarrierCall.ARRIVE:
            device.arrive(machine, state, place, call.span, barrier)
        case BarrierCall.PHASE:
            parity = arguments[1]
            known = (
                parity
                if isinstance(parity, Term)
                else var(Symbol(machine.names.unique("parity"), 0, 1, Origin.UNKNOWN))
            )
            device.barrier(machine, state, Scope.BLOCK, call.span, named=replace(barrier, parity=known))
        case BarrierCall.WAIT:
            if recorder.disturbed(place):
                device.unsupported(machine, state, _STILL_USED, call.span)
            device.wait(machine, state, place, Scope.BLOCK, call.span, named=barrier)
        case _:
            device.barrier(machine, state, Scope.BLOCK, call.span, named=barrier)
    return OPAQUE


def counting_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> str | None:
    """Place of the barrier in memory that counts an asynchronous copy (`cuda::memcpy_async`); None if there is none.

    Its phase ends when the copy has ended, and the copy is that of a thread that arrives later.
    """
    type_ = call.arguments[-1].type if call.arguments else None
    if call.function.name != "memcpy_async" or barrier_call(INIT, class_of(type_)) is None:
        return None
    named = _named(device, arguments[-1])
    if named is None:
        return None
    _used(device, machine, state, named[1], call)
    return named[0].place


def class_of(type_: Type | None) -> str:
    """The class of a library that a pointer or reference leads to; "" of others."""
    return type_.to.name if isinstance(type_, PointerType) and isinstance(type_.to, OpaqueType) else ""


def _used(device: DeviceSemantics, machine: Machine, state: State, pointer: Pointer, call: Call) -> None:
    atomic = AtomicOperation("load", Scope.BLOCK)
    device.access(machine, state, AccessEvent(AccessKind.ATOMIC, pointer, OBJECT_SIZE, call.span, atomic=atomic))


def _made(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """A barrier is made, for a number of threads."""
    pointer, expected, *more = arguments
    if not isinstance(pointer, Pointer) or pointer.target.space is not MemorySpace.SHARED or more:
        return None
    device.access(machine, state, AccessEvent(AccessKind.WRITE, pointer, OBJECT_SIZE, call.span))
    if not machine.speculative and isinstance(expected, Term):
        whole = difference(expected, mul(*device.configuration.block)) is const(0)
        count = _ALL if whole else expected.value if expected.is_const else _UNKNOWN
        known = device.recorder.expected.setdefault(pointer.target.key, count)
        device.recorder.expected[pointer.target.key] = count if known == count else _UNKNOWN
    return OPAQUE


def _named(device: DeviceSemantics, pointer: Value) -> tuple[NamedBarrier, Pointer] | None:
    """The barrier at an address, if it is known for how many threads it was made."""
    if not isinstance(pointer, Pointer) or pointer.target.space is not MemorySpace.SHARED:
        return None
    key = pointer.target.key
    expected = device.recorder.expected.get(key, _UNKNOWN)
    if expected == _UNKNOWN or (not pointer.offset.is_const and pointer.offset.high >= NUMBERS_OF_OBJECT):
        return None
    first = device.recorder.barrier_places.setdefault(
        key, FIRST_NUMBER + NUMBERS_OF_OBJECT * len(device.recorder.barrier_places)
    )
    count = None if expected == _ALL else const(expected)
    place = f"{key} + {show_exactly(pointer.offset)}"
    return NamedBarrier(add(const(first), pointer.offset), count, place=place), pointer
