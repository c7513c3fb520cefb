"""Values of the standard library's constants of types: traits and numeric limits.

ISO C++ [meta.unary], [meta.rel], [numeric.limits].  Their definitions stand in precompiled headers, which clang does
not print.  What is said of a type is certain or None: several types of C++ are one type here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from hgrd.program.types import (
    ArrayType,
    BoolType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
    VoidType,
)
from hgrd.source.declarations.table import Declarations, Scope
from hgrd.source.declarations.type_parser import split_scopes, split_template

_STANDARD: Final = (["std"], ["cuda", "std"])
_DEEPEST: Final = 8  # bases of bases, and names of names
_LITERAL = re.compile(r"(-?\d+)[ULul]*")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"(?<![\w:.])[A-Za-z_]\w*")
_BUILTIN: Final = {
    **{name: name for name in ("char", "signed char", "unsigned char", "wchar_t", "char8_t", "char16_t", "char32_t")},
    **{f"{u}{name}": f"{u}{name}" for name in ("short", "int", "long", "long long") for u in ("", "unsigned ")},
    "signed": "int",
    "signed int": "int",
    "unsigned": "unsigned int",
    "uint": "unsigned int",
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "ptrdiff_t": "long",
}
"""Integer types by their names: distinct ones may be of one size."""

_DIGITS: Final = {32: (24, 6), 64: (53, 15)}  # of floating-point types: binary and decimal ones


class _Argument(Struct, frozen=True):
    """Type that a trait is given; `builtin`: the integer type of C++ that it is, "": it may be an enumeration."""

    text: str
    type: Type
    const: bool
    volatile: bool
    builtin: str


def substituted(text: str, table: Declarations, scope: Scope) -> str:
    """A text of the sources with the template arguments of the scope in place of the parameters."""
    given: dict[str, str] = {}
    for depth in range(1, len(scope) + 1):
        given |= table.template_arguments.get(scope[:depth], {})
    return _WORD.sub(lambda word: given.get(word[0], word[0]), text) if given else text


def library_constant(text: str, table: Declarations, scope: Scope) -> int | None:
    """The value of `std::is_same_v<int, T>`, `std::is_same<int, T>::value`, `std::numeric_limits<T>::digits`, …

    None: it is none of the library's, or not certain.
    """
    *around, last = split_scopes(substituted(text, table, scope).removeprefix("typename ").lstrip(":"))
    split = split_template(last)
    if split is not None and split[0].endswith("_v") and around in _STANDARD:
        return trait_value(split[0].removesuffix("_v"), split[1], table, scope)
    return _member("::".join(around), last, table, scope)


def _member(class_: str, member: str, table: Declarations, scope: Scope, depth: int = 0) -> int | None:
    """The constant of this name that a class has, or a base of it."""
    *around, last = split_scopes(class_.lstrip(":"))
    split = split_template(last) or (last, [])
    if around in _STANDARD and split[0] == "numeric_limits" and len(split[1]) == 1:
        return _limit(member, _argument(split[1][0], table, scope))
    if around in _STANDARD:
        return trait_value(split[0], split[1], table, scope) if member == "value" else None
    if depth > _DEEPEST or not class_:
        return None
    match table.parse(class_, scope).type:
        case OpaqueType(name=name) if name != class_:
            return _member(name, member, table, scope, depth + 1)
        case RecordType(key=key) if (record := table.records.get(key)) is not None:
            bases = (base["type"] for base in record.node.get("bases", ()))
            texts = [base.get("desugaredQualType") or base["qualType"] for base in bases]
            found = {_member(base, member, table, record.scope, depth + 1) for base in texts} - {None}
            return found.pop() if len(found) == 1 else None
        case _:
            return None


def trait_value(name: str, arguments: Sequence[str], table: Declarations, scope: Scope) -> int | None:
    """The value of `std::name<arguments…>::value`; None: it is not known."""
    match name, arguments:
        case "true_type", []:
            return 1
        case "false_type", []:
            return 0
        case ("integral_constant", [_, value]) | ("bool_constant", [value]):
            return _number(value)
        case "is_same", [one, other]:
            return _same(_argument(one, table, scope), _argument(other, table, scope))
        case "extent", [array, axis] if axis.isdigit():
            return _extent(_argument(array, table, scope).type, int(axis))
        case "extent", [array]:
            return _extent(_argument(array, table, scope).type, 0)
        case _, [one] if name in _OF_ONE_TYPE:
            argument = _argument(one, table, scope)
            return None if _is_unknown(argument.type) else _OF_ONE_TYPE[name](argument)
        case _:
            return None


def _number(text: str) -> int | None:
    if text in ("true", "false"):
        return int(text == "true")
    found = _LITERAL.fullmatch(text)
    return int(found[1]) if found else None


def _argument(text: str, table: Declarations, scope: Scope) -> _Argument:
    plain = _SPACE.sub(" ", text.strip()).removeprefix("typename ")
    parsed = table.parse(plain, scope)
    return _Argument(plain, parsed.type, parsed.const, parsed.volatile, _builtin(plain, table, scope))


def _builtin(text: str, table: Declarations, scope: Scope, depth: int = 0) -> str:
    """The integer type that a name stands for; "" if that is not certain."""
    bare = " ".join(word for word in text.split() if word not in ("const", "volatile")).lstrip(":")
    if depth > _DEEPEST:
        return ""
    for around in range(len(scope), -1, -1):
        if alias := table.aliases.get("::".join((*scope[:around], bare))):
            return _builtin(alias[0], table, alias[1], depth + 1)
    return _BUILTIN.get(bare.removeprefix("std::"), "")


def _is_unknown(type_: Type) -> bool:
    match type_:
        case OpaqueType() | FloatType(bits=16):  # several types have 16 bits
            return True
        case PointerType(to=inside) | ArrayType(of=inside):
            return _is_unknown(inside)
        case _:
            return False


def _same(a: _Argument, b: _Argument) -> int | None:
    if a.text == b.text:
        return 1
    if _is_unknown(a.type) or _is_unknown(b.type):
        return None
    if (a.type, a.const, a.volatile) != (b.type, b.const, b.volatile):
        return 0
    match a.type:
        case IntType():
            return int(a.builtin == b.builtin) if a.builtin and b.builtin else None
        case BoolType() | FloatType() | RecordType() | VoidType():
            return 1
        case _:
            return None


def _extent(type_: Type, axis: int) -> int | None:
    match type_:
        case ArrayType(of=inside, count=count):
            return (count or 0) if axis == 0 else _extent(inside, axis - 1)
        case _ if _is_unknown(type_):
            return None
        case _:
            return 0


def _integral(of: _Argument) -> int | None:
    match of.type:
        case BoolType():
            return 1
        case IntType():
            return 1 if of.builtin else None
        case PointerType(reference=True):
            return None
        case _:
            return 0


def _floating(of: _Argument) -> int | None:
    return None if _is_reference(of) else int(isinstance(of.type, FloatType))


def _arithmetic(of: _Argument) -> int | None:
    integral = _integral(of)
    return 1 if isinstance(of.type, FloatType) else integral


def _signed(of: _Argument) -> int | None:
    arithmetic = _arithmetic(of)
    signed = isinstance(of.type, FloatType) or (isinstance(of.type, IntType) and of.type.signed)
    return int(signed) if arithmetic == 1 else arithmetic


def _unsigned(of: _Argument) -> int | None:
    arithmetic, signed = _arithmetic(of), _signed(of)
    return None if arithmetic is None or signed is None else arithmetic & ~signed


def _is_reference(of: _Argument) -> bool:
    return isinstance(of.type, PointerType) and of.type.reference


_OF_ONE_TYPE: Final[dict[str, Callable[[_Argument], int | None]]] = {
    "is_integral": _integral,
    "is_floating_point": _floating,
    "is_arithmetic": _arithmetic,
    "is_signed": _signed,
    "is_unsigned": _unsigned,
    "is_pointer": lambda of: None if _is_reference(of) else int(isinstance(of.type, PointerType)),
    "is_array": lambda of: None if _is_reference(of) else int(isinstance(of.type, ArrayType)),
    "is_void": lambda of: int(isinstance(of.type, VoidType)),
    "is_const": lambda of: None if _is_reference(of) else int(of.const),
    "is_reference": lambda of: int(_is_reference(of)),
}


def _limit(member: str, of: _Argument) -> int | None:
    """A constant of `std::numeric_limits` ([numeric.limits.members])."""
    match of.type:
        case IntType(bits=bits, signed=signed) if of.builtin:
            digits = bits - signed
            known = {"digits": digits, "digits10": len(str((1 << digits) - 1)) - 1, "is_signed": int(signed)}
            return {**known, "is_integer": 1, "is_exact": 1, "radix": 2, "is_specialized": 1}.get(member)
        case FloatType(bits=bits) if bits in _DIGITS:
            digits, decimal = _DIGITS[bits]
            known = {"digits": digits, "digits10": decimal, "is_signed": 1, "is_integer": 0, "is_exact": 0, "radix": 2}
            return {**known, "is_specialized": 1, "has_infinity": 1, "has_quiet_NaN": 1}.get(member)
        case _:
            return None
