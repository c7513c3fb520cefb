"""Asynchronous copies: accesses that a thread makes at some time until it has waited for them.

CUDA C++ Programming Guide, "Asynchronous Data Copies": the wait makes the copied bytes visible to the thread that
waits, and only a barrier behind it to others.
"""

from __future__ import annotations

from hgrd.cuda.builtins import builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.program.expressions import Call
from hgrd.protocol.device_calls.barriers.in_memory import counting_barrier
from hgrd.protocol.device_calls.memory import arms
from hgrd.protocol.inference.events import AccessEvent
from hgrd.protocol.inference.recorder import barrier_guards
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.model import Access
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Composite, Pointer, Value
from hgrd.terms import Term

_OF_THREAD = 4  # arguments of a copy that no group makes together


def pipeline_primitive(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`__pipeline_memcpy_async`, `__pipeline_commit` and `__pipeline_wait_prior` ("Pipeline Primitives Interface")."""
    row = builtin(call.function.library_name)
    match "" if row is None else row.operation:
        case "copy" if begin_copy(device, machine, state, call, arguments[0], arguments[1:3]):
            pass
        case "commit":
            device.recorder.commit(machine, barrier_guards(state), call.span)
        case "wait" if (prior := number(arguments[0])) is not None:
            device.recorder.complete(machine, prior, barrier_guards(state), call.span)
        case _:
            device.unsupported(machine, state, f"{call.function.name}, an asynchronous copy", call.span)
    return OPAQUE


def counted_copy(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`cuda::memcpy_async(to, from, size, barrier)`, a copy of one thread; None of others."""
    place = counting_barrier(device, machine, state, call, arguments)
    if place is None or len(arguments) != _OF_THREAD:
        return None
    known = begin_copy(device, machine, state, call, arguments[0], arguments[1:3], place)
    return OPAQUE if known else None


def begin_copy(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    to: Value,
    what: tuple[Value, ...],
    counted: str = "",
) -> bool:
    """Begins a copy of `what`: a source and a constant number of bytes; False, where it is not known what it copies.

    `counted`: the barrier in memory that counts it.
    """
    source, length = what
    size = number(length)
    if size is None or not isinstance(to, Pointer) or not arms(source):
        return False
    found: list[Access] = []
    for address, kind in ((to, AccessKind.WRITE), (source, AccessKind.READ)):
        for pointer, _ in arms(address):
            if pointer.target.space not in SHARED_SPACES:
                return False
            before = device.recorder.count
            device.access(machine, state, AccessEvent(kind, pointer, size, call.span))
            last = device.recorder.open[-1][-1] if device.recorder.count > before else None
            found += [last] if isinstance(last, Access) else []
    device.recorder.begins(machine, tuple(found), counted)
    return True


def number(value: Value) -> int | None:
    """Constant number that a value is, or that a record of one number holds, as `aligned_size_t`; None of others."""
    if isinstance(value, Composite) and len(value.cells) == 1:
        (cell,) = value.cells.values()
        value = cell.value
    return value.value if isinstance(value, Term) and value.is_const else None
