"""Ranks and sizes of cooperative groups, as terms of the thread's indexes, or of the mask of a group of lanes.

CUDA C++ Programming Guide, "Cooperative Groups": "Group Types", "Coalesced Groups", "labeled_partition" and
"binary_partition".  Ranks in a group of lanes count from the lowest one, and a partition does what `__match_any_sync`
does among the parent's lanes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from hgrd.cuda.groups import HANDLE_SIZE, Group, group_type
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.program.expressions import Call
from hgrd.program.types import UINT, OpaqueType, PointerType, Type
from hgrd.protocol.configuration import cluster_rank, index_terms
from hgrd.protocol.device_calls.warp_collectives import exchanged, lane_number, of_lanes, thread_number
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Cell, Composite, Value
from hgrd.terms import Op, Origin, Term, add, bit, const, div, eq, mod, mul, sub, var
from hgrd.terms.bits import lowest_one, ones_below

_Vector: TypeAlias = tuple[Term, Term, Term]
_SIZES = ("size", "num_threads", "group_size")
_MASK_SIZE: Final = 4
_SAME_FOR_ALL: Final = {"any": "__any_sync", "all": "__all_sync", "reduce": "__reduce_add_sync"}


def group_of(type_: Type) -> Group | None:
    """Group that a type is, or that a pointer or reference leads to; None for other types."""
    while isinstance(type_, PointerType):
        type_ = type_.to
    return group_type(type_.name) if isinstance(type_, OpaqueType) else None


def parent_of(device: DeviceSemantics, tile: Group) -> Group | None:
    """The group that a tile is a part of; None: unknown.

    Where its type does not say it, it is the block, unless the thread has divided another group before.
    """
    return tile.parent or (None if device.divided else Group("thread_block"))


def rank(device: DeviceSemantics, group: Group, name: str) -> Value | None:
    """What the method `name` of a group tells; None: it is no such method, or not known."""
    match group.kind:
        case "thread_block":
            return _of_block(device, name)
        case "cluster_group":
            return _of_cluster(device, name)
        case "grid_group":
            return _of_grid(device, name)
        case "thread_block_tile" if group.size:  # one of no threads has a mistake that the compiler would report
            return _of_tile(device, group, group.size, name)
        case _:
            return None


def _of_block(device: DeviceSemantics, name: str) -> Value | None:
    c = device.configuration
    match name:
        case "thread_rank":
            return thread_number(device)
        case "size" | "num_threads" | "group_size":
            return mul(*c.block)
        case "thread_index":
            return _composite(index_terms(c.thread))
        case "group_index":
            return _composite(index_terms(c.block_index))
        case "group_dim" | "dim_threads":
            return _composite(c.block)
        case _:
            return None


def _of_cluster(device: DeviceSemantics, name: str) -> Value | None:
    c = device.configuration
    x, y, z = (mod(i, n) for i, n in zip(index_terms(c.block_index), c.cluster, strict=True))
    block = _linear((x, y, z), c.cluster)
    match name:
        case "block_index":
            return _composite((x, y, z))
        case "block_rank":
            return block
        case "dim_blocks":
            return _composite(c.cluster)
        case "num_blocks":
            return mul(*c.cluster)
        case "thread_rank":
            return add(mul(block, *c.block), thread_number(device))
        case "size" | "num_threads" | "group_size":
            return mul(*c.cluster, *c.block)
        case "thread_index":
            there = zip((x, y, z), c.block, index_terms(c.thread), strict=True)
            return _composite(add(mul(i, n), t) for i, n, t in there)
        case "dim_threads":
            return _composite(mul(n, b) for n, b in zip(c.cluster, c.block, strict=True))
        case _:
            return None


def _of_grid(device: DeviceSemantics, name: str) -> Value | None:
    c = device.configuration
    block = _linear(index_terms(c.block_index), c.grid)
    clusters = tuple(div(g, n) for g, n in zip(c.grid, c.cluster, strict=True))
    match name:
        case "thread_rank":
            return add(mul(block, *c.block), thread_number(device))
        case "size" | "num_threads" | "group_size":
            return mul(*c.block, *c.grid)
        case "block_rank":
            return block
        case "num_blocks":
            return mul(*c.grid)
        case "group_dim" | "dim_blocks" | "dim_grid":
            return _composite(c.grid)
        case "block_index":
            return _composite(index_terms(c.block_index))
        case "cluster_rank":
            return cluster_rank(c)
        case "num_clusters":
            return mul(*clusters)
        case "dim_clusters":
            return _composite(clusters)
        case "cluster_index":
            return _composite(div(i, n) for i, n in zip(index_terms(c.block_index), c.cluster, strict=True))
        case _:
            return None


def _of_tile(device: DeviceSemantics, group: Group, size: int, name: str) -> Value | None:
    thread = thread_number(device)
    if name == "thread_rank":
        return mod(thread, const(size))
    if name in _SIZES:
        return const(size)
    if name not in ("meta_group_rank", "meta_group_size"):
        return None
    first = name == "meta_group_rank"
    match parent_of(device, group):
        case Group(kind="thread_block"):
            whole = mul(*device.configuration.block)
            return div(thread, const(size)) if first else div(add(whole, const(size - 1)), const(size))
        case Group(kind="thread_block_tile", size=int(whole)):
            return div(mod(thread, const(whole)), const(size)) if first else const(whole // size)
        case _:
            return None


def _linear(indexes: _Vector, extents: _Vector) -> Term:
    """Number of an index, x first."""
    x, y, z = indexes
    wide, high, _ = extents
    return add(x, mul(wide, add(y, mul(high, z))))


def _composite(terms: Iterable[Term]) -> Composite:
    return Composite({4 * i: Cell(t, 4) for i, t in enumerate(terms)}, 12)


def lane_group(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Handle of a group of lanes, which holds their mask; None: it is another group, or its lanes are not known."""
    match call.function.name:
        case "coalesced_threads":
            made, given = "__activemask", ()
        case "labeled_partition" | "binary_partition" if len(arguments) == 2:
            parent = _mask_of(device, machine, state, call, arguments)
            if parent is None:
                return None
            made, given = "__match_any_sync", (parent, arguments[1])
        case _:
            return None
    mask = machine.unknown(f"{call.function.name}()", UINT, Origin.DATA)
    exchanged(device, machine, state, made, given, mask)
    return Composite({0: Cell(mask, _MASK_SIZE)}, HANDLE_SIZE)


def _mask_of(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Term | None:
    """Mask of the lanes of a group that is the first argument of a call; None: not known."""
    group = group_of(call.arguments[0].type)
    if group is not None and group.kind == "thread_block_tile" and group.size == WARP_SIZE:
        return const(ALL_LANES)
    return mask_of(device, machine, state, call, arguments, group)


def mask_of(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    arguments: tuple[Value, ...],
    group: Group | None,
) -> Term | None:
    """Mask of the lanes of the coalesced group that is the first argument of a call; None: not known."""
    if group is None or group.kind != "coalesced_group" or group.size is not None:
        return None
    held = arguments[0]
    if isinstance(held, Composite):
        cell = held.cells.get(0)
        mask = None if cell is None else cell.value
    else:
        mask = load(machine, state, held, UINT, call.span)
    if isinstance(mask, Term) and mask.op is Op.VAR and mask.symbol in device.uniformity.masks:
        return mask
    return None


def told_by_mask(device: DeviceSemantics, mask: Term, name: str) -> Term | None:
    """What the method `name` of a group of lanes tells; None: it is no such method."""
    if name == "thread_rank":
        return ones_below(mask, lane_number(device))
    return ones_below(mask, const(WARP_SIZE)) if name in _SIZES else None


def exchanged_in_mask(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    mask: Term,
    arguments: tuple[Value, ...],
    value: Value,
) -> None:
    """Records what is known of the `value` that the lanes of a group make together."""
    name, span = call.function.name, call.span
    match name, arguments:
        case "any" | "all" | "reduce", (_, given, *_):
            exchanged(device, machine, state, _SAME_FOR_ALL[name], (mask, given), value)
        case "shfl", (_, given, Term() as rank) if rank.is_const and rank.value == 0:
            exchanged(device, machine, state, "__shfl_sync", (mask, given, sub(lowest_one(mask), const(1))), value)
        case "__of_leader", (group, given):
            chosen = load(machine, state, move(group, const(_MASK_SIZE)), UINT, span)
            exchanged(device, machine, state, "__shfl_sync", (mask, given, chosen), value)
        case _:
            device.uniformity.exchange(value)


def leads_lanes(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...], mask: Term
) -> Term:
    """Whether the thread is the one of a group of lanes that is chosen now; the handle holds its lane."""
    lane = lane_number(device)
    chosen = var(machine.names.fresh("chosen", 0, WARP_SIZE - 1, Origin.THREAD))
    device.uniformity.alike_for(machine, chosen, of_lanes(device, state, mask))
    device.uniformity.tell(machine, chosen.symbol, (eq(bit(mask, chosen), const(1)),))
    store(machine, state, move(arguments[0], const(_MASK_SIZE)), chosen, UINT, call.span)
    return eq(lane, chosen)
