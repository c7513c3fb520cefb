"""Cooperative groups: which threads a group has, its ranks, and its barriers."""

from __future__ import annotations

from hgrd.cuda.groups import FUNCTIONS, Group, GroupCall, group_type, makes_group
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.program.expressions import Call
from hgrd.program.types import OpaqueType, PointerType, Type, VoidType
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.device_calls.warp_collectives import same_for_tile, thread_number
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, Value
from hgrd.terms import Origin, Symbol, Term, add, const, div, mod, mul, var

NO_MEANINGS = (GroupCall.ARRIVE, GroupCall.COPY, GroupCall.REMOTE, GroupCall.INVOKE)
"""What goes to the handler of unknown functions."""


def group_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a function or method of cooperative_groups; None for others, and for those without a meaning."""
    name = call.function.name
    if makes_group(name):
        return OPAQUE
    if not call.arguments:
        return _static_method(device, machine, state, call)
    group = _group_of(call.arguments[0].type)
    if group is None:
        return None
    kind = FUNCTIONS.get(name)
    if kind in (GroupCall.BARRIER, GroupCall.WAIT):
        return _sync(device, machine, state, call, group)
    if kind in NO_MEANINGS:
        return None
    rank = _rank(device, group, name)
    if rank is not None:
        return rank
    if isinstance(call.type, VoidType) or name.startswith(("thread_block", "grid_group", "coalesced", "thread_group")):
        return OPAQUE
    origin = Origin.UNKNOWN if kind is GroupCall.SHAPE else Origin.DATA
    value = machine.unknown(f"{name}()", call.type, origin)
    device.uniformity.exchange(value)
    given = arguments[1] if name == "shfl" else None
    device.uniformity.alike_for(machine, value, same_for_tile(device, name, group.size, arguments), given)
    return value


def _static_method(device: DeviceSemantics, machine: Machine, state: State, call: Call) -> Value | None:
    group = group_type(call.function.qualified)
    if group is None or "::" not in call.function.qualified:
        return None
    group = Group(group.kind)  # tiles have no static methods
    if call.function.name == "sync":
        return _sync(device, machine, state, call, group)
    return _rank(device, group, call.function.name)


def _group_of(type_: Type) -> Group | None:
    """Group that a type is, or that a pointer or reference leads to; None for other types."""
    while isinstance(type_, PointerType):
        type_ = type_.to
    return group_type(type_.name) if isinstance(type_, OpaqueType) else None


def _sync(device: DeviceSemantics, machine: Machine, state: State, call: Call, group: Group) -> Value:
    """Barrier of a group (CUDA Programming Guide, "Cooperative Groups", "sync")."""
    if group.size is not None:
        tile = None if group.size == WARP_SIZE else div(thread_number(device), const(group.size))
        device.barrier(machine, state, group.scope, call.span, tile=tile)
    elif group.partial:
        device.barrier(machine, state, group.scope, call.span, mask=_some_lanes(machine))
    else:
        device.barrier(machine, state, group.scope, call.span)
    return OPAQUE


def _some_lanes(machine: Machine) -> Term:
    """Unknown mask of lanes."""
    return var(Symbol(machine.names.unique("mask"), 0, ALL_LANES, Origin.UNKNOWN))


def _rank(device: DeviceSemantics, group: Group, name: str) -> Value | None:
    x, y, z = index_terms(device.configuration.thread)
    bx, by, bz = device.configuration.block
    gx, gy, gz = device.configuration.grid
    ix, iy, iz = index_terms(device.configuration.block_index)
    thread = thread_number(device)
    block = add(ix, mul(gx, add(iy, mul(gy, iz))))
    threads = mul(bx, by, bz)
    tile = group.size
    match group.kind, name:
        case ("thread_block", "thread_rank"):
            return thread
        case ("thread_block", "size" | "num_threads" | "group_size"):
            return threads
        case (_, "thread_index"):
            return _vector(x, y, z)
        case (_, "group_index" | "block_index"):
            return _vector(ix, iy, iz)
        case ("thread_block", "group_dim" | "dim_threads"):
            return _vector(bx, by, bz)
        case ("grid_group", "group_dim" | "dim_blocks" | "dim_grid"):
            return _vector(gx, gy, gz)
        case ("grid_group", "thread_rank"):
            return add(mul(block, threads), thread)
        case ("grid_group", "size" | "num_threads"):
            return mul(threads, gx, gy, gz)
        case ("grid_group", "block_rank"):
            return block
        case ("grid_group", "num_blocks"):
            return mul(gx, gy, gz)
        case (_, "thread_rank") if tile is not None:
            return mod(thread, const(tile))
        case (_, "meta_group_rank") if tile is not None:
            return div(thread, const(tile))
        case (_, "meta_group_size") if tile is not None:
            return div(add(threads, const(tile - 1)), const(tile))
        case (_, "size" | "num_threads" | "group_size") if tile is not None:
            return const(tile)
        case _:
            return None


def _vector(x: Term, y: Term, z: Term) -> Composite:
    return Composite({0: Cell(x, 4), 4: Cell(y, 4), 8: Cell(z, 4)}, 12)
