"""Cooperative groups: which threads a group has, its ranks, and its barriers."""

from __future__ import annotations

import re

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import Call
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type, VoidType
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.device_calls.warp_collectives import same_for_tile, thread_number
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, Value
from hgrd.terms import Origin, Symbol, Term, add, const, div, mod, mul, var

_GROUP = re.compile(r"(thread_block_tile|thread_block|grid_group|coalesced_group|thread_group|cluster_group)")
_TILE = re.compile(r"thread_block_tile<(\d+)")
_MAKERS = {
    "this_thread_block", "this_grid", "tiled_partition", "coalesced_threads", "binary_partition", "labeled_partition",
    "this_cluster", "this_multi_grid",
}  # fmt: skip
_SHAPES = {
    "thread_rank", "block_rank", "num_threads", "num_blocks", "size", "group_size", "thread_index", "block_index",
    "meta_group_rank", "meta_group_size", "group_index", "group_dim", "dim_threads", "dim_blocks", "dim_grid",
}  # fmt: skip


def group_call(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Functions and methods of cooperative_groups; None for anything else."""
    name = call.function.name
    if name in _MAKERS:
        return OPAQUE
    if not call.arguments:
        return _static_method(device, machine, state, call)
    group = _group_name(call.arguments[0].type)
    if group is None:
        return None
    if name in ("sync", "synchronize", "barrier_wait", "wait"):
        return _sync(device, machine, state, call, group)
    if name in ("barrier_arrive", "memcpy_async"):
        return None
    rank = _rank(device, group, name)
    if rank is not None:
        return rank
    if isinstance(call.type, VoidType) or name.startswith(("thread_block", "grid_group", "coalesced", "thread_group")):
        return OPAQUE
    origin = Origin.UNKNOWN if name in _SHAPES else Origin.DATA
    value = machine.unknown(f"{name}()", call.type, origin)
    given = arguments[1] if name == "shfl" else None
    device.uniformity.alike_for(machine, value, same_for_tile(device, name, _tile_size(group), arguments), given)
    return value


def _static_method(device: DeviceSemantics, machine: Machine, state: State, call: Call) -> Value | None:
    match = _GROUP.search(call.function.qualified)
    if match is None or "::" not in call.function.qualified:
        return None
    if call.function.name == "sync":
        return _sync(device, machine, state, call, match[1])
    return _rank(device, match[1], call.function.name)


def _group_name(type_: Type) -> str | None:
    """The group type behind a value, pointer or reference."""
    while isinstance(type_, PointerType):
        type_ = type_.to
    match type_:
        case RecordType(key=text) | OpaqueType(name=text):
            match = _GROUP.search(text)
            return None if match is None else (text if match[1] == "thread_block_tile" else match[1])
        case _:
            return None


def _sync(device: DeviceSemantics, machine: Machine, state: State, call: Call, group: str) -> Value:
    """A group's barrier (CUDA Programming Guide, "Cooperative Groups", "sync")."""
    size = _tile_size(group)
    if size is not None:
        tile = None if size == WARP_SIZE else div(thread_number(device), const(size))
        scope = Scope.WARP if size <= WARP_SIZE else Scope.BLOCK
        device.barrier(machine, state, scope, call.span, tile=tile)
    elif "thread_block_tile" in group or group in ("coalesced_group", "thread_group"):
        scope = Scope.WARP if group == "coalesced_group" else Scope.BLOCK
        device.barrier(machine, state, scope, call.span, mask=_some_lanes(machine))
    elif group == "grid_group":
        device.barrier(machine, state, Scope.DEVICE, call.span)
    else:
        device.barrier(machine, state, Scope.BLOCK, call.span)
    return OPAQUE


def _some_lanes(machine: Machine) -> Term:
    """A mask of which nothing is known."""
    return var(Symbol(machine.names.unique("mask"), 0, (1 << 32) - 1, Origin.UNKNOWN))


def _tile_size(group: str) -> int | None:
    match = _TILE.search(group)
    return None if match is None else int(match[1])


def _rank(device: DeviceSemantics, group: str, name: str) -> Value | None:
    x, y, z = index_terms(device.configuration.thread)
    bx, by, bz = device.configuration.block
    gx, gy, gz = device.configuration.grid
    ix, iy, iz = index_terms(device.configuration.block_index)
    thread = thread_number(device)
    block = add(ix, mul(gx, add(iy, mul(gy, iz))))
    threads = mul(bx, by, bz)
    tile = _tile_size(group)
    match group, name:
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
