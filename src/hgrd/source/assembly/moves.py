"""Moves between registers, conversions of types and of addresses (PTX ISA, "Data Movement and Conversion")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.ptx.syntax import Instruction, Number, Operand, Vector
from hgrd.program.expressions import Binary, BinaryOp, Expression
from hgrd.program.statements import Statement
from hgrd.program.types import UINT, ULONG, VOID, FloatType, IntType, PointerType, Type
from hgrd.source.assembly.forms import Handler, one_type, operands_of, types_of
from hgrd.source.assembly.registers import TYPES, NotModelledError, Registers, bits_of


def _move(to: Registers, i: Instruction) -> list[Statement]:
    _, type_ = one_type(i)
    target, given = operands_of(i, 2)
    match target, given:
        case Vector(parts=parts), _:
            return _unpacked(to, parts, to.read(given, type_), type_)
        case _, Vector(parts=parts):
            return [to.put(target, _packed(to, parts, type_))]
        case _, Number(value=value):
            kind = FloatType(bits_of(type_)) if isinstance(value, float) else type_
            return [to.put(target, to.read(given, kind))]
        case _:
            value = to.plain(given)
            same = bits_of(value.type) == bits_of(type_)
            return [to.put(target, value if same else to.read(given, type_))]


def _packed(to: Registers, parts: tuple[Operand, ...], type_: Type) -> Expression:
    """Words side by side in a wider one, the lowest first."""
    width, rest = divmod(bits_of(type_), len(parts))
    if rest or not isinstance(type_, IntType) or width not in (8, 16, 32):
        raise NotModelledError
    part = IntType(width, False)
    found: Expression | None = None
    for number, operand in enumerate(parts):
        word = to.converted(to.read(operand, part), type_)
        if number:
            word = Binary(BinaryOp.SHL, word, to.number(number * width, UINT), type_, to.span)
        found = word if found is None else Binary(BinaryOp.OR, found, word, type_, to.span)
    assert found is not None
    return found


def _unpacked(to: Registers, parts: tuple[Operand, ...], value: Expression, type_: Type) -> list[Statement]:
    width, rest = divmod(bits_of(type_), len(parts))
    if rest or not isinstance(type_, IntType) or width not in (8, 16, 32):
        raise NotModelledError
    whole = to.temporary("%w", type_)
    statements = to.held([(whole, value)])
    for number, operand in enumerate(parts):
        word = to.loaded(whole)
        if number:
            word = Binary(BinaryOp.SHR, word, to.number(number * width, UINT), type_, to.span)
        statements.append(to.put(operand, to.converted(word, IntType(width, False))))
    return statements


def _conversion(to: Registers, i: Instruction) -> list[Statement]:
    """cvt: between integers, to floating point, and towards zero to integers."""
    types = types_of(i, "rn rzi ftz")
    target, given = operands_of(i, 2)
    if len(types) != 2:
        raise NotModelledError
    result, source = (TYPES[t] for t in types)
    if isinstance(source, FloatType) and isinstance(result, IntType) and "rzi" not in i.modifiers:
        raise NotModelledError
    return [to.put(target, to.converted(to.read(given, source), result))]


def _address_space(to: Registers, i: Instruction) -> list[Statement]:
    """cvta: generic addresses from those in a space, or with `to` the other way."""
    target, given = operands_of(i, 2)
    *flags, _ = i.modifiers or ("",)
    away = "to" in flags
    match [f for f in flags if f != "to"]:
        case ["global"]:
            return [to.put(target, to.plain(given))]
        case ["shared"] | ["shared::cta"] if away:
            address = to.as_bits(to.plain(given), PointerType(VOID))
            return [to.put(target, to.call("__cvta_generic_to_shared", (address,), ULONG))]
        case ["shared"] | ["shared::cta"]:
            address = to.converted(to.plain(given), ULONG)
            return [to.put(target, to.call("__cvta_shared_to_generic", (address,), PointerType(VOID)))]
        case _:
            raise NotModelledError


MOVES: Final[Mapping[str, Handler]] = {"mov": _move, "cvt": _conversion, "cvta": _address_space}
"""Instructions that move and convert, by opcode."""
