"""Narrowing conversions in a piece of code.

Signed arithmetic does not overflow in a correct program, but a conversion to a narrower signed type may cut a number
on purpose ([conv.integral]): a random generator takes an `int` of its 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import EffectTable
from hgrd.program.program import Function
from hgrd.program.types import INT, FloatType, IntType, Type
from hgrd.program.walk import nodes


class Narrowing(Enum):
    """What conversions do to integers: nothing, cut them to a signed type, or round floating-point numbers to them."""

    NONE = 0
    CUT = 1
    ROUNDED = 2


def narrowing_in(effects: EffectTable, functions: Mapping[str, Function], *parts: object) -> Narrowing:
    """The worst conversion in pieces of a program and in the functions that they call."""
    called = (functions[key].body for key in effects.of(*parts).calls if key in functions)
    return max(map(_narrowing, nodes((*parts, *called))), key=lambda kept: kept.value, default=Narrowing.NONE)


def _narrowing(node: object) -> Narrowing:
    match node:
        case ir.Convert(operand=ir.Call(function=function)) if function.qualified.startswith("std::") and (
            function.name == "size"
        ):
            return Narrowing.NONE  # no container has so many elements on purpose
        case ir.Convert(operand=operand, type=IntType() as target) if not isinstance(operand, ir.IntConst):
            return _converted(operand.type, target)
        case ir.Update(compute_type=source, type=IntType() as target):
            return _converted(source, target)
        case _:
            return Narrowing.NONE


def _converted(source: Type, target: IntType) -> Narrowing:
    """What one conversion does; terms show conversions to unsigned types and to types narrower than int exactly."""
    match source:
        case FloatType():
            return Narrowing.ROUNDED
        case IntType(bits=bits, signed=signed) if target.signed and target.bits >= INT.bits:
            fits = bits < target.bits or (signed and bits == target.bits)
            return Narrowing.NONE if fits else Narrowing.CUT
        case _:
            return Narrowing.NONE
