"""Collectives of CUB: what they do to their temporary storage, and the order that they make.

CUB, `BlockReduce`, `WarpScan` and the like: the storage may be used again only behind a barrier of the threads that
take part, of the block or of the warp.
"""

from __future__ import annotations

from typing import Final

from hgrd.cuda.cub import STORAGE_SIZE, lanes_of_warp, threads_of_block
from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.host.model import Fact, FactKind
from hgrd.program.expressions import Call
from hgrd.program.types import POINTER_SIZE, OpaqueType, PointerType
from hgrd.protocol.device_calls.memory import branches, may_be_elsewhere
from hgrd.protocol.device_calls.number_functions import unknown_result
from hgrd.protocol.device_calls.warp_collectives import thread_number
from hgrd.protocol.inference.events import AccessEvent, access_text
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, load, reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Cell, Composite, MemoryObject, MemorySpace, OpaqueValue, Pointer, Value
from hgrd.terms import TRUE, Term, const, div

_STORAGE: Final = PointerType(OpaqueType("cub::TempStorage"))


def collective(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value:
    """Value of a constructor or method of a collective; the object holds the address of its storage.

    Reductions and scans over more than one warp pass a barrier of the block: what a thread gets depends on all the
    others.  Threads use the storage before and after it.
    """
    first, last = call.function.qualified.split("::")[1:3] if call.function.qualified.count("::") == 2 else ("", "")
    if first and first == last:
        return Composite({0: Cell(_given_storage(machine, state, call, arguments), POINTER_SIZE)}, POINTER_SIZE)
    storage = load(machine, state, arguments[0], _STORAGE, call.span) if arguments else None
    if storage is None or may_be_elsewhere(storage):
        _assume_reuse(device, machine, call)
    _note_others(device, machine, state, call, arguments)
    together = _together(device, call)
    _use(device, machine, state, call, storage, AccessKind.WRITE, together)
    if threads_of_block(call.function.qualified, call.function.template_args) > WARP_SIZE:
        device.barrier(machine, state, Scope.BLOCK, call.span)
        _use(device, machine, state, call, storage, AccessKind.READ, together)
    for target in reachable(state, arguments[1:]):
        if target.space not in SHARED_SPACES:
            forget(state, target)
    result = unknown_result(machine, call)
    device.uniformity.exchange(result)
    return result


def _given_storage(machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value:
    """Address of the storage that a constructor is given; without one, all objects of the class share theirs."""
    if len(arguments) < 2:
        name = call.function.qualified.rpartition("::")[0]
        own = f"{name}<{', '.join(map(str, call.function.template_args))}> storage"
        return Pointer(MemoryObject(own, f"the storage of {name}", MemorySpace.SHARED, None, None, call.span), const(0))
    type_ = call.arguments[1].type
    if isinstance(type_, PointerType) and isinstance(type_.to, OpaqueType) and _is_storage(type_.to.name):
        return arguments[1]
    return load(machine, state, arguments[1], _STORAGE, call.span)


def _is_storage(name: str) -> bool:
    return name.endswith("TempStorage")


def _note_others(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> None:
    """Notes memory that threads share and that the collective is given besides its storage."""
    if machine.speculative:
        return
    given = reachable(state, arguments[1:])
    anywhere = any(
        isinstance(e.type, PointerType) and isinstance(a, OpaqueValue)
        for e, a in zip(call.arguments[1:], arguments[1:], strict=False)
    )
    device.memory.collectives.to(call, given, anywhere=anywhere)
    for target in given:
        if target.space is MemorySpace.SHARED or (
            target.space is MemorySpace.GLOBAL and call.function.name not in ("Load", "Store")
        ):
            reason = f"what {call.function.name}() of a collective does to {target.name}"
            device.recorder.gap(machine, state, reason, call.span, may_order=False)


def _assume_reuse(device: DeviceSemantics, machine: Machine, call: Call) -> None:
    if not machine.speculative:
        text = "temporary storage of CUB is reused only behind a barrier"
        device.assumptions.facts.append(Fact(TRUE, FactKind.ASSUMPTION, text, call.span))


def _together(device: DeviceSemantics, call: Call) -> Term:
    """What threads that take part in one collective have in common."""
    lanes = lanes_of_warp(call.function.qualified, call.function.template_args)
    return const(0) if lanes is None else div(thread_number(device), const(lanes))


def _use(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    storage: Value | None,
    kind: AccessKind,
    together: Term,
) -> None:
    """Records that the threads use the storage together."""
    name = "::".join(call.function.qualified.split("::")[1:3])
    for pointer, branch in branches(state, storage, call.span) if storage is not None else ():
        text = f"{access_text(pointer, STORAGE_SIZE)}, the storage of {name}()"
        device.access(
            machine, branch, AccessEvent(kind, pointer, STORAGE_SIZE, call.span, text=text, together=together)
        )
