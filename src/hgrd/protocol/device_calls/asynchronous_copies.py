"""Asynchronous copies: accesses that a thread makes at some time until it has waited for them.

CUDA C++ Programming Guide, "Asynchronous Data Copies": the wait makes the copied bytes visible to the thread that
waits, and only a barrier behind it to others.
"""

from __future__ import annotations

from msgspec import Struct

from hgrd.cuda.builtins import builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.cuda.pipelines import is_of_thread, is_pipeline
from hgrd.program.expressions import Call
from hgrd.program.types import VOID, PointerType, RecordType
from hgrd.protocol.device_calls.barriers.in_memory import counting_barrier
from hgrd.protocol.device_calls.barriers.of_pipelines import place_of
from hgrd.protocol.device_calls.memory import branches, may_be_elsewhere
from hgrd.protocol.inference.events import AccessEvent, users_name, users_place
from hgrd.protocol.inference.recorder import barrier_guards
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.model import Access, CopyStep, Joint
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, load
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
        case "wait of" if (prior := number(arguments[1])) is not None and (queue := queue_at(arguments[0])) is not None:
            device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, queue, prior=prior))
        case "wait for oldest of" if (queue := queue_at(arguments[0])) is not None:
            device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, queue, oldest=True))
        case "commit of" if (queue := queue_at(arguments[0])) is not None:
            commit(device, machine, state, call, queue)
        case _:
            name = users_name(machine, call)
            device.unsupported(machine, state, f"{name}, an asynchronous copy", users_place(machine, call.span))
    return OPAQUE


def counted_copy(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`cuda::memcpy_async(to, from, size, barrier)`, or with a pipeline: a copy of one thread; None of others."""
    place = counting_barrier(device, machine, state, call, arguments)
    queue = pipeline_of(machine, state, call, arguments)
    if (place is None and queue is None and not _by_pipeline(call)) or len(arguments) != _OF_THREAD:
        return None
    known = place is not None or queue is not None
    if known and begin_copy(device, machine, state, call, arguments[:3], place or "", queue):
        return OPAQUE
    if not _by_pipeline(call):
        return None
    device.unsupported(machine, state, "memcpy_async, by a pipeline that is not understood", call.span)
    return OPAQUE


def _by_pipeline(call: Call) -> bool:
    return _class_of_pipeline(call) != ""


def _class_of_pipeline(call: Call) -> str:
    """The class of the pipeline by which a `cuda::memcpy_async` goes; "" of other calls."""
    match call.arguments[-1].type if call.arguments else None:
        case PointerType(to=RecordType(key=key)) if call.function.name == "memcpy_async" and is_pipeline(key):
            return key
        case _:
            return ""


class Pipeline(Struct, frozen=True):
    """The pipeline that a copy goes by; `shared`: several threads have it."""

    name: str
    shared: bool


def pipeline_of(machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Pipeline | None:
    """The pipeline by which a `cuda::memcpy_async` goes; None if there is none, or it is not known."""
    key = _class_of_pipeline(call)
    if not key:
        return None
    of_thread = is_of_thread(key)
    object_ = arguments[-1] if of_thread else load(machine, state, arguments[-1], PointerType(VOID), call.span)
    name = queue_at(object_) if of_thread else place_of(object_)
    return None if name is None else Pipeline(name, shared=not of_thread)


def queue_at(pipeline: Value) -> str | None:
    """The name of a pipeline of one thread: that of its object, which cannot be copied or moved."""
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
    queue: Pipeline | None = None,
    once: Joint | None = None,
) -> bool:
    """Begins a copy of `what`: a target, a source and a constant number of bytes; False, where these are not known.

    `counted`: the barrier in memory that counts it, or `queue`: the pipeline that it goes by.  `once`: all threads of
    a group make it together.
    """
    to, source, length = what
    size = number(length)
    if size is None or not isinstance(to, Pointer) or may_be_elsewhere(source):
        return False
    found: list[Access] = []
    shared = queue.name if queue is not None and queue.shared else ""
    for address, kind in ((to, AccessKind.WRITE), (source, AccessKind.READ)):
        for pointer, branch in branches(state, address, call.span):
            if pointer.target.space not in SHARED_SPACES:
                return False
            before = device.recorder.count
            device.access(machine, branch, AccessEvent(kind, pointer, size, call.span, once=once, pipeline=shared))
            last = device.recorder.open[-1][-1] if device.recorder.count > before else None
            found += [last] if isinstance(last, Access) else []
    device.recorder.begins(machine, tuple(found), counted, "" if queue is None else queue.name)
    return True


def number(value: Value) -> int | None:
    """Constant number that a value is; None of others."""
    return value.value if isinstance(value, Term) and value.is_const else None
