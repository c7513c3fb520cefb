"""Asynchronous copies: accesses that a thread makes at some time until it has waited for them.

CUDA C++ Programming Guide, "Asynchronous Data Copies": the wait makes the copied bytes visible to the thread that
waits, and only a barrier behind it to others.
"""

from __future__ import annotations

from hgrd.cuda.builtins import builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.cuda.pipelines import OF_THREAD, PipelineCall, pipeline_call
from hgrd.program.expressions import Call
from hgrd.program.types import OpaqueType, VoidType
from hgrd.protocol.device_calls.barriers.in_memory import class_of, counting_barrier
from hgrd.protocol.device_calls.memory import arms
from hgrd.protocol.inference.events import AccessEvent
from hgrd.protocol.inference.recorder import barrier_guards
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.model import Access, CopyStep, Joint
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Pointer, Value
from hgrd.terms import Term

_OF_THREAD = 4  # arguments of a copy that no group makes together


def pipeline_primitive(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`__pipeline_memcpy_async`, `__pipeline_commit` and `__pipeline_wait_prior` ("Pipeline Primitives Interface")."""
    row = builtin(call.function.library_name)
    match "" if row is None else row.operation:
        case "copy" if begin_copy(device, machine, state, call, arguments[:3]):
            pass
        case "commit":
            commit(device, machine, state, call)
        case "wait" if (prior := number(arguments[0])) is not None:
            device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, prior=prior))
        case "wait of" if (prior := number(arguments[1])) is not None and (queue := _queue(arguments[0])) is not None:
            device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, queue, prior=prior))
        case _:
            device.unsupported(machine, state, f"{call.function.name}, an asynchronous copy", call.span)
    return OPAQUE


def counted_copy(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`cuda::memcpy_async(to, from, size, barrier)`, or with a pipeline: a copy of one thread; None of others."""
    place = counting_barrier(device, machine, state, call, arguments)
    queue = pipeline_of(call, arguments)
    if (place is None and queue is None) or len(arguments) != _OF_THREAD:
        return None
    known = begin_copy(device, machine, state, call, arguments[:3], place or "", queue or "")
    return OPAQUE if known else None


def pipeline_of(call: Call, arguments: tuple[Value, ...]) -> str | None:
    """The pipeline of one thread by which a `cuda::memcpy_async` goes; None if there is none, or it is not known."""
    type_ = call.arguments[-1].type if call.arguments else None
    if call.function.name != "memcpy_async" or class_of(type_) != OF_THREAD:
        return None
    return _queue(arguments[-1])


def pipeline_object_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a function of a pipeline, of which those of one thread are understood; None of others."""
    of = call.arguments[0].type if call.arguments else None
    result = call.type.name if isinstance(call.type, OpaqueType) else ""
    kind = pipeline_call(call.function.qualified, class_of(of), result)
    if kind is None or kind is PipelineCall.NOTHING:
        return None if kind is None else OPAQUE
    queue = None if kind is PipelineCall.OTHER else _queue(arguments[0])
    if queue is None:
        device.unsupported(machine, state, f"{call.function.name}, of a pipeline that is not understood", call.span)
        return OPAQUE if isinstance(call.type, VoidType) else None
    if kind is PipelineCall.COMMIT:
        commit(device, machine, state, call, queue)
    else:
        device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, queue, oldest=True))
    return OPAQUE


def _queue(pipeline: Value) -> str | None:
    """The name of a pipeline: that of its object, which cannot be copied or moved."""
    if not isinstance(pipeline, Pointer) or not pipeline.offset.is_const or pipeline.target.space in SHARED_SPACES:
        return None
    return f"{pipeline.target.key} + {pipeline.offset.value}"


def commit(device: DeviceSemantics, machine: Machine, state: State, call: Call, queue: str = "") -> None:
    """The copies begun so far, and not committed, are the next batch."""
    device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, queue, commits=True))


def begin_copy(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    what: tuple[Value, ...],
    counted: str = "",
    queue: str = "",
    once: Joint | None = None,
) -> bool:
    """Begins a copy of `what`: a target, a source and a constant number of bytes; False, where these are not known.

    `counted`: the barrier in memory that counts it, or `queue`: the pipeline that it goes by.  `once`: all threads of
    a group make it together.
    """
    to, source, length = what
    size = number(length)
    if size is None or not isinstance(to, Pointer) or not arms(source):
        return False
    found: list[Access] = []
    for address, kind in ((to, AccessKind.WRITE), (source, AccessKind.READ)):
        for pointer, _ in arms(address):
            if pointer.target.space not in SHARED_SPACES:
                return False
            before = device.recorder.count
            device.access(machine, state, AccessEvent(kind, pointer, size, call.span, once=once))
            last = device.recorder.open[-1][-1] if device.recorder.count > before else None
            found += [last] if isinstance(last, Access) else []
    device.recorder.begins(machine, tuple(found), counted, queue)
    return True


def number(value: Value) -> int | None:
    """Constant number that a value is; None of others."""
    return value.value if isinstance(value, Term) and value.is_const else None
