"""Arithmetic of translated loops: C's operators on numbers of known types, as texts of Python.

What has no meaning, or no known result, raises LostError: the loop is then run another way.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from typing import Final, NoReturn

from hgrd.host.concrete.loops.text import Untranslatable
from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.types import BoolType, FloatType, IntType, Type

SINGLE: Final = 32
_PLAIN: Final[Mapping[BinaryOp, str]] = {
    BinaryOp.ADD: "+", BinaryOp.SUB: "-", BinaryOp.MUL: "*", BinaryOp.AND: "&", BinaryOp.OR: "|", BinaryOp.XOR: "^",
}  # fmt: skip
_BITS: Final = (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)
COMPARISONS: Final[Mapping[BinaryOp, str]] = {
    BinaryOp.EQ: "==", BinaryOp.NE: "!=", BinaryOp.LT: "<", BinaryOp.LE: "<=", BinaryOp.GT: ">", BinaryOp.GE: ">=",
}  # fmt: skip


class LostError(Exception):
    """What comes next is not known."""


def lost() -> NoReturn:
    raise LostError


class Lost:
    """A value that is not known: it can be kept, and nothing else."""

    def __bool__(self) -> bool:
        raise LostError

    def __eq__(self, other: object) -> bool:
        raise LostError

    __hash__ = None  # pyright: ignore[reportAssignmentType]


_LEAST: Final = (-(1 << 31), -(1 << 63))  # which have no quotient by -1
_ROUNDING: Final = array("f", [0.0])


def single(number: float) -> float:
    """A number as a `float`."""
    _ROUNDING[0] = number
    return _ROUNDING[0]


def quotient(a: int, b: int) -> int:
    """The quotient of C, which goes towards zero."""
    if b == 0 or (b == -1 and a in _LEAST):
        lost()
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return a - b * quotient(a, b)


def whole(number: float, low: int, high: int) -> int:
    """A floating-point number as an integer of a range."""
    found = math.trunc(number) if math.isfinite(number) else lost()
    return found if low <= found <= high else lost()


NAMES: Final[Mapping[str, object]] = {
    "LOST": Lost(), "lost": lost, "single": single, "quotient": quotient, "remainder": remainder, "whole": whole,
}  # fmt: skip
"""What the texts use."""


def constant(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise Untranslatable
    return f"({value!r})" if value < 0 else repr(value)


def binary(op: BinaryOp, a: str, b: str, type_: Type, name: str) -> str:
    """The result of an operator that computes in a type; `name` is free for its use."""
    match type_:
        case IntType() if op in _PLAIN:
            return _ranged(f"{a} {_PLAIN[op]} {b}", type_, name) if op not in _BITS else f"({a} {_PLAIN[op]} {b})"
        case IntType() if op in (BinaryOp.DIV, BinaryOp.REM):
            return _divided(op, a, b, type_, name)
        case IntType() if op in (BinaryOp.SHL, BinaryOp.SHR):
            return _shifted(op, a, b, type_, name)
        case FloatType() if op in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL):
            return as_float(f"{a} {_PLAIN[op]} {b}", type_)
        case FloatType() if op is BinaryOp.DIV:
            return as_float(f"{a} / ({b} or lost())", type_)
        case _:
            raise Untranslatable


def _ranged(value: str, type_: IntType, name: str) -> str:
    """A result that must be in its type: unsigned ones wrap, others have no meaning outside of it."""
    low, high = type_.range
    if type_.values is not None:
        raise Untranslatable
    return f"({name} if {low} <= ({name} := {value}) <= {high} else lost())" if type_.signed else f"({value} & {high})"


def _divided(op: BinaryOp, a: str, b: str, type_: IntType, name: str) -> str:
    sign = "//" if op is BinaryOp.DIV else "%"
    if not type_.signed:
        return f"({a} {sign} ({b} or lost()))"
    function = "quotient" if op is BinaryOp.DIV else "remainder"
    if not b.isidentifier() and not b.isdigit():
        return f"{function}({a}, {b})"
    return f"({name} {sign} {b} if ({name} := {a}) >= 0 and {b} > 0 else {function}({name}, {b}))"


def _shifted(op: BinaryOp, a: str, b: str, type_: IntType, name: str) -> str:
    if not b.isdigit() or int(b) >= type_.bits:
        b = f"({name} if 0 <= ({name} := {b}) < {type_.bits} else lost())"
    if op is BinaryOp.SHR:
        return f"({a} >> {b})"
    return _cut(f"({a} << {b})", IntType(2 * type_.bits, signed=True), type_)


def unary(op: UnaryOp, a: str, type_: Type, name: str) -> str:
    match op, type_:
        case UnaryOp.NOT, _:
            return f"(0 if {a} else 1)"
        case UnaryOp.BIT_NOT, IntType(signed=True):
            return f"(~{a})"
        case UnaryOp.BIT_NOT | UnaryOp.NEG, IntType():
            return _ranged(f"{'~' if op is UnaryOp.BIT_NOT else '-'}{a}", type_, name)
        case UnaryOp.NEG, FloatType():
            return f"(-{a})"
        case _:
            raise Untranslatable


def as_float(value: str, type_: FloatType) -> str:
    match type_.bits:
        case 32:
            return f"single({value})"
        case 64:
            return f"({value})"
        case _:
            raise Untranslatable


def converted(a: str, source: Type, to: Type) -> str:
    """A number converted to a type (C++ [conv])."""
    match source, to:
        case IntType() | BoolType(), BoolType():
            return f"(1 if {a} else 0)"
        case ((IntType() | BoolType()), IntType()):
            return _cut(a, source, to)
        case ((IntType() | BoolType()), FloatType()):
            return f"single({a})" if to.bits == SINGLE else f"float({a})"
        case FloatType(), FloatType():
            return a if source.bits <= to.bits else as_float(a, to)
        case FloatType(), IntType(range=(low, high)):
            return f"whole({a}, {low}, {high})"
        case FloatType(), BoolType():
            return f"(1 if {a} != 0 else 0)"
        case _:
            raise Untranslatable


def _cut(a: str, source: IntType | BoolType, to: IntType) -> str:
    """The number that is congruent to this one in an integer type."""
    low, high = (0, 1) if isinstance(source, BoolType) else source.range
    if to.range[0] <= low and high <= to.range[1]:
        return a
    most = (1 << to.bits) - 1
    if not to.signed:
        return f"({a} & {most})"
    half = (most + 1) >> 1
    return f"((({a} + {half}) & {most}) - {half})"
