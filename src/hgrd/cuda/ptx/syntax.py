"""Syntax of PTX: instructions and their operands (PTX ISA, "Syntax" and "Instruction Operands")."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Argument(Struct, frozen=True):
    """Operand of the C++ statement around the assembly, by its number: `%0`."""

    number: int


class Register(Struct, frozen=True):
    """Register by its name, as declared or predefined (`%laneid`); `_` is a result that is not wanted."""

    name: str


class Number(Struct, frozen=True):
    """Constant."""

    value: int | float


class Address(Struct, frozen=True):
    """Address in brackets: `offset` bytes behind what `base` holds (None: behind zero)."""

    base: Operand | None
    offset: int = 0


class Vector(Struct, frozen=True):
    """Several registers as one operand: `{a, b}`."""

    parts: tuple[Operand, ...]


class Twofold(Struct, frozen=True):
    """Two results in one operand: `value|predicate`."""

    first: Operand
    second: Operand


class Complement(Struct, frozen=True):
    """Opposite of a predicate: `!p`."""

    of: Operand


Operand: TypeAlias = Argument | Register | Number | Address | Vector | Twofold | Complement


class Instruction(Struct, frozen=True):
    """Instruction `@guard opcode.modifiers operands;`.

    `guard` is a predicate or its complement; None: the instruction is always performed.  `operands` None: they are of a
    form that is not known.  `line` is that in the assembly, the first is 0.
    """

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...] | None
    guard: Operand | None = None
    line: int = 0

    @property
    def name(self) -> str:
        """Opcode with its modifiers."""
        return ".".join((self.opcode, *self.modifiers))


class Declaration(Struct, frozen=True):
    """Declaration of registers of a type ("pred", "u32")."""

    type: str
    names: tuple[str, ...]


class Label(Struct, frozen=True):
    """Target of a branch."""

    name: str


PtxStatement: TypeAlias = Instruction | Declaration | Label
