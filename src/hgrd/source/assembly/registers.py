"""Registers of inline assembly: operands and declared registers as variables, read and written by type.

PTX is weakly typed: `b32` is any register of 32 bits, and an instruction says what it takes the bits for (PTX ISA,
"Types" and "Operand Type Checking").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from hgrd.cuda.ptx.syntax import Argument, Complement, Number, Operand, Register
from hgrd.program.expressions import (
    Assign,
    Call,
    Convert,
    Expression,
    FloatConst,
    IntConst,
    Load,
    Storage,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from hgrd.program.span import Span
from hgrd.program.statements import Declare, Evaluate, Statement
from hgrd.program.types import BOOL, INT, ULONG, BoolType, FloatType, IntType, PointerType, Type
from hgrd.source.assembly.special_registers import called, special_register

TYPES: Final[Mapping[str, Type]] = {
    "pred": BOOL,
    **{f"u{bits}": IntType(bits, False) for bits in (8, 16, 32, 64)},
    **{f"s{bits}": IntType(bits, True) for bits in (8, 16, 32, 64)},
    **{f"b{bits}": IntType(bits, False) for bits in (8, 16, 32, 64)},
    **{f"f{bits}": FloatType(bits) for bits in (32, 64)},
}
"""Types of numbers by their names; `b32` is without a sign."""

_HOLDERS: Final[Mapping[str, Type]] = {
    **TYPES,
    **dict.fromkeys(("f16", "bf16"), IntType(16, False)),
    **dict.fromkeys(("f16x2", "bf16x2", "tf32"), IntType(32, False)),
    "b128": IntType(128, False),
}
"""Types that registers can be declared with; the bits of a number that C++ has no type for."""

_BITS_OF_FLOATS = {32: "__float_as_uint", 64: "__double_as_longlong"}
_FLOATS_OF_BITS = {32: "__uint_as_float", 64: "__longlong_as_double"}


class NotModelledError(Exception):
    """An instruction, or an operand of it, has no meaning here."""


class Registers(Struct):
    """Registers of one `asm` statement: variables of its operands by number, and of the declared ones by name.

    `key` makes a new key of a variable from a name.
    """

    span: Span
    key: Callable[[str], str]
    arguments: dict[int, Variable] = field(default_factory=dict[int, Variable])
    declared: dict[str, Variable] = field(default_factory=dict[str, Variable])

    def declare(self, name: str, type_: str) -> Statement:
        """The declaration of a register; raises NotModelledError for a type that is not known."""
        if type_ not in _HOLDERS:
            raise NotModelledError
        made = self.temporary(name, _HOLDERS[type_])
        self.declared[name] = made
        return Declare(made, None, self.span)

    def temporary(self, name: str, type_: Type) -> Variable:
        """A new variable."""
        return Variable(self.key(name), name, type_, Storage.LOCAL, self.span)

    def variable(self, operand: Operand) -> Variable:
        """The variable of a register; raises NotModelledError for other operands."""
        match operand:
            case Argument(number=number) if number in self.arguments:
                return self.arguments[number]
            case Register(name=name) if name in self.declared:
                return self.declared[name]
            case _:
                raise NotModelledError

    def result_type(self, operand: Operand) -> Type:
        """The type of the register of a result; of one that is not wanted, any."""
        return INT if operand == Register("_") else self.variable(operand).type

    # ------------------------------------------------------------ expressions

    def number(self, value: int, type_: Type) -> Expression:
        """A constant; one that the type does not hold is taken by its bits."""
        if isinstance(type_, IntType):
            low, high = type_.range
            value = (value - low) % (high - low + 1) + low
        return IntConst(value, type_, self.span)

    def call(self, name: str, arguments: tuple[Expression, ...], type_: Type) -> Call:
        """A call of one of CUDA's device functions."""
        return called(name, arguments, type_, self.span)

    def held(self, values: Iterable[tuple[Variable, Expression]]) -> list[Statement]:
        """Declarations of temporaries with their values."""
        return [Declare(variable, value, self.span) for variable, value in values]

    def loaded(self, variable: Variable) -> Expression:
        return Load(VariablePlace(variable, self.span), variable.type, self.span)

    def converted(self, value: Expression, type_: Type) -> Expression:
        """A value as another type, as C converts it."""
        return value if value.type == type_ else Convert(value, type_, self.span, explicit=True)

    def as_bits(self, value: Expression, type_: Type) -> Expression:
        """The bits of a value taken for a type of the same size."""
        match value.type, type_:
            case (FloatType(bits=bits), IntType()) if bits in _BITS_OF_FLOATS:
                made = self.call(_BITS_OF_FLOATS[bits], (value,), IntType(bits, bits == 64))
                return self.converted(made, type_)
            case (IntType(), FloatType(bits=bits)) if bits in _FLOATS_OF_BITS:
                given = self.converted(value, IntType(bits, bits == 64))
                return self.call(_FLOATS_OF_BITS[bits], (given,), type_)
            case (IntType() | PointerType() | FloatType(), IntType() | PointerType() | FloatType()):
                return self.converted(value, type_)
            case (BoolType(), BoolType()):
                return value
            case _:
                raise NotModelledError

    # ------------------------------------------------------------ operands

    def plain(self, operand: Operand) -> Expression:
        """An operand of the type it has."""
        match operand:
            case Number(value=float() as value):
                return FloatConst(value, FloatType(64), self.span)
            case Number(value=value):
                return self.number(int(value), INT if -(1 << 31) <= value < 1 << 31 else IntType(64, True))
            case Complement(of=of):
                return Unary(UnaryOp.NOT, self.read(of, BOOL), BOOL, self.span)
            case Register(name=name) if name.startswith("%") and name not in self.declared:
                return self.special(name)
            case _:
                return self.loaded(self.variable(operand))

    def special(self, name: str) -> Expression:
        """The value of a predefined register."""
        value = special_register(name, self.span)
        if value is None:
            raise NotModelledError
        return value

    def read(self, operand: Operand, type_: Type) -> Expression:
        """An operand as an instruction of this type takes it: the lower bits of a wider register."""
        match operand:
            case Number(value=value) if isinstance(type_, FloatType):
                return FloatConst(float(value), type_, self.span)
            case Number(value=int() as value):
                return self.number(value, type_)
            case _:
                value = self.plain(operand)
        if bits_of(value.type) < bits_of(type_):
            raise NotModelledError
        return self.as_bits(value, type_)

    def put(self, operand: Operand, value: Expression) -> Statement:
        """Writes a value into a register, which a result narrower than it extends to; `_` takes none."""
        if operand == Register("_"):
            return Evaluate(value, self.span)
        return self.put_into(self.variable(operand), value)

    def put_into(self, variable: Variable, value: Expression) -> Statement:
        """Writes a value into the register that a variable is."""
        type_ = variable.type
        if bits_of(value.type) > bits_of(type_):
            raise NotModelledError
        if isinstance(value.type, IntType) and isinstance(type_, FloatType) and value.type.bits < type_.bits:
            value = self.converted(value, IntType(type_.bits, False))
        stored = self.as_bits(value, type_)
        return Evaluate(Assign(VariablePlace(variable, self.span), stored, type_, self.span), self.span)


def bits_of(type_: Type) -> int:
    """The size of a register of this type."""
    match type_:
        case IntType(bits=bits) | FloatType(bits=bits):
            return bits
        case BoolType():
            return 1
        case PointerType():
            return ULONG.bits
        case _:
            raise NotModelledError
