"""Inline assembly as statements of the program: each instruction as what CUDA C++ has for it.

An instruction that touches nothing but registers, and is not written out, is a call of a function of its name.  Any
other one that has no meaning here stays assembly, which may do anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.ptx.opcodes import Effect, register_effect
from hgrd.cuda.ptx.reader import PtxError, read_assembly
from hgrd.cuda.ptx.syntax import (
    Argument,
    Declaration,
    Instruction,
    Number,
    Operand,
    PtxStatement,
    Twofold,
    Vector,
)
from hgrd.program.expressions import (
    AddressOf,
    Assign,
    Convert,
    Expression,
    IntConst,
    Load,
    Place,
    Variable,
    VariablePlace,
)
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Block, Declare, Evaluate, If, Return, Statement
from hgrd.program.types import BOOL, INT, ULONG, BoolType, FloatType, IntType, PointerType, Type
from hgrd.source.assembly.forms import Handler
from hgrd.source.assembly.meetings import MEETINGS
from hgrd.source.assembly.memory import MEMORY
from hgrd.source.assembly.memory_barriers import MEMORY_BARRIERS, without_jumps
from hgrd.source.assembly.moves import MOVES
from hgrd.source.assembly.numbers import NUMBERS
from hgrd.source.assembly.registers import NotModelledError, Registers
from hgrd.source.assembly.text import AsmOperand, AsmText

_INTEGERS = {"h": 16, "r": 32, "l": 64, "q": 128}
_FLOATS = {32: "f", 64: "d"}
_HANDLERS: Final[Mapping[str, Handler]] = {**NUMBERS, **MOVES, **MEMORY, **MEETINGS, **MEMORY_BARRIERS}


class AsmStatement(Struct, frozen=True):
    """An `asm` statement of device code with its operands.

    `outputs` are places with their types; a value goes in, too, where the constraint has a `+`.  `of_kernel`: it stands
    in the kernel itself, so that a thread that exits only returns.
    """

    text: AsmText
    outputs: tuple[tuple[Place, Type], ...]
    inputs: tuple[Expression, ...]
    span: Span
    of_kernel: bool = False


def lowered(asm: AsmStatement, key: Callable[[str], str]) -> list[Statement]:
    """The statements that an `asm` statement stands for; `key` makes a new key of a variable from a name."""
    operands = (*asm.text.outputs, *asm.text.inputs)
    names = {o.name: number for number, o in enumerate(operands) if o.name}
    try:
        parts = without_jumps(read_assembly(asm.text.template, names, escaped=not asm.text.basic))
        registers = Registers(asm.span, key)
        before, after = _moves(asm, registers)
        constants = _constants(asm)
        body = [s for part in parts for s in _lowered(_filled(part, constants), registers, asm)]
    except (PtxError, NotModelledError):
        return [unknown(asm)]
    return [*before, *body, *after]


def unknown(asm: AsmStatement) -> Statement:
    """The statement as assembly that is not understood."""
    outputs = tuple(AddressOf(place, PointerType(type_, reference=True), asm.span) for place, type_ in asm.outputs)
    return Assembly(asm.text.template, outputs, asm.inputs, asm.span)


def _moves(asm: AsmStatement, to: Registers) -> tuple[list[Statement], list[Statement]]:
    """What puts the inputs into registers, and what stores the results."""
    before: list[Statement] = []
    after: list[Statement] = []
    for number, (operand, (place, type_)) in enumerate(zip(asm.text.outputs, asm.outputs, strict=True)):
        variable = to.arguments[number] = to.temporary(f"%{number}", _register_type(operand, type_))
        given = Load(place, type_, asm.span) if operand.constraint.startswith("+") else None
        before.append(Declare(variable, None if given is None else to.converted(given, variable.type), asm.span))
        stored = to.converted(to.loaded(variable), type_)
        after.append(Evaluate(Assign(place, stored, type_, asm.span), asm.span))
    tied: dict[int, Expression] = {}
    for number, (operand, value) in enumerate(zip(asm.text.inputs, asm.inputs, strict=True), len(asm.outputs)):
        variable = to.arguments[number] = to.temporary(f"%{number}", _register_type(operand, value.type))
        before.append(Declare(variable, to.converted(value, variable.type), asm.span))
        if operand.constraint.isdigit():
            tied[int(operand.constraint)] = to.loaded(variable)
    for number, value in tied.items():
        if number not in to.arguments:
            raise NotModelledError
        before.append(to.put_into(to.arguments[number], value))
    return before, after


def _register_type(operand: AsmOperand, type_: Type) -> Type:
    """The type of the register that an operand of this type is in (Inline PTX Assembly in CUDA, "Constraints")."""
    letter = operand.constraint.lstrip("=+&")
    match type_:
        case PointerType() if letter == "l":
            return type_
        case FloatType(bits=bits) if letter == _FLOATS.get(bits):
            return type_
        case BoolType() if letter in _INTEGERS:
            return IntType(_INTEGERS[letter], False)
        case IntType(signed=signed) if letter in ("n", "i"):
            return IntType(64, signed)
        case IntType(bits=bits, signed=signed) if letter.isdigit():
            return IntType(bits, signed)
        case IntType(bits=bits, signed=signed) if bits <= _INTEGERS.get(letter, 0):
            return IntType(_INTEGERS[letter], signed)
        case _:
            raise NotModelledError


def _constants(asm: AsmStatement) -> dict[Operand, Number]:
    """The operands that are constants, whose values are a part of the text."""
    found: dict[Operand, Number] = {}
    for number, (operand, value) in enumerate(zip(asm.text.inputs, asm.inputs, strict=True), len(asm.outputs)):
        while isinstance(value, Convert):
            value = value.operand
        if operand.constraint in ("n", "i") and isinstance(value, IntConst):
            found[Argument(number)] = Number(value.value)
    return found


def _filled(part: PtxStatement, constants: Mapping[Operand, Number]) -> PtxStatement:
    """An instruction with the values of constant operands."""
    if not isinstance(part, Instruction) or part.operands is None:
        return part
    return replace(part, operands=tuple(constants.get(o, o) for o in part.operands))


def _lowered(part: PtxStatement, to: Registers, asm: AsmStatement) -> list[Statement]:
    match part:
        case Declaration(type=type_, names=names):
            return [to.declare(name, type_) for name in names]
        case Instruction(guard=None):
            return _instruction(part, to, asm)
        case Instruction(guard=guard) if guard is not None:
            body = Block(tuple(_instruction(part, to, asm)), asm.span)
            return [If(to.read(guard, BOOL), body, None, asm.span)]
        case _:
            raise NotModelledError  # a label: something jumps


def _instruction(i: Instruction, to: Registers, asm: AsmStatement) -> list[Statement]:
    if i.opcode == "exit" and asm.of_kernel:
        return [Return(None, asm.span)]
    if i.opcode in ("bra", "brx", "ret", "call", "exit"):
        raise NotModelledError
    handler = _HANDLERS.get(i.opcode)
    if handler is not None:
        try:
            return handler(to, i)
        except NotModelledError:
            pass
    match register_effect(i):
        case Effect.NOTHING:
            return []
        case Effect.FUNCTION:
            return _by_name(i, to, f"ptx.{i.name}")
        case Effect.OWN:
            return _by_name(i, to, f"ptx.own.{i.name}")
        case None:
            return [_unknown_instruction(i, to)]


def _by_name(i: Instruction, to: Registers, name: str) -> list[Statement]:
    """The results of an instruction as calls of functions of its operands."""
    if not i.operands:
        raise NotModelledError
    results, *given = (_registers(o) for o in i.operands)
    arguments = tuple(to.plain(operand) for operands in given for operand in operands)
    made: list[tuple[Operand, Expression]] = []
    for number, result in enumerate(results):
        type_ = to.result_type(result)
        kept = INT if type_ == BOOL else ULONG if isinstance(type_, PointerType) else type_
        value = to.call(f"{name}#{number}" if number else name, arguments, kept)
        made.append((result, to.converted(value, BOOL) if type_ == BOOL else value))
    if len(made) == 1:
        return [to.put(*made[0])]
    held = [(to.temporary("%r", value.type), value) for _, value in made]
    stored = (to.put(result, to.loaded(v)) for (result, _), (v, _) in zip(made, held, strict=True))
    return [*to.held(held), *stored]


def _registers(operand: Operand) -> tuple[Operand, ...]:
    match operand:
        case Vector(parts=parts):
            return parts
        case Twofold(first=first, second=second):
            return first, second
        case _:
            return (operand,)


def _unknown_instruction(i: Instruction, to: Registers) -> Statement:
    """An instruction that is not understood: it may write all registers that are its operands."""
    if i.operands is None:
        variables = [*to.arguments.values(), *to.declared.values()]
    else:
        variables = [v for operand in i.operands for part in _registers(operand) for v in _written(part, to)]
    places = (VariablePlace(variable, to.span) for variable in dict.fromkeys(variables))
    outputs = tuple(AddressOf(p, PointerType(p.variable.type, reference=True), to.span) for p in places)
    return Assembly(i.name, outputs, (), to.span)


def _written(operand: Operand, to: Registers) -> tuple[Variable, ...]:
    """The register that an operand is; none of addresses, constants and predefined registers."""
    try:
        return (to.variable(operand),)
    except NotModelledError:
        return ()
