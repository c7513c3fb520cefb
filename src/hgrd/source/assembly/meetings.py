"""Instructions for which threads meet or that end them, as CUDA's barriers, votes, shuffles and the like.

PTX ISA, "Parallel Synchronization and Communication Instructions", "Control Flow Instructions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.ptx.syntax import Instruction, Number, Operand, Register, Twofold
from hgrd.program.expressions import AddressOf, Expression, VariablePlace
from hgrd.program.statements import Declare, Evaluate, Statement
from hgrd.program.types import BOOL, INT, UINT, VOID, IntType, PointerType
from hgrd.source.assembly.forms import Handler, one_type, operands_of
from hgrd.source.assembly.registers import TYPES, NotModelledError, Registers

_SHUFFLES = {"idx": "", "up": "_up", "down": "_down", "bfly": "_xor"}
_VOTES = {"popc": "count", "and": "and", "or": "or"}


def _barrier(to: Registers, i: Instruction) -> list[Statement]:
    """bar and barrier: of all threads of the block, or of as many as are counted, at one of 16 barriers."""
    match tuple(m for m in i.modifiers if m not in ("cta", "aligned")):
        case ("warp", "sync") if i.opcode == "bar":
            (mask,) = operands_of(i, 1)
            return [Evaluate(to.call("__syncwarp", (to.read(mask, UINT),), VOID), to.span)]
        case ("sync",):
            return [_waited(to, operands_of(i, 1, 2))]
        case ("arrive",):
            values = tuple(to.read(x, UINT) for x in operands_of(i, 2))
            return [Evaluate(to.call("ptx.barrier.arrive", values, VOID), to.span)]
        case ("red", vote, type_) if vote in _VOTES and type_ in ("u32", "pred"):
            return [_voted(to, i, _VOTES[vote])]
        case ("cluster", "arrive") | ("cluster", "arrive", "release"):
            return [Evaluate(to.call("__cluster_barrier_arrive", (), VOID), to.span)]
        case ("cluster", "wait") | ("cluster", "wait", "acquire"):
            return [Evaluate(to.call("__cluster_barrier_wait", (), VOID), to.span)]
        case _:
            raise NotModelledError


def _waited(to: Registers, operands: tuple[Operand, ...]) -> Statement:
    values = tuple(to.read(x, UINT) for x in operands)
    if operands == (Number(0),):
        return Evaluate(to.call("__syncthreads", (), VOID), to.span)
    return Evaluate(to.call("__barrier_sync_count" if len(values) == 2 else "__barrier_sync", values, VOID), to.span)


def _voted(to: Registers, i: Instruction, vote: str) -> Statement:
    """The barrier with number 0, of all threads, that counts or joins their predicates."""
    target, number, predicate = operands_of(i, 3)
    if number != Number(0):
        raise NotModelledError
    value = to.call(f"__syncthreads_{vote}", (to.converted(to.read(predicate, BOOL), INT),), INT)
    return to.put(target, value if vote == "count" else to.converted(value, BOOL))


def _vote(to: Registers, i: Instruction) -> list[Statement]:
    match i.modifiers:
        case ("sync", "all" | "any" | "uni" | "ballot" as kind, "pred" | "b32") if kind != "uni":
            target, predicate, mask = operands_of(i, 3)
            given: tuple[Expression, ...] = (to.read(mask, UINT),)
            name = f"__{kind}_sync"
        case ("all" | "any" | "ballot" as kind, "pred" | "b32"):
            target, predicate = operands_of(i, 2)
            given, name = (), f"__{kind}"
        case _:
            raise NotModelledError
    arguments = (*given, to.converted(to.read(predicate, BOOL), INT))
    if kind == "ballot":
        return [to.put(target, to.call(name, arguments, UINT))]
    return [to.put(target, to.converted(to.call(name, arguments, INT), BOOL))]


def _match(to: Registers, i: Instruction) -> list[Statement]:
    kind, *_ = i.modifiers or ("",)
    type_ = TYPES.get(i.modifiers[-1]) if i.modifiers else None
    if i.modifiers[1:2] != ("sync",) or not isinstance(type_, IntType):
        raise NotModelledError
    target, value, mask = operands_of(i, 3)
    given = (to.read(mask, UINT), to.read(value, type_))
    if kind == "any":
        return [to.put(target, to.call("__match_any_sync", given, UINT))]
    lanes, predicate = (target.first, target.second) if isinstance(target, Twofold) else (target, Register("_"))
    same = to.temporary("%same", INT)
    pointer = AddressOf(VariablePlace(same, to.span), PointerType(INT), to.span)
    call = to.put(lanes, to.call("__match_all_sync", (*given, pointer), UINT))
    found = to.converted(to.loaded(same), BOOL)
    return [Declare(same, to.number(0, INT), to.span), call, to.put(predicate, found)]


def _shuffle(to: Registers, i: Instruction) -> list[Statement]:
    """shfl.sync, where its segments are as wide as those of CUDA C++; without the predicate that it was in range."""
    match i.modifiers:
        case ("sync", mode, "b32") if mode in _SHUFFLES:
            target, value, lane, clamp, mask = operands_of(i, 5)
        case _:
            raise NotModelledError
    if isinstance(target, Twofold):
        if target.second != Register("_"):
            raise NotModelledError
        target = target.first
    type_ = to.plain(value).type
    kept = type_ if type_ == TYPES["f32"] else INT if type_ == INT else UINT
    given = (to.read(mask, UINT), to.read(value, kept), to.read(lane, INT), to.number(_width(clamp, mode), INT))
    return [to.put(target, to.call(f"__shfl{_SHUFFLES[mode]}_sync", given, kept))]


def _width(clamp: Operand, mode: str) -> int:
    """The width of the segments that `c` says: (32 - width) << 8, and 31 behind it except for `up`."""
    if not isinstance(clamp, Number) or not isinstance(clamp.value, int):
        raise NotModelledError
    segments, last = divmod(clamp.value, 1 << 8)
    width = WARP_SIZE - segments
    if last != (0 if mode == "up" else WARP_SIZE - 1) or not 0 < width <= WARP_SIZE or width & (width - 1):
        raise NotModelledError
    return width


def _reduction(to: Registers, i: Instruction) -> list[Statement]:
    match i.modifiers:
        case ("sync", "add" | "min" | "max" | "and" | "or" | "xor" as operation, "u32" | "s32" | "b32" as name):
            target, value, mask = operands_of(i, 3)
        case _:
            raise NotModelledError
    type_ = TYPES[name]
    given = (to.read(mask, UINT), to.read(value, type_))
    return [to.put(target, to.call(f"__reduce_{operation}_sync", given, type_))]


def _active(to: Registers, i: Instruction) -> list[Statement]:
    one_type(i)
    (target,) = operands_of(i, 1)
    return [to.put(target, to.call("__activemask", (), UINT))]


def _trap(to: Registers, i: Instruction) -> list[Statement]:
    operands_of(i, 0)
    return [Evaluate(to.call("__trap", (), VOID), to.span)]


MEETINGS: Final[Mapping[str, Handler]] = {
    "bar": _barrier,
    "barrier": _barrier,
    "vote": _vote,
    "match": _match,
    "shfl": _shuffle,
    "redux": _reduction,
    "activemask": _active,
    "trap": _trap,
}
"""Instructions for which threads meet, by opcode; they raise NotModelledError for forms without a meaning here."""
