"""Ranks and sizes of cooperative groups, as terms of the thread's indexes.

CUDA C++ Programming Guide, "Cooperative Groups", "Group Types".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from hgrd.cuda.groups import Group, group_type
from hgrd.program.types import OpaqueType, PointerType, Type
from hgrd.protocol.configuration import cluster_rank, index_terms
from hgrd.protocol.device_calls.warp_collectives import thread_number
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.values import Cell, Composite, Value
from hgrd.terms import Term, add, const, div, mod, mul

_Vector: TypeAlias = tuple[Term, Term, Term]
_SIZES = ("size", "num_threads", "group_size")


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
