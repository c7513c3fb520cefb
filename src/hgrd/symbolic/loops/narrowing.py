"""Code that keeps numbers where they may have no room.

Signed arithmetic does not overflow in a correct program, but a number may be converted to a type that does not have it
on purpose: it is cut ([conv.integral]), as the `int` of a generator's 64 bits is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import EffectTable
from hgrd.program.program import Function
from hgrd.program.types import INT, FloatType, IntType, Type
from hgrd.program.walk import nodes


class Kept(Enum):
    """How integers are kept: as they are, cut to the bits of a signed type, or made of floating-point numbers."""

    AS_THEY_ARE = 0
    CUT = 1
    ROUNDED = 2


def kept_in(effects: EffectTable, functions: Mapping[str, Function], *parts: object) -> Kept:
    """The worst that pieces of a program, and what they call, do to integers."""
    called = (functions[key].body for key in effects.of(*parts).calls if key in functions)
    return max(map(_kept, nodes((*parts, *called))), key=lambda kept: kept.value, default=Kept.AS_THEY_ARE)


def _kept(node: object) -> Kept:
    match node:
        case ir.Convert(operand=operand, type=IntType() as target) if not isinstance(operand, ir.IntConst):
            return _converted(operand.type, target)
        case ir.Update(compute_type=source, type=IntType() as target):
            return _converted(source, target)
        case _:
            return Kept.AS_THEY_ARE


def _converted(source: Type, target: IntType) -> Kept:
    """Conversions to unsigned and to narrower types than int are cuts that terms show as they are."""
    match source:
        case FloatType():
            return Kept.ROUNDED
        case IntType(bits=bits, signed=signed) if target.signed and target.bits >= INT.bits:
            fits = bits < target.bits or (signed and bits == target.bits)
            return Kept.AS_THEY_ARE if fits else Kept.CUT
        case _:
            return Kept.AS_THEY_ARE
