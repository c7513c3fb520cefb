"""Built-in functions of the compiler that are no calls: constants, hints, and the bits of a value read as another type.

GCC, "Other Built-in Functions Provided by GCC"; CUDA C++ Programming Guide, "Compiler Optimization Hint Functions".
"""

from __future__ import annotations

import math
import re

from hgrd.program.expressions import AddressOf, Comma, Convert, Deref, Expression, FloatConst, Load, Place
from hgrd.program.span import Span
from hgrd.program.types import PointerType, Type
from hgrd.source.lowering import constants

_INFINITY = re.compile(r"__builtin_(inf|huge_val)[fl]?")
_NAN = re.compile(r"__builtin_nans?[fl]?")
_HINTS = frozenset(
    (
        *("__builtin_expect", "__builtin_expect_with_probability", "__builtin_unpredictable"),
        *("__builtin_assume_aligned", "__builtin_launder"),
    )
)


def compiler_builtin(name: str, arguments: tuple[Expression, ...], type_: Type, span: Span) -> Expression | None:
    """Value of a built-in function that is a constant, or its own first argument; None of other functions."""
    if _INFINITY.fullmatch(name):
        return FloatConst(math.inf, type_, span)
    if _NAN.fullmatch(name):
        return FloatConst(math.nan, type_, span)
    if name not in _HINTS or not arguments:
        return None
    value, *others = arguments
    made = Convert(value, type_, span) if isinstance(type_, PointerType) else constants.converted(value, type_, span)
    for other in reversed(others):
        made = Comma(other, made, type_, span)
    return made


def reinterpreted(place: Place, source: Type, type_: Type, span: Span) -> Expression:
    """The bytes at a place as a value of another type: `__builtin_bit_cast`, `std::bit_cast`."""
    if source == type_:
        return Load(place, type_, span)
    return Load(
        Deref(Convert(AddressOf(place, PointerType(source), span), PointerType(type_), span), type_, span), type_, span
    )
