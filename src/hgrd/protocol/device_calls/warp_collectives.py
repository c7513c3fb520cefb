"""Warp collectives give the threads of a warp or tile the same value: votes, reductions, and shuffles from one lane.

CUDA Programming Guide, "Warp Vote Functions", "Warp Reduce Functions", "Warp Shuffle Functions"; "Cooperative
Groups", "Collective Operations".
"""

from __future__ import annotations

from typing import Final

from hgrd.cuda.builtins import Kind, builtin
from hgrd.cuda.limits import WARP_SIZE
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.values import Value
from hgrd.terms import Term, add, const, div, mul, symbols_of

_OF_TILE: Final = frozenset({"reduce", "__of_leader", "any", "all", "ballot"})


def thread_number(device: DeviceSemantics) -> Term:
    """Number of the thread in its block: threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)."""
    x, y, z = index_terms(device.configuration.thread)
    bx, by, _ = device.configuration.block
    return add(x, mul(bx, add(y, mul(by, z))))


def same_for_warp(device: DeviceSemantics, name: str, arguments: tuple[Value, ...]) -> tuple[Term, ...] | None:
    """Terms that must be equal for threads of a block to get the same value from a vote or shuffle; None: none suffice.

    Threads that name different lanes in their masks do not take part in each other's calls.
    """
    mask, *rest = arguments or (None,)
    if not isinstance(mask, Term):
        return None
    row = builtin(name)
    if row is None or not row.masked or row.kind is Kind.MATCH:
        return None
    if row.kind in (Kind.VOTE, Kind.REDUCE):
        return (div(thread_number(device), const(WARP_SIZE)), mask)
    if row.kind is not Kind.SHUFFLE or row.operation or len(rest) < 2 or not _common(device, rest[1]):
        return None
    width = rest[2] if len(rest) > 2 else const(WARP_SIZE)
    if not isinstance(width, Term) or not width.is_const or width.value not in (1, 2, 4, 8, 16, 32):
        return None
    return (div(thread_number(device), const(width.value)), mask)


def same_for_tile(
    device: DeviceSemantics, name: str, size: int | None, arguments: tuple[Value, ...]
) -> tuple[Term, ...] | None:
    """Terms as in `same_for_warp`, for a call on a tile of known size; the group is its first argument."""
    if size is None or not (
        name in _OF_TILE or (name == "shfl" and len(arguments) > 2 and _common(device, arguments[2]))
    ):
        return None
    return (div(thread_number(device), const(size)),)


def _common(device: DeviceSemantics, value: Value) -> bool:
    """Whether a value is the same for all threads of a block, in the same iterations of the loops around."""
    loops = {loop.binder for loop in device.recorder.loops}
    return isinstance(value, Term) and all(s.name in device.uniformity.common or s in loops for s in symbols_of(value))
