"""Forms of instructions: how many operands and which types one may have to be known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hgrd.cuda.ptx.syntax import Instruction, Operand
from hgrd.program.statements import Statement
from hgrd.program.types import Type
from hgrd.source.assembly.registers import TYPES, NotModelledError, Registers

Handler: TypeAlias = Callable[[Registers, Instruction], list[Statement]]
"""The statements that an instruction stands for; raises NotModelledError for forms without a meaning here."""


def operands_of(instruction: Instruction, *counts: int) -> tuple[Operand, ...]:
    """The operands of an instruction, of which it must have as many as one of `counts`."""
    found = instruction.operands
    if found is None or len(found) not in counts:
        raise NotModelledError
    return found


def types_of(instruction: Instruction, allowed: str = "") -> tuple[str, ...]:
    """The types among the modifiers; raises NotModelledError for other modifiers than those allowed."""
    types = tuple(m for m in instruction.modifiers if m in TYPES)
    if set(instruction.modifiers) - set(types) - set(allowed.split()):
        raise NotModelledError
    return types


def one_type(instruction: Instruction, allowed: str = "") -> tuple[str, Type]:
    """The only type of an instruction, with its name."""
    types = types_of(instruction, allowed)
    if len(types) != 1:
        raise NotModelledError
    return types[0], TYPES[types[0]]
