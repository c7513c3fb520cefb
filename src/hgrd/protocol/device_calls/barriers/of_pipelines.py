"""Pipelines of several threads: `cuda::pipeline` with its state in shared memory, of which each stage has two barriers.

CUDA C++ Core Libraries, "cuda::pipeline": a producer acquires a stage when all consumers have released what it held
before, and commits it; a consumer waits until all producers have committed it, and releases it.  So the n-th commits
are waited for by the n-th waits, and the n-th releases by the acquire of as many further batches as there are stages.
"""

from __future__ import annotations

from msgspec import Struct

from hgrd.cuda.barrier_objects import FIRST_NUMBER, NUMBERS_OF_OBJECT
from hgrd.cuda.builtins import builtin
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.cuda.pipelines import STAGE_SIZE
from hgrd.program.expressions import Call
from hgrd.protocol.barrier_names import NamedBarrier, Turn
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.inference.events import AccessEvent, users_name, users_place
from hgrd.protocol.inference.recorder import barrier_guards
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.model import CopyStep
from hgrd.protocol.rings.sites import threads_where
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Term, conj, const, eq, mul, symbols_of
from hgrd.terms.linear import difference

_BOTH, _PRODUCER = 3, 1  # roles


def place_of(state: Value) -> str | None:
    """The name of a pipeline of several threads: the place of what they share; None: it is not known."""
    if not isinstance(state, Pointer) or not state.offset.is_const or state.target.space is not MemorySpace.SHARED:
        return None
    return f"{state.target.key} + {state.offset.value}"


class _Pipeline(Struct, frozen=True):
    """A pipeline at a place: its stages, and the first byte of its state."""

    place: str
    pointer: Pointer
    stages: int


def pipeline_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """A function of a pipeline of several threads."""
    pointer, stages, *_ = arguments
    place = place_of(pointer)
    row = builtin(call.function.name)
    if place is None or not isinstance(pointer, Pointer) or not isinstance(stages, Term) or not stages.is_const:
        return _not_understood(device, machine, state, call)
    pipeline = _Pipeline(place, pointer, stages.value)
    if row is not None and row.operation == "make":
        return _made(device, machine, state, call, arguments, pipeline)
    counts = device.recorder.pipelines.get(place)
    if counts is None or row is None:
        return _not_understood(device, machine, state, call)
    _passed(device, machine, state, call, pipeline, counts, row.operation)
    return OPAQUE


def _passed(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    pipeline: _Pipeline,
    counts: tuple[Term, Term],
    operation: str,
) -> None:
    """A thread does something at the stage whose turn it is."""
    span = users_place(machine, call.span)
    commits, releases = (_barrier(device, pipeline, counts, side) for side in (0, 1))
    taken = Turn(f"commits of {pipeline.place}", pipeline.stages)
    given_back = Turn(f"releases of {pipeline.place}", pipeline.stages)
    match operation:
        case "acquire":
            free = Turn(taken.counter, pipeline.stages, back=pipeline.stages)
            device.barrier(machine, state, Scope.BLOCK, span, named=releases(free))
            if counts != _all(device):  # who commits does not wait, but others have before they have released
                rest = CopyStep(barrier_guards(state), span, pipeline.place, prior=pipeline.stages - 1)
                device.recorder.add(machine, rest)
        case "commit":
            device.recorder.add(machine, CopyStep(barrier_guards(state), span, pipeline.place, commits=True))
            device.arrive(machine, state, pipeline.place, span, commits(taken))
        case "wait":
            device.barrier(machine, state, Scope.BLOCK, span, named=commits(given_back))
            oldest = CopyStep(barrier_guards(state), span, pipeline.place, oldest=True)
            device.recorder.add(machine, oldest)
        case _:
            device.arrive(machine, state, f"releases of {pipeline.place}", span, releases(given_back))


def _made(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    arguments: tuple[Value, ...],
    pipeline: _Pipeline,
) -> Value | None:
    """A pipeline is made by all threads of the block."""
    _, _, threads, role = arguments
    whole = mul(*device.configuration.block)
    if not isinstance(threads, Term) or not isinstance(role, Term) or difference(threads, whole) is not const(0):
        return _not_understood(device, machine, state, call)
    leading = state.copy()
    first = conj(*(eq(i, const(0)) for i in index_terms(device.configuration.thread)))
    leading.assume(first, ConditionKind.BRANCH, call.span)
    size = STAGE_SIZE * pipeline.stages
    device.access(machine, leading, AccessEvent(AccessKind.WRITE, pipeline.pointer, size, call.span))
    counts = _counts(device, role)
    if machine.speculative:
        return OPAQUE
    if counts is None or device.recorder.pipelines.setdefault(pipeline.place, counts) != counts:
        return _not_understood(device, machine, state, call)
    return OPAQUE


def _counts(device: DeviceSemantics, role: Term) -> tuple[Term, Term] | None:
    """How many threads commit, and how many release; None: that is not known."""
    whole = mul(*device.configuration.block)
    if role.is_const and role.value == _BOTH:
        return _all(device)
    if not whole.is_const or any(s.origin is not Origin.THREAD for s in symbols_of(role)) or role.arrays:
        return None
    producers = threads_where(eq(role, const(_PRODUCER)), device.configuration)
    return const(len(producers)), const(whole.value - len(producers))


def _all(device: DeviceSemantics) -> tuple[Term, Term]:
    whole = mul(*device.configuration.block)
    return whole, whole


class _Side(Struct, frozen=True):
    """The barriers of a pipeline where threads commit, or where they release."""

    number: Term
    count: Term
    place: str

    def __call__(self, turn: Turn) -> NamedBarrier:
        return NamedBarrier(self.number, self.count, place=self.place, turn=turn)


def _barrier(device: DeviceSemantics, pipeline: _Pipeline, counts: tuple[Term, Term], side: int) -> _Side:
    key = pipeline.pointer.target.key
    first = device.recorder.barrier_places.setdefault(
        key, FIRST_NUMBER + NUMBERS_OF_OBJECT * len(device.recorder.barrier_places)
    )
    at = pipeline.pointer.offset.value + side * pipeline.stages * STAGE_SIZE // 2
    return _Side(const(first + at), counts[side], pipeline.place)


def _not_understood(device: DeviceSemantics, machine: Machine, state: State, call: Call) -> Value:
    what = f"{users_name(machine, call)}, of a pipeline that is not understood"
    device.unsupported(machine, state, what, users_place(machine, call.span))
    return OPAQUE
