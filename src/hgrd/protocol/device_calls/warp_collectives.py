"""Warp collectives give the threads of a warp or tile the same value: votes, reductions, and shuffles from one lane.

CUDA Programming Guide, "Warp Vote Functions", "Warp Reduce Functions", "Warp Shuffle Functions"; "Cooperative
Groups", "Collective Operations", "inclusive_scan and exclusive_scan": running sums of what the lanes give, in the
order of their ranks.
"""

from __future__ import annotations

from typing import Final

from hgrd.cuda.builtins import Builtin, Kind, builtin
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.program.expressions import Call
from hgrd.program.types import IntType
from hgrd.protocol.alike import LaneMask, LaneScan, Peers, UniformGroup
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.inference.recorder import guards_of
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.inference.value_names import identity_of
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Value
from hgrd.terms import (
    TRUE,
    EvaluationError,
    Op,
    Term,
    add,
    as_bool,
    as_int,
    bit,
    bit_and,
    conj,
    const,
    disj,
    div,
    eq,
    evaluate,
    le,
    mod,
    mul,
    ne,
    negate,
    symbols_of,
)

_WIDTHS: Final = (2, 4, 8, 16)
_ADDS: Final = 2  # arguments of a scan of a group that adds; a third one is the function
_OF_TILE: Final = frozenset({"reduce", "__of_leader", "any", "all", "ballot"})


def thread_number(device: DeviceSemantics) -> Term:
    """Number of the thread in its block: threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)."""
    x, y, z = index_terms(device.configuration.thread)
    bx, by, _ = device.configuration.block
    return add(x, mul(bx, add(y, mul(by, z))))


def lane_number(device: DeviceSemantics) -> Term:
    """Number of the thread in its warp."""
    return mod(thread_number(device), const(WARP_SIZE))


def width_of_parts(device: DeviceSemantics, mask: Term) -> int | None:
    """How many lanes each part has, if a mask divides every warp into aligned parts of one power of two; None: not so.

    `0xffffu << (lane & 16)` names the lanes of the thread's half.
    """
    x, y, z = device.configuration.thread
    row = device.configuration.block[0]
    lanes_in_order = (y is None and z is None) or (row.is_const and row.value % WARP_SIZE == 0)
    if x is None or not lanes_in_order or symbols_of(mask) != frozenset({x}):
        return None
    try:
        masks = [evaluate((mask,), {x: number})[0] & ALL_LANES for number in range(x.high + 1)]
    except EvaluationError:
        return None
    for width in _WIDTHS:
        part = (1 << width) - 1
        if all(m == part << number % WARP_SIZE // width * width for number, m in enumerate(masks)):
            return width
    return None


def exchanged(
    device: DeviceSemantics, machine: Machine, state: State, name: str, arguments: tuple[Value, ...], value: Value
) -> None:
    """Records what is known of the `value` that the lanes of a warp make together."""
    row = builtin(name)
    assert row is not None
    device.uniformity.exchange(value)
    group = _group(device, state, row, arguments)
    if group is not None:
        device.uniformity.alike_for(machine, value, group)
    if isinstance(value, Term) and value.op is Op.VAR:
        mask = _lane_mask(device, state, row, arguments)
        if mask is not None:
            device.uniformity.mask_of_lanes(machine, value.symbol, mask)
        device.uniformity.tell(machine, value.symbol, _told(row, arguments, value))


def _group(device: DeviceSemantics, state: State, row: Builtin, arguments: tuple[Value, ...]) -> UniformGroup | None:
    """Threads of a block that get the same value from a vote, match, reduction or shuffle; None: no two need to.

    Threads that name different lanes in their masks do not take part in each other's calls.
    """
    mask, *rest = arguments or (None,)
    if not isinstance(mask, Term) or not row.masked:
        return None
    thread = thread_number(device)
    warp = div(thread, const(WARP_SIZE))
    member, guards = _in_mask(mask, lane_number(device)), guards_of(state)
    match row.kind:
        case Kind.VOTE | Kind.REDUCE:
            return of_lanes(device, state, mask)
        case Kind.MATCH:
            key = identity_of(rest[0]) if rest else None
            if row.operation == "any" and key is None:
                return None
            alike = (warp, mask) if row.operation == "all" or key is None else (warp, mask, key)
            return UniformGroup(alike, (), member=member, guards=guards)
        case Kind.SHUFFLE if not row.operation and len(rest) > 1:
            return _from_one_lane(device, mask, rest, member, guards)
        case _:
            return None


def _from_one_lane(
    device: DeviceSemantics, mask: Term, rest: list[Value], member: Term, guards: tuple[Term, ...]
) -> UniformGroup | None:
    """Threads that get the value of one and the same lane from a shuffle; None where it is unknown which."""
    given, lane, *more = rest
    width = more[0] if more else const(WARP_SIZE)
    if not isinstance(lane, Term) or not isinstance(width, Term) or not width.is_const:
        return None
    if width.value not in (1, 2, 4, 8, 16, 32):
        return None
    part = div(thread_number(device), width)
    within = bit_and(as_int(lane), const(width.value - 1))
    if mask.is_const and within.is_const and width.value == WARP_SIZE:
        member = conj(member, _in_mask(mask, within))
    return UniformGroup(
        (part, mask),
        (),
        source=given if isinstance(given, Term) else None,
        giver=add(mul(part, width), within),
        member=member,
        guards=guards,
    )


def _lane_mask(device: DeviceSemantics, state: State, row: Builtin, arguments: tuple[Value, ...]) -> LaneMask | None:
    """What the bits of a ballot, of equal values, or of the active lanes say; None of other results."""
    lane = lane_number(device)
    warp = div(thread_number(device), const(WARP_SIZE))
    guards = guards_of(state)
    if row.kind is Kind.ACTIVE_MASK:
        return LaneMask(Peers.ACTIVE, lane, TRUE, (warp,), (), guards=guards)
    mask, *rest = arguments if row.masked else (const(ALL_LANES), *arguments)
    if not isinstance(mask, Term) or not rest:
        return None
    of = (lane, TRUE, (warp, mask), (), _in_mask(mask, lane))
    match row.kind, row.operation:
        case Kind.VOTE, "ballot" if isinstance(rest[0], Term):
            if not row.masked:
                return LaneMask(Peers.ACTIVE, lane, as_bool(rest[0]), (warp,), (), guards=guards)
            return LaneMask(Peers.VOTED, lane, as_bool(rest[0]), *of[2:], guards=guards)
        case Kind.MATCH, "any":
            key = identity_of(rest[0])
            return None if key is None else LaneMask(Peers.EQUAL, *of, key=key, guards=guards)
        case _:
            return None


def _told(row: Builtin, arguments: tuple[Value, ...], value: Term) -> tuple[Term, ...]:
    """What the result of a vote or a reduction has to do with the thread's own argument."""
    own = arguments[-1] if arguments else None
    if not isinstance(own, Term):
        return ()
    match row.kind, row.operation:
        case Kind.VOTE, "any":
            return (disj(negate(as_bool(own)), ne(value, const(0))),)
        case Kind.VOTE, "all":
            return (disj(as_bool(own), eq(value, const(0))),)
        case Kind.REDUCE, "min":
            return (le(value, as_int(own)),)
        case Kind.REDUCE, "max":
            return (le(as_int(own), value),)
        case _:
            return ()


def of_lanes(device: DeviceSemantics, state: State, mask: Term) -> UniformGroup:
    """The threads of a warp with one and the same mask, in which they are themselves."""
    warp, member = div(thread_number(device), const(WARP_SIZE)), _in_mask(mask, lane_number(device))
    return UniformGroup((warp, mask), (), member=member, guards=guards_of(state))


def _in_mask(mask: Term, lane: Term) -> Term:
    """The bit of a lane is set in a mask."""
    if mask.is_const and mask.value & ALL_LANES == ALL_LANES:
        return TRUE
    return eq(bit(mask, lane), const(1))


def same_for_tile(
    device: DeviceSemantics, name: str, size: int | None, arguments: tuple[Value, ...]
) -> UniformGroup | None:
    """Threads that get the same value from a call on a tile of known size; the group is its first argument."""
    if size is None or not (
        name in _OF_TILE or (name == "shfl" and len(arguments) > 2 and _common(device, arguments[2]))
    ):
        return None
    given = arguments[1] if name in ("shfl", "__of_leader") else None
    return UniformGroup((div(thread_number(device), const(size)),), (), given if isinstance(given, Term) else None)


def _common(device: DeviceSemantics, value: Value) -> bool:
    """Whether a value is the same for all threads of a block, in the same iterations of the loops around."""
    loops = {loop.binder for loop in device.recorder.loops}
    return isinstance(value, Term) and all(s.name in device.uniformity.common or s in loops for s in symbols_of(value))


# ---------------------------------------------------------------- running sums


def scanned(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    arguments: tuple[Value, ...],
    value: Value,
    *,
    size: int | None,
    mask: Term | None,
) -> None:
    """Records what is known of the running sum `value` of a tile of this size, or of the lanes of a mask.

    Nothing is where lanes may give negative numbers, or their sum may wrap around.
    """
    group = _scanning(device, state, size, mask)
    if group is None or not isinstance(value, Term) or value.op is not Op.VAR or not _adds(call):
        return
    own = arguments[1]
    if not isinstance(own, Term) or not isinstance(call.type, IntType):
        return
    own = as_int(own)
    if not _never_negative(own) or own.high * WARP_SIZE >= 1 << (call.type.bits - call.type.signed):
        return
    inclusive = call.function.name == "inclusive_scan"
    scan = LaneScan(lane_number(device), own, inclusive, group.terms, member=group.member, guards=group.guards)
    device.uniformity.scan_of_lanes(machine, value.symbol, scan)
    others = const(own.high * ((size or WARP_SIZE) - 1))
    bounds = (le(own, value), le(value, add(own, others))) if inclusive else (le(const(0), value), le(value, others))
    device.uniformity.tell(machine, value.symbol, bounds)


def _scanning(device: DeviceSemantics, state: State, size: int | None, mask: Term | None) -> UniformGroup | None:
    """The threads that scan together; None: not known."""
    if mask is not None:
        return of_lanes(device, state, mask)
    if size is None or size > WARP_SIZE:
        return None
    return UniformGroup((div(thread_number(device), const(size)),), (), guards=guards_of(state))


def _adds(call: Call) -> bool:
    """Whether the function of a scan is addition."""
    return len(call.arguments) == _ADDS or "::plus" in str(call.arguments[2].type)


def _never_negative(term: Term) -> bool:
    return term.low >= 0
