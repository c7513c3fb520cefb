"""Cooperative groups: which threads a group has, its ranks, and its barriers."""

from __future__ import annotations

from hgrd.cuda.groups import FUNCTIONS, WRITES, Group, GroupCall, group_type, makes_group
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import Call
from hgrd.program.types import PointerType, VoidType
from hgrd.protocol.alike import UniformGroup
from hgrd.protocol.cluster_memory import RemoteCopy
from hgrd.protocol.configuration import cluster_rank
from hgrd.protocol.device_calls.asynchronous_copies import begin_copy, commit, pipeline_of
from hgrd.protocol.device_calls.barriers.in_memory import counting_barrier
from hgrd.protocol.device_calls.group_ranks import (
    exchanged_in_mask,
    group_of,
    lane_group,
    leads_lanes,
    mask_of,
    rank,
    told_by_mask,
)
from hgrd.protocol.device_calls.warp_collectives import same_for_tile, scanned, thread_number
from hgrd.protocol.inference.recorder import barrier_guards
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.model import CopyStep, Joint
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, MemorySpace, Pointer, Value
from hgrd.terms import Op, Origin, Symbol, Term, const, div, eq, var


def group_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a function or method of cooperative_groups; None for others."""
    name = call.function.name
    if makes_group(name):
        of = group_of(call.arguments[0].type) if call.arguments else None
        device.divided = device.divided or (of is not None and of.kind != "thread_block")
        return lane_group(device, machine, state, call, arguments) or OPAQUE
    if not call.arguments:
        return _static_method(device, machine, state, call)
    group = group_of(call.arguments[0].type)
    if group is None:
        return None
    kind = FUNCTIONS.get(name)
    if kind in _BARRIERS:
        return _barrier(device, machine, state, call, group, kind)
    if kind is GroupCall.COPY:
        return _copy(device, machine, state, call, arguments, group)
    if kind is GroupCall.COMPLETE:
        return _completed(device, machine, state, call, arguments, group)
    if kind is GroupCall.REMOTE:
        return _of_other_block(device, arguments) or _not_understood(device, machine, state, call, group)
    if kind is GroupCall.LEAD:
        mask = mask_of(device, machine, state, call, arguments, group)
        if mask is not None:
            return leads_lanes(device, machine, state, call, arguments, mask)
        return _leads(device, machine, call, group)
    if kind is None:
        return _unlisted(device, machine, state, call, group)
    mask = mask_of(device, machine, state, call, arguments, group)
    told = rank(device, group, name) if mask is None else told_by_mask(device, mask, name)
    if told is not None:
        return told
    origin = Origin.UNKNOWN if kind is GroupCall.SHAPE else Origin.DATA
    value = machine.unknown(f"{name}()", call.type, origin)
    if mask is None:
        device.uniformity.exchange(value)
    else:
        exchanged_in_mask(device, machine, state, call, mask, arguments, value)
    if kind in _EXCHANGES:
        device.recorder.exchange(machine, name, call.span)
    _store_further_result(device, machine, state, call, arguments)
    if kind is GroupCall.SCAN:
        scanned(device, machine, state, call, arguments, value, size=group.size, mask=mask)
    alike = same_for_tile(device, name, group.size, arguments)
    if alike is not None:
        device.uniformity.alike_for(machine, value, alike)
    return value


def _of_other_block(device: DeviceSemantics, arguments: tuple[Value, ...]) -> Value | None:
    """The address in the block of a rank that a variable in the own shared memory corresponds to; None: not known.

    CUDA Programming Guide, "Distributed Shared Memory".
    """
    pointer, rank_of = arguments[-2:]
    if not isinstance(pointer, Pointer) or not isinstance(rank_of, Term):
        return None
    if pointer.target.space is not MemorySpace.SHARED or pointer.target.key in device.recorder.copies:
        return None
    copy = RemoteCopy(pointer.target, rank_of)
    device.recorder.copies[copy.target.key] = copy
    device.memory.single_valued.values[pointer.target.key] = None
    return Pointer(copy.target, pointer.offset)


def _store_further_result(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> None:
    at = WRITES.get(call.function.name, len(arguments))
    type_ = call.arguments[at].type if at < len(arguments) else None
    if isinstance(type_, PointerType):
        stored = machine.unknown(f"{call.function.name}()", type_.to, Origin.DATA)
        device.uniformity.exchange(stored)
        store(machine, state, arguments[at], stored, type_.to, call.span)


def _leads(device: DeviceSemantics, machine: Machine, call: Call, group: Group) -> Value:
    """Whether the thread is the one that is chosen: any rank may be ("invoke_one and invoke_one_broadcast")."""
    own, size = rank(device, group, "thread_rank"), rank(device, group, "size")
    if not isinstance(own, Term) or not isinstance(size, Term):
        return machine.unknown("leads", call.type, Origin.UNKNOWN)
    chosen = var(machine.names.fresh("chosen", 0, size.high - 1, Origin.THREAD))
    alike = () if group.size is None else (div(thread_number(device), const(group.size)),)
    device.uniformity.alike_for(machine, chosen, UniformGroup(alike, ()))
    return eq(own, chosen)


def _copy(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...], group: Group
) -> Value:
    """Copy that a group makes together: whichever thread copies a byte, it may be any one.

    It is a batch of its own, or a barrier in memory counts it, or it goes by a pipeline.
    """
    counted = counting_barrier(device, machine, state, call, arguments)
    queue = pipeline_of(machine, state, call, arguments)
    alone = counted is None and queue is None
    branch = state.copy()
    leads = _leads(device, machine, call, group)
    if len(arguments) == (4 if alone else 5) and isinstance(leads, Term) and leads.op is Op.EQ:
        branch.assume(leads, ConditionKind.BRANCH, call.span)
        length, shape = arguments[3], call.arguments[3].type
        if isinstance(shape, PointerType):
            length = load(machine, state, length, shape.to, call.span)
        part = () if group.size is None else (div(thread_number(device), const(group.size)),)
        once = Joint(device.recorder.count, (*part, *(var(loop.binder) for loop in device.recorder.loops)))
        if begin_copy(device, machine, branch, call, (*arguments[1:3], length), counted or "", queue, once):
            if alone:
                commit(device, machine, state, call)
            return OPAQUE
    return _not_understood(device, machine, state, call, group)


def _completed(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...], group: Group
) -> Value:
    """Wait for the group's copies, but for those of the last batches of `wait_prior`, and for the whole group."""
    batches = arguments[1] if len(arguments) > 1 else None
    known = batches is None or (isinstance(batches, Term) and batches.is_const)
    if not known or group.partial:
        return _not_understood(device, machine, state, call, group)
    prior = batches.value if isinstance(batches, Term) else 0
    device.recorder.add(machine, CopyStep(barrier_guards(state), call.span, prior=prior))
    return _barrier(device, machine, state, call, group, GroupCall.BARRIER)


def _unlisted(device: DeviceSemantics, machine: Machine, state: State, call: Call, group: Group) -> Value:
    """A constructor copies a handle; anything else is not understood."""
    if call.function.name == group.kind:
        return OPAQUE
    return _not_understood(device, machine, state, call, group)


def _not_understood(device: DeviceSemantics, machine: Machine, state: State, call: Call, group: Group) -> Value:
    device.unsupported(machine, state, f"{call.function.name} of a {group.kind}", call.span)
    return OPAQUE if isinstance(call.type, VoidType) else machine.unknown(call.function.name, call.type, Origin.UNKNOWN)


def _static_method(device: DeviceSemantics, machine: Machine, state: State, call: Call) -> Value | None:
    group = group_type(call.function.qualified)
    if group is None or "::" not in call.function.qualified:
        return None
    group = Group(group.kind)  # tiles have no static methods
    kind = FUNCTIONS.get(call.function.name)
    if kind in _BARRIERS:
        return _barrier(device, machine, state, call, group, kind)
    told = rank(device, group, call.function.name)
    return _unlisted(device, machine, state, call, group) if told is None else told


_EXCHANGES = (GroupCall.SHUFFLE, GroupCall.VOTE, GroupCall.REDUCE, GroupCall.SCAN)
_BARRIERS = (GroupCall.BARRIER, GroupCall.ARRIVE, GroupCall.WAIT)


def _barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, group: Group, kind: GroupCall | None
) -> Value:
    """Barrier of a group, or one half of it (CUDA Programming Guide, "Cooperative Groups", "Synchronization")."""
    scope, tile = group.scope, None
    if group.size is not None and group.size != WARP_SIZE:
        tile = div(thread_number(device), const(group.size))
    if group.kind == "cluster_group":
        scope, tile = cluster_barrier(device)
    if kind is GroupCall.BARRIER:
        mask = _some_lanes(machine) if group.partial else None
        device.barrier(machine, state, scope, call.span, mask=mask, tile=tile)
    elif group.kind not in _SPLIT:
        return _not_understood(device, machine, state, call, group)
    elif kind is GroupCall.ARRIVE:
        device.arrive(machine, state, group.kind, call.span)
    else:
        device.wait(machine, state, group.kind, scope, call.span, tile=tile)
    return OPAQUE


def half_of_cluster_barrier(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, _: tuple[Value, ...]
) -> Value | None:
    """`__cluster_barrier_arrive` or `__cluster_barrier_wait` (PTX ISA, barrier.cluster)."""
    kind = GroupCall.ARRIVE if call.function.name == "__cluster_barrier_arrive" else GroupCall.WAIT
    return _barrier(device, machine, state, call, Group("cluster_group"), kind)


_SPLIT = ("thread_block", "cluster_group", "grid_group")


def cluster_barrier(device: DeviceSemantics) -> tuple[Scope, Term | None]:
    """Scope of a barrier of the cluster, and the number of the cluster, that its threads have in common."""
    of_one_block = all(n.is_const and n.value == 1 for n in device.configuration.cluster)
    return (Scope.BLOCK, None) if of_one_block else (Scope.CLUSTER, cluster_rank(device.configuration))


def _some_lanes(machine: Machine) -> Term:
    """Unknown mask of lanes."""
    return var(Symbol(machine.names.unique("mask"), 0, ALL_LANES, Origin.UNKNOWN))
