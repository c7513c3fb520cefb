"""Barriers in shared memory, as those of libcu++ that do the same: `cuda::barrier` of a block.

PTX ISA, "mbarrier".  A wait that is tried may not have waited: a function of its own says whether it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.barrier_objects import BLOCK_BARRIER, INIT, TRY_PHASE, WAIT_PHASE
from hgrd.cuda.ptx.syntax import Complement, Instruction, Label, Operand, PtxStatement, Register
from hgrd.program.expressions import Call, Expression, FunctionRef
from hgrd.program.statements import Evaluate, Statement
from hgrd.program.types import BOOL, LONG, UINT, ULONG, VOID, OpaqueType, Type
from hgrd.source.assembly.forms import Handler, operands_of
from hgrd.source.assembly.memory import address_of
from hgrd.source.assembly.registers import NotModelledError, Registers

_SHARED = frozenset(("shared", "shared::cta"))
_UNTIL_IT_ENDS: Final = "until"  # behind the modifiers of a try that is repeated until it succeeds
_JUMP: Final = ("bra",)


def _memory_barrier(to: Registers, i: Instruction) -> list[Statement]:
    """mbarrier: made for a number of arrivals, arrived at, and looked at by the parity of a phase."""
    space = "shared" if _SHARED & set(i.modifiers) else ""
    match tuple(m for m in i.modifiers if m not in ("shared", "shared::cta", "b64", "cta")):
        case ("init",):
            address, count = operands_of(i, 2)
            given = to.converted(to.read(count, UINT), LONG)
            return [Evaluate(_call(to, INIT, "init", _barrier(to, address, space), VOID, given), to.span)]
        case ("arrive",) | ("arrive", "release"):
            return _arrival(to, i, space)
        case ("test_wait" | "try_wait", "parity") | ("test_wait" | "try_wait", "parity", "acquire"):
            target, address, parity, *_ = operands_of(i, 3, 4)
            barrier, given = _barrier(to, address, space), to.converted(to.read(parity, UINT), BOOL)
            return [to.put(target, _call(to, TRY_PHASE, TRY_PHASE, barrier, BOOL, given))]
        case ("test_wait" | "try_wait", "parity", *_, until) if until == _UNTIL_IT_ENDS:
            _, address, parity, *_ = operands_of(i, 3, 4)
            barrier, given = _barrier(to, address, space), to.converted(to.read(parity, UINT), BOOL)
            return [Evaluate(_call(to, WAIT_PHASE, "wait_parity", barrier, VOID, given), to.span)]
        case _:
            raise NotModelledError


def _arrival(to: Registers, i: Instruction, space: str) -> list[Statement]:
    target, address, *count = operands_of(i, 2, 3)
    given = to.converted(to.read(count[0], UINT), LONG) if count else to.number(1, LONG)
    arrived = _call(to, "cuda::barrier::arrive", "arrive", _barrier(to, address, space), ULONG, given)
    return [Evaluate(arrived, to.span) if target == Register("_") else to.put(target, arrived)]


def _barrier(to: Registers, address: Operand, space: str) -> Expression:
    return address_of(to, address, space, OpaqueType(BLOCK_BARRIER))


def _call(to: Registers, qualified: str, name: str, barrier: Expression, type_: Type, *given: Expression) -> Call:
    return Call(FunctionRef(qualified, name, qualified, type_), (barrier, *given), type_, to.span)


def without_jumps(parts: tuple[PtxStatement, ...]) -> tuple[PtxStatement, ...]:
    """The statements, with one that waits in place of each loop that repeats a try until it succeeds."""
    found: list[PtxStatement] = []
    left = list(parts)
    while left:
        length = _length_of_loop(left)
        if length:
            found.append(_repeated(left[1]))
            left = left[length:]
        else:
            found.append(left.pop(0))
    return tuple(found)


def _repeated(attempt: PtxStatement) -> Instruction:
    assert isinstance(attempt, Instruction)
    return Instruction(
        attempt.opcode, (*attempt.modifiers, _UNTIL_IT_ENDS), attempt.operands, attempt.guard, attempt.line
    )


def _length_of_loop(parts: list[PtxStatement]) -> int:
    """How many statements a loop takes that only repeats a try, and that nothing else jumps to; 0: there is none.

    `L: try p; @!p bra L;` or `L: try p; @p bra D; bra L; D:`.
    """
    match parts:
        case [Label(name=begin), Instruction() as attempt, Instruction() as jump, *rest] if _is_try(attempt):
            told = attempt.operands[0] if attempt.operands else None
            if _jumps(jump, Complement(told) if told is not None else None, begin):
                return 3
            match rest:
                case [Instruction() as back, Label(name=end), *_] if _jumps(jump, told, end):
                    return 5 if _jumps(back, None, begin) else 0
                case _:
                    return 0
        case _:
            return 0


def _is_try(i: Instruction) -> bool:
    return i.opcode == "mbarrier" and i.guard is None and i.modifiers[:1] in (("try_wait",), ("test_wait",))


def _jumps(i: Instruction, guard: Operand | None, label: str) -> bool:
    plain = tuple(m for m in i.modifiers if m != "uni")
    return i.opcode == "bra" and not plain and i.guard == guard and i.operands == (Register(label),)


MEMORY_BARRIERS: Final[Mapping[str, Handler]] = {"mbarrier": _memory_barrier}
"""Instructions of barriers in memory, by opcode; they raise NotModelledError for forms without a meaning here."""
