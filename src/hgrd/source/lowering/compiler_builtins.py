"""What looks like a call and is none: hints and constants of the compiler, limits of numbers, bits read anew.

GCC, "Other Built-in Functions Provided by GCC"; CUDA C++ Programming Guide, "Compiler Optimization Hint Functions".
"""

from __future__ import annotations

import math
import re

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    Comma,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    FloatConst,
    FunctionRef,
    IntConst,
    Load,
    Place,
)
from hgrd.program.span import Span
from hgrd.program.types import BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.source.clang.ast import Node
from hgrd.source.lowering import constants
from hgrd.source.lowering.context import Context, referred
from hgrd.source.lowering.lvalues import PARTS, dereferenced, library_member

_ELEMENT = re.compile(r"tuple_element\w*<(\d+)")
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


_PRECISIONS = {16: (5, 11), 32: (8, 24), 64: (11, 53)}
"""Bits of the exponent, and binary digits, of each floating-point type (IEEE 754)."""


_TRUTH = {"true": 1, "false": 0}
_CONSTANT_CLASS = re.compile(
    r"(?:cuda::)?std::(?:integral_constant<[\w ]+, |bool_constant<|(?=(?:true|false)_type$))"
    r"(?P<value>-?\d+[ULul]*|true|false)(?:>|_type)"
)


def numeric_limit(name: str, type_: Type, span: Span) -> Expression | None:
    """Value of `std::numeric_limits<T>::name()`, of a floating-point type; None of other functions."""
    if not isinstance(type_, FloatType) or type_.bits not in _PRECISIONS:
        return None
    exponent, digits = _PRECISIONS[type_.bits]
    greatest = 1 << (exponent - 1)
    most = math.ldexp(2 - math.ldexp(1, 1 - digits), greatest - 1)
    values = {
        "infinity": math.inf,
        "quiet_NaN": math.nan,
        "signaling_NaN": math.nan,
        "max": most,
        "lowest": -most,
        "min": math.ldexp(1, 2 - greatest),
        "epsilon": math.ldexp(1, 1 - digits),
    }
    return FloatConst(values[name], type_, span) if name in values else None


def class_value(class_: Type, type_: Type, span: Span) -> Expression | None:
    """Value of the member `value` of `std::integral_constant<…>`; None for other classes ([meta.help])."""
    found = _CONSTANT_CLASS.fullmatch(class_.name) if isinstance(class_, OpaqueType) else None
    if found is None or not isinstance(type_, IntType | BoolType):
        return None
    text = found["value"].rstrip("ULul")
    return IntConst(_TRUTH[text] if text in _TRUTH else int(text), type_, span)


def integral_constant(function: FunctionRef, type_: Type, span: Span) -> Expression | None:
    """Value of a `std::integral_constant`, which its type says, by a conversion or call; None of other functions."""
    if not function.qualified.startswith("std::integral_constant::operator") or not function.template_args:
        return None
    value = function.template_args[-1]
    number = _TRUTH.get(value) if isinstance(value, str) else value
    return IntConst(number, type_, span) if number is not None and isinstance(type_, IntType | BoolType) else None


def reinterpreted(place: Place, source: Type, type_: Type, span: Span) -> Expression:
    """The bytes at a place as a value of another type: `__builtin_bit_cast`, `std::bit_cast`."""
    if source == type_:
        return Load(place, type_, span)
    return Load(
        Deref(Convert(AddressOf(place, PointerType(source), span), PointerType(type_), span), type_, span), type_, span
    )


def part_of_pair(
    callee: Node, arguments: tuple[Expression, ...], type_: Type, span: Span, to: Context
) -> Expression | None:
    """`std::get` of a pair: the address of its member (C++ [pair.astuple]); None: another call."""
    named = callee["referencedDecl"]
    index = _ELEMENT.search(named.get("type", {}).get("qualType", ""))
    pair = arguments[0].type if len(arguments) == 1 else None
    if named.get("name") != "get" or index is None or not isinstance(pair, PointerType):
        return None
    if not isinstance(type_, PointerType) or not _class_name(pair).removeprefix("std::").startswith("pair<"):
        return None
    member = library_member(pair.to, PARTS[int(index[1])], type_.to, to)
    place = referred(FieldPlace(dereferenced(arguments[0], span), member, span), span)
    return AddressOf(place, PointerType(type_.to, reference=True), span)


def in_namespace(function: FunctionRef, callee: Node, arguments: tuple[Expression, ...], type_: Type) -> FunctionRef:
    """A function of a library header by its whole name, where its namespace is seen in what it gets or returns."""
    if "::" in function.qualified:
        return function
    template = callee.get("foundReferencedDecl", {}).get("kind") == "FunctionTemplateDecl"
    names = {_class_name(t) for t in (type_, *(a.type for a in arguments))}
    of_clock = any(name.startswith("std::chrono::") for name in names)
    standard = any(name.startswith("std::") for name in names) and not any(map(_is_elsewhere, names))
    if of_clock or (template and standard):
        return replace(function, qualified=f"std::{function.name}")
    return function


def _class_name(type_: Type) -> str:
    while isinstance(type_, PointerType):
        type_ = type_.to
    return type_.name if isinstance(type_, OpaqueType) else type_.key if isinstance(type_, RecordType) else ""


def _is_elsewhere(name: str) -> bool:
    """Whether a class is one of another namespace, whose functions are found by it (C++ [basic.lookup.argdep])."""
    return "::" in name and not name.startswith("std::")
