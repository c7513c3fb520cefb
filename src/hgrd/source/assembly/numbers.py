"""Instructions that compute, as C++ expressions (PTX ISA, "Instruction Set").

What is not written out here is a function of its operands that is only known by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.ptx.syntax import Instruction, Number, Operand, Register, Twofold
from hgrd.program.expressions import Binary, BinaryOp, Conditional, Expression, Logical, Unary, UnaryOp
from hgrd.program.statements import Statement
from hgrd.program.types import BOOL, INT, UINT, FloatType, IntType, Type
from hgrd.source.assembly.forms import Handler, one_type, operands_of, types_of
from hgrd.source.assembly.registers import NotModelledError, Registers, bits_of

_ARITHMETIC = {
    "add": BinaryOp.ADD,
    "sub": BinaryOp.SUB,
    "mul": BinaryOp.MUL,
    "mad": BinaryOp.MUL,
    "div": BinaryOp.DIV,
    "rem": BinaryOp.REM,
}
_BITWISE = {"and": BinaryOp.AND, "or": BinaryOp.OR, "xor": BinaryOp.XOR}
_COMPARISONS = {
    "eq": BinaryOp.EQ,
    "ne": BinaryOp.NE,
    **dict.fromkeys(("lt", "lo"), BinaryOp.LT),
    **dict.fromkeys(("le", "ls"), BinaryOp.LE),
    **dict.fromkeys(("gt", "hi"), BinaryOp.GT),
    **dict.fromkeys(("ge", "hs"), BinaryOp.GE),
}
_EXTREMES = {
    ("s", 32): "min max",
    ("u", 32): "umin umax",
    ("s", 64): "llmin llmax",
    ("u", 64): "ullmin ullmax",
    ("f", 32): "fminf fmaxf",
    ("f", 64): "fmin fmax",
}
_LOP3: Final[Mapping[int, str]] = {
    0x80: "a&b&c", 0xFE: "a|b|c", 0x96: "a^b^c", 0xC0: "a&b", 0xFC: "a|b", 0x3C: "a^b", 0xEA: "a&b|c",
    0xF8: "b&c|a", 0xA8: "a|b&c", 0xE0: "b|c&a", 0x6A: "a&b^c", 0x78: "b&c^a",
}  # fmt: skip
"""Functions of three words by their tables (PTX ISA, "lop3"), read from the left."""


def _signed_as(to: Registers, target: Operand, type_: Type) -> Type:
    """A type that is without a sign, or whose sign does not matter: with that of the register of the result."""
    if not isinstance(type_, IntType) or target == Register("_"):
        return type_
    own = to.variable(target).type
    return own if isinstance(own, IntType) and own.bits == type_.bits else type_


def _binary(to: Registers, op: BinaryOp, left: Expression, right: Expression, type_: Type) -> Expression:
    return Binary(op, left, right, type_, to.span)


# ---------------------------------------------------------------- arithmetic


def _arithmetic(to: Registers, i: Instruction) -> list[Statement]:
    """Sums and products; with `wide`, a product of twice as many bits."""
    if "wide" in i.modifiers:
        return _wide(to, i)
    rounded = i.opcode in ("mul", "mad") and not i.modifiers[-1].startswith("f")
    if rounded and "lo" not in i.modifiers:
        raise NotModelledError
    _, type_ = one_type(i, "lo" if rounded else "rn ftz")
    target, *given = operands_of(i, 4 if i.opcode == "mad" else 3)
    if i.opcode not in ("div", "rem"):
        type_ = _signed_as(to, target, type_)
    a, b, *c = (to.read(x, type_) for x in given)
    value = _binary(to, _ARITHMETIC[i.opcode], a, b, type_)
    return [to.put(target, _binary(to, BinaryOp.ADD, value, c[0], type_) if c else value)]


def _wide(to: Registers, i: Instruction) -> list[Statement]:
    _, type_ = one_type(i, "wide")
    target, *given = operands_of(i, 4 if i.opcode == "mad" else 3)
    if not isinstance(type_, IntType) or i.opcode not in ("mul", "mad") or type_.bits > 32:
        raise NotModelledError
    twice = IntType(2 * type_.bits, type_.signed)
    a, b = (to.converted(to.read(x, type_), twice) for x in given[:2])
    value = _binary(to, BinaryOp.MUL, a, b, twice)
    more = [to.read(x, twice) for x in given[2:]]
    return [to.put(target, _binary(to, BinaryOp.ADD, value, more[0], twice) if more else value)]


def _fused(to: Registers, i: Instruction) -> list[Statement]:
    name, type_ = one_type(i, "rn ftz")
    target, *given = operands_of(i, 4)
    values = tuple(to.read(x, type_) for x in given)
    return [to.put(target, to.call("fmaf" if name == "f32" else "fma", values, type_))]


def _extreme(to: Registers, i: Instruction) -> list[Statement]:
    name, type_ = one_type(i, "ftz")
    names = _EXTREMES.get((name[0], bits_of(type_)))
    if names is None:
        raise NotModelledError
    target, *given = operands_of(i, 3)
    function = names.split()[i.opcode == "max"]
    return [to.put(target, to.call(function, tuple(to.read(x, type_) for x in given), type_))]


def _absolute(to: Registers, i: Instruction) -> list[Statement]:
    name, type_ = one_type(i, "ftz")
    target, given = operands_of(i, 2)
    function = {"s32": "abs", "s64": "llabs", "f32": "fabsf", "f64": "fabs"}.get(name)
    if function is None:
        raise NotModelledError
    return [to.put(target, to.call(function, (to.read(given, type_),), type_))]


def _negative(to: Registers, i: Instruction) -> list[Statement]:
    _, type_ = one_type(i, "ftz")
    target, given = operands_of(i, 2)
    return [to.put(target, Unary(UnaryOp.NEG, to.read(given, type_), type_, to.span))]


# ---------------------------------------------------------------- logic and bits


def _bitwise(to: Registers, i: Instruction) -> list[Statement]:
    _, type_ = one_type(i)
    target, *given = operands_of(i, 3)
    if type_ == BOOL:
        a, b = (to.read(x, BOOL) for x in given)
        return [to.put(target, _of_truths(to, i.opcode, a, b))]
    type_ = _signed_as(to, target, type_)
    a, b = (to.read(x, type_) for x in given)
    return [to.put(target, _binary(to, _BITWISE[i.opcode], a, b, type_))]


def _of_truths(to: Registers, name: str, a: Expression, b: Expression) -> Expression:
    if name == "xor":
        return _binary(to, BinaryOp.NE, a, b, BOOL)
    return Logical(name == "and", a, b, BOOL, to.span)


def _not(to: Registers, i: Instruction) -> list[Statement]:
    _, type_ = one_type(i)
    target, given = operands_of(i, 2)
    if type_ == BOOL:
        return [to.put(target, Unary(UnaryOp.NOT, to.read(given, BOOL), BOOL, to.span))]
    type_ = _signed_as(to, target, type_)
    return [to.put(target, Unary(UnaryOp.BIT_NOT, to.read(given, type_), type_, to.span))]


def _shift(to: Registers, i: Instruction) -> list[Statement]:
    """Shifts; by as many bits as there are, or more, nothing of the number is left but its sign."""
    name, type_ = one_type(i)
    target, given, by = operands_of(i, 3)
    if not isinstance(type_, IntType):
        raise NotModelledError
    left = i.opcode == "shl"
    type_ = _signed_as(to, target, type_) if left else type_
    value, count = to.read(given, type_), to.read(by, UINT)
    op = BinaryOp.SHL if left else BinaryOp.SHR
    far: Expression = to.number(0, type_)
    if name.startswith("s") and not left:
        far = _binary(to, op, value, to.number(bits_of(type_) - 1, UINT), type_)
    near = _binary(to, BinaryOp.LT, count, to.number(bits_of(type_), UINT), BOOL)
    shifted = _binary(to, op, value, count, type_)
    if isinstance(by, Number):
        return [to.put(target, shifted if 0 <= by.value < bits_of(type_) else far)]
    return [to.put(target, Conditional(near, shifted, far, type_, to.span))]


def _field(to: Registers, i: Instruction) -> list[Statement]:
    """Bits of a word, from a constant position on (`bfe` without a sign)."""
    name, type_ = one_type(i)
    target, given, start, length = operands_of(i, 4)
    if not name.startswith("u") or not isinstance(type_, IntType):
        raise NotModelledError
    first, count = _constant(start), _constant(length)
    if first + count > type_.bits:
        raise NotModelledError
    moved = _binary(to, BinaryOp.SHR, to.read(given, type_), to.number(first, UINT), type_)
    return [to.put(target, _binary(to, BinaryOp.AND, moved, to.number((1 << count) - 1, type_), type_))]


def _constant(operand: Operand) -> int:
    if not isinstance(operand, Number) or not isinstance(operand.value, int) or operand.value < 0:
        raise NotModelledError
    return operand.value


def _lop3(to: Registers, i: Instruction) -> list[Statement]:
    """A logic function of three words, where its table is a common one."""
    _, type_ = one_type(i)
    target, *given, table = operands_of(i, 5)
    text = _LOP3.get(_constant(table))
    if text is None or type_ != UINT:
        raise NotModelledError
    type_ = _signed_as(to, target, type_)
    values = dict(zip("abc", (to.read(x, type_) for x in given), strict=True))
    found = values[text[0]]
    for op, name in zip(text[1::2], text[2::2], strict=True):
        found = _binary(to, BinaryOp(op), found, values[name], type_)
    return [to.put(target, found)]


def _counted(name: str, result: Type) -> Handler:
    """A function of one word that CUDA C++ has by a name for 32 bits, and with `ll` for 64."""

    def handler(to: Registers, i: Instruction) -> list[Statement]:
        _, type_ = one_type(i)
        target, given = operands_of(i, 2)
        wide = bits_of(type_) == 64
        kept = result if result == INT else type_
        return [to.put(target, to.call(name + "ll" * wide, (to.read(given, type_),), kept))]

    return handler


def _permuted(to: Registers, i: Instruction) -> list[Statement]:
    types_of(i)
    target, *given = operands_of(i, 4)
    return [to.put(target, to.call("__byte_perm", tuple(to.read(x, UINT) for x in given), UINT))]


def _funnel(to: Registers, i: Instruction) -> list[Statement]:
    types_of(i, "l r clamp wrap")
    target, *given = operands_of(i, 4)
    name = f"__funnelshift_{'l' if 'l' in i.modifiers else 'r'}{'c' if 'clamp' in i.modifiers else ''}"
    return [to.put(target, to.call(name, tuple(to.read(x, UINT) for x in given), UINT))]


# ---------------------------------------------------------------- comparison and selection


def _compared(to: Registers, i: Instruction) -> list[Statement]:
    """setp: a comparison, and with a further predicate its conjunction or the like; `p|q` gets the opposite, too."""
    if not i.modifiers or i.modifiers[0] not in _COMPARISONS:
        raise NotModelledError
    joint = next((m for m in i.modifiers if m in _BITWISE), None)
    name, type_ = one_type(i, f"{i.modifiers[0]} and or xor ftz")
    if isinstance(type_, FloatType) and i.modifiers[0] in ("ne", "lo", "ls", "hi", "hs"):
        raise NotModelledError  # of numbers only; false of NaN, which `!=` of C++ is not
    target, a, b, *more = operands_of(i, 3 if joint is None else 4)
    unsigned = i.modifiers[0] in ("lo", "ls", "hi", "hs")
    if isinstance(type_, IntType) and unsigned:
        type_ = IntType(type_.bits, False)
    elif name.startswith("b"):
        type_ = _signed_like(to, a, type_)
    test: Expression = _binary(to, _COMPARISONS[i.modifiers[0]], to.read(a, type_), to.read(b, type_), BOOL)
    tests = [test, Unary(UnaryOp.NOT, test, BOOL, to.span)]
    if joint is not None:
        other = to.read(more[0], BOOL)
        tests = [_of_truths(to, joint, t, other) for t in tests]
    targets = (target.first, target.second) if isinstance(target, Twofold) else (target,)
    made = [to.temporary("%p", BOOL) for _ in targets]
    return [
        *to.held(zip(made, tests, strict=False)),
        *(to.put(t, to.loaded(v)) for t, v in zip(targets, made, strict=True)),
    ]


def _signed_like(to: Registers, operand: Operand, type_: Type) -> Type:
    """A type without a sign with that of an operand."""
    own = to.plain(operand).type
    return own if isinstance(own, IntType) and bits_of(own) == bits_of(type_) else type_


def _selected(to: Registers, i: Instruction) -> list[Statement]:
    _, type_ = one_type(i)
    target, a, b, test = operands_of(i, 4)
    type_ = _held_type(to, target, type_)
    return [to.put(target, Conditional(to.read(test, BOOL), to.read(a, type_), to.read(b, type_), type_, to.span))]


def _held_type(to: Registers, target: Operand, type_: Type) -> Type:
    """The type of the register of a result, where its bits are those of `type_`."""
    own = to.variable(target).type
    return own if bits_of(own) == bits_of(type_) else type_


NUMBERS: Final[Mapping[str, Handler]] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(_BITWISE, _bitwise),
    "fma": _fused,
    "min": _extreme,
    "max": _extreme,
    "abs": _absolute,
    "neg": _negative,
    "not": _not,
    "shl": _shift,
    "shr": _shift,
    "bfe": _field,
    "lop3": _lop3,
    "popc": _counted("__popc", INT),
    "clz": _counted("__clz", INT),
    "brev": _counted("__brev", UINT),
    "prmt": _permuted,
    "shf": _funnel,
    "setp": _compared,
    "selp": _selected,
}
"""Instructions that compute, by opcode; they raise NotModelledError for forms that are not written out."""
