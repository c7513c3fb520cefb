"""C's operators on symbolic values."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type
from hgrd.symbolic.values import (
    NULL,
    OPAQUE,
    Choice,
    FloatValue,
    FunctionValue,
    MemoryObject,
    MemorySpace,
    NullValue,
    Pointer,
    Rational,
    Value,
)
from hgrd.terms import (
    FALSE,
    TRUE,
    Op,
    Origin,
    Symbol,
    Term,
    add,
    as_bool,
    as_int,
    bit_and,
    bit_or,
    bit_xor,
    conj,
    const,
    disj,
    div,
    eq,
    ite,
    le,
    lt,
    maximum,
    minimum,
    mod,
    mul,
    ne,
    neg,
    negate,
    read,
    shl,
    shr,
    sub,
    var,
    wrap,
)

_FAR = 1 << 40  # bytes between two objects

_PRECISION = {16: 11, 32: 24, 64: 53}  # binary digits (IEEE 754)
_KEEPING_INFINITY = {"ceil of", "floor of", "float neg", *(f"float{bits} of" for bits in _PRECISION)}
_OF_INTEGERS = {"float", *(f"float{bits} of int" for bits in _PRECISION)}
_SHIFTS = {BinaryOp.SHL, BinaryOp.SHR}
_EQUALITIES = (BinaryOp.EQ, BinaryOp.NE)
_COMPARISONS = {BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE}
_INTEGER = {
    BinaryOp.ADD: add,
    BinaryOp.SUB: sub,
    BinaryOp.MUL: mul,
    BinaryOp.DIV: div,
    BinaryOp.REM: mod,
    BinaryOp.AND: bit_and,
    BinaryOp.OR: bit_or,
    BinaryOp.XOR: bit_xor,
    BinaryOp.SHL: shl,
    BinaryOp.SHR: shr,
}
_QUOTIENTS = {"float /", "float16 /", "float64 /"}


def is_comparison(op: BinaryOp) -> bool:
    return op in _COMPARISONS


def reduced(term: Term, type_: Type) -> Term:
    """The result of arithmetic in `type_`: a correct program does not leave the type's range."""
    if isinstance(type_, IntType):
        return wrap(term, type_.bits, type_.signed, soft=True)
    return term


def integer(op: BinaryOp, a: Term, b: Term, type_: Type) -> Term:
    """`a op b` on integers; comparisons give a Boolean term."""
    match op:
        case BinaryOp.EQ:
            return eq(a, b)
        case BinaryOp.NE:
            return ne(a, b)
        case BinaryOp.LT:
            return lt(as_int(a), as_int(b))
        case BinaryOp.LE:
            return le(as_int(a), as_int(b))
        case BinaryOp.GT:
            return lt(as_int(b), as_int(a))
        case BinaryOp.GE:
            return le(as_int(b), as_int(a))
        case BinaryOp.AND if a.is_bool and b.is_bool:
            return conj(a, b)
        case BinaryOp.OR if a.is_bool and b.is_bool:
            return disj(a, b)
        case _:
            return reduced(_INTEGER[op](as_int(a), as_int(b)), type_)


def binary(op: BinaryOp, a: Value, b: Value, type_: Type) -> Value | None:
    """`a op b` in `type_`; None where nothing is known of the result."""
    match a, b:
        case Term(), Term():
            return integer(op, a, b, type_)
        case FloatValue(), FloatValue():
            return _floating(op, a, b, type_)
        case _ if op in _COMPARISONS:
            return _compare_pointers(op, a, b)
        case _:
            return None


def computed(name: str, type_: Type) -> str:
    """What stands for a computation in floating point: in double precision it rounds otherwise than in single."""
    return (
        f"float {name}" if type_ == FloatType(32) or not isinstance(type_, FloatType) else f"float{type_.bits} {name}"
    )


def _floating(op: BinaryOp, a: FloatValue, b: FloatValue, type_: Type) -> Value | None:
    if op in _COMPARISONS:
        if a.exact is None or b.exact is None:
            return None
        return integer(op, mul(a.exact[0], const(b.exact[1])), mul(b.exact[0], const(a.exact[1])), BoolType())
    exact = _exact(op, a.exact, b.exact)
    rounds = type_ in (FloatType(32), FloatType(64))
    near = _near_product(a, b) if op is BinaryOp.MUL and exact is None and rounds else None
    return FloatValue(read(computed(op.value, type_), a.key, b.key), exact, near)


def _near_product(a: FloatValue, b: FloatValue) -> tuple[Rational, Rational] | None:
    """Two rationals around the product of an integer and a constant that is no fraction of small numbers."""
    for whole, factor in ((a, b), (b, a)):
        if whole.exact is not None and whole.exact[1] == 1 and factor.near is not None:
            (x, d), (y, e) = factor.near
            if x.is_const and y.is_const:
                return (mul(whole.exact[0], x), d), (mul(whole.exact[0], y), e)
    return None


def _exact(op: BinaryOp, a: tuple[Term, int] | None, b: tuple[Term, int] | None) -> tuple[Term, int] | None:
    """The result as a fraction; what has been divided by another number than a power of two is rounded already."""
    if a is None or b is None or not (_power_of_two(a[1]) and _power_of_two(b[1])):
        return None
    (n, d), (m, e) = a, b
    match op:
        case BinaryOp.ADD:
            return add(mul(n, const(e)), mul(m, const(d))), d * e
        case BinaryOp.SUB:
            return sub(mul(n, const(e)), mul(m, const(d))), d * e
        case BinaryOp.MUL:
            return mul(n, m), d * e
        case BinaryOp.DIV if m.is_const and m.value > 0:
            return mul(n, const(e)), d * m.value
        case _:
            return None


def _compare_pointers(op: BinaryOp, a: Value, b: Value) -> Term | None:
    match a, b:
        case Pointer(), Pointer() if a.target == b.target:
            return integer(op, a.offset, b.offset, BoolType())
        case (NullValue(), NullValue()):
            return TRUE if op in (BinaryOp.EQ, BinaryOp.LE, BinaryOp.GE) else FALSE
        case (Pointer() as pointer, NullValue()) | (NullValue(), Pointer() as pointer) if op in _EQUALITIES:
            return _null(pointer) if op is BinaryOp.EQ else negate(_null(pointer))
        case Pointer(), Pointer() if _found(a) and _found(b):
            return integer(op, a.offset, b.offset, BoolType())
        case Pointer(), Pointer() if from_outside(a.target) or from_outside(b.target):
            return integer(op, a.offset, add(b.offset, distance(a.target, b.target)), BoolType())
        case Pointer(), Pointer() if op in _EQUALITIES and not _found(a) and not _found(b):
            return TRUE if op is BinaryOp.NE else FALSE
        case (FunctionValue(function=f), FunctionValue(function=g)) if f.key == g.key:
            return TRUE if op in (BinaryOp.EQ, BinaryOp.LE, BinaryOp.GE) else FALSE
        case (FunctionValue() | NullValue(), FunctionValue() | NullValue()) if op in (BinaryOp.EQ, BinaryOp.NE):
            return TRUE if op is BinaryOp.NE else FALSE
        case Choice(condition=c, then=x, otherwise=y), _:
            then, other = _compare_pointers(op, x, b), _compare_pointers(op, y, b)
            return None if then is None or other is None else ite(c, then, other)
        case _, Choice(condition=c, then=x, otherwise=y):
            then, other = _compare_pointers(op, a, x), _compare_pointers(op, a, y)
            return None if then is None or other is None else ite(c, then, other)
        case _:
            return None


def _found(pointer: Pointer) -> bool:
    """Whether memory holds it: its offset is then all of its address."""
    return pointer.target.key.startswith("*") and not pointer.offset.is_const


def from_outside(target: MemoryObject) -> bool:
    """Whether host code has it from code that is not given: the pointer may be null, or lead into another object."""
    return target.external and target.space is MemorySpace.HOST


def distance(a: MemoryObject, b: MemoryObject) -> Term:
    """How far `b` begins behind `a`: a symbol, or its negation."""
    one, two = a.key, b.key
    name = f"{max(one, two)} - {min(one, two)}"
    between = var(Symbol(name, -_FAR, _FAR, Origin.ADDRESS))
    return between if one < two else neg(between)


def _null(pointer: Pointer) -> Term:
    """Whether it is null: only what is found in memory or comes from outside may be; all else leads to an object."""
    if from_outside(pointer.target):
        return ne(var(Symbol(f"{pointer.target.key} is null", 0, 1, Origin.ADDRESS)), const(0))
    return eq(pointer.offset, const(0)) if _found(pointer) else FALSE


def unary(op: UnaryOp, a: Value, type_: Type) -> Value | None:
    match a, op:
        case Term(), UnaryOp.NOT:
            return negate(as_bool(a))
        case Term(), UnaryOp.NEG:
            return reduced(neg(as_int(a)), type_)
        case Term(), UnaryOp.BIT_NOT:
            return _complement(as_int(a), type_)
        case FloatValue(), UnaryOp.NEG:
            exact = None if a.exact is None else (neg(a.exact[0]), a.exact[1])
            return FloatValue(read("float neg", a.key), exact)
        case _, UnaryOp.NOT:
            truth = truth_of(a)
            return None if truth is None else negate(truth)
        case _:
            return None


def _complement(a: Term, type_: Type) -> Term:
    """`~a`: -1 - a, which for an unsigned type is its greatest value minus a."""
    if isinstance(type_, IntType) and not type_.signed:
        return sub(const((1 << type_.bits) - 1), a)
    return sub(const(-1), a)


def truth_of(value: Value) -> Term | None:
    """A value as a condition; None where nothing is known of it."""
    match value:
        case Term():
            return as_bool(value)
        case Pointer():
            return negate(_null(value))
        case FunctionValue():
            return TRUE
        case NullValue():
            return FALSE
        case Choice(condition=c, then=a, otherwise=b):
            x, y = truth_of(a), truth_of(b)
            return None if x is None or y is None else ite(c, x, y)
        case FloatValue(exact=(numerator, _)):
            return ne(numerator, const(0))
        case _:
            return None


def move(pointer: Value, distance: Term) -> Value:
    """`pointer` plus `distance` bytes."""
    match pointer:
        case Pointer(target=target, offset=offset):
            return Pointer(target, add(offset, distance))
        case Choice(condition=c, then=a, otherwise=b):
            x, y = move(a, distance), move(b, distance)
            if isinstance(x, Pointer | Choice | NullValue) and isinstance(y, Pointer | Choice | NullValue):
                return Choice(c, x, y)
            return OPAQUE
        case NullValue():
            return NULL
        case _:
            return OPAQUE


def difference(a: Value, b: Value, stride: int) -> Term | None:
    match a, b:
        case Pointer(), Pointer() if a.target == b.target and stride > 0:
            return div(sub(a.offset, b.offset), const(stride))
        case _:
            return None


def convert(value: Value, source: Type, target: Type, *, explicit: bool) -> Value | None:
    """`(target) value`; None where nothing is known of the result."""
    match target:
        case BoolType():
            return truth_of(value)
        case IntType():
            return _to_integer(value, source, target, explicit=explicit)
        case FloatType():
            return _to_float(value, source, target)
        case PointerType():
            if isinstance(value, Term) and value.is_const and value.value == 0:
                return NULL
            return None if isinstance(value, Term | FloatValue) else value
        case _:
            return value


def _to_integer(value: Value, source: Type, target: IntType, *, explicit: bool) -> Term | None:
    match value:
        case Term():
            return _narrow(as_int(value), source, target, explicit=explicit)
        case FloatValue(exact=(numerator, denominator)):
            return reduced(div(numerator, const(denominator)), target)
        case _:
            return None


def _narrow(term: Term, source: Type, target: IntType, *, explicit: bool) -> Term:
    """Integer conversion.

    An explicit cast of a signed value to unsigned, and anything that cuts below 32 bits, is part of the
    meaning of the program; elsewhere a correct program does not change the value.
    """
    changes_sign = explicit and not target.signed and isinstance(source, IntType) and source.signed
    return wrap(term, target.bits, target.signed, soft=not (changes_sign or target.bits < 32))


def _to_float(value: Value, source: Type, target: FloatType) -> FloatValue | None:
    """The number, rounded where the type may not have it (C++ [conv.double], [conv.fpint])."""
    match value:
        case Term():
            number = as_int(value)
            exact = (number, 1)
            name = "float" if _has(target, exact) else f"float{target.bits} of int"
            return FloatValue(read(name, number), exact)
        case FloatValue(key=key, exact=exact):
            narrower = isinstance(source, FloatType) and source.bits > target.bits
            if not narrower or (exact is not None and _has(target, exact)):
                return replace(value, key=_widened(key, target))
            near = value.near if target.bits >= 32 else None  # which rounding to 11 digits could get past
            return FloatValue(read(f"float{target.bits} of", key), exact, near)
        case _:
            return None


def _widened(key: Term, target: FloatType) -> Term:
    """An integer that a narrower type has rounded is not the one that a wider type makes of it."""
    rounded_before = key.op is Op.READ and key.array == "float32 of int" and target.bits > 32
    return read(f"float{target.bits} of", key) if rounded_before else key


def _has(type_: FloatType, number: tuple[Term, int]) -> bool:
    """Whether a type certainly has a number."""
    numerator, denominator = number
    most = 1 << _PRECISION.get(type_.bits, 53)
    return _power_of_two(denominator) and -most <= numerator.low and numerator.high <= most


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def divisors(value: FloatValue) -> Iterator[Term]:
    """The integer that a quotient has been divided by: a zero would make it infinite, or no number at all."""
    key = value.key
    while key.op is Op.READ and len(key.args) == 1 and key.array in _KEEPING_INFINITY:
        (key,) = key.args
    if key.op is Op.READ and key.array in _QUOTIENTS:
        for divisor in key.args[1:]:
            if divisor.op is Op.READ and divisor.array in _OF_INTEGERS:
                yield from divisor.args


def rounded(value: FloatValue, *, up: bool) -> FloatValue:
    """ceil or floor."""
    key = read("ceil of" if up else "floor of", value.key)
    exact = None if value.exact is None else _rounded(value.exact, up=up)
    near = None if value.near is None else (_rounded(value.near[0], up=up), _rounded(value.near[1], up=up))
    return FloatValue(key, exact, near)


def _rounded(number: Rational, *, up: bool) -> Rational:
    numerator, denominator = number
    if denominator == 1:
        return number
    bias = const(denominator - 1)
    positive = div(add(numerator, bias), const(denominator)) if up else div(numerator, const(denominator))
    negative = div(numerator, const(denominator)) if up else div(sub(numerator, bias), const(denominator))
    return ite(le(const(0), numerator), positive, negative), 1


def extreme(a: Value, b: Value, *, greatest: bool) -> Value | None:
    """min or max."""
    match a, b:
        case Term(), Term():
            return (maximum if greatest else minimum)(as_int(a), as_int(b))
        case FloatValue(), FloatValue():
            key = read("float max" if greatest else "float min", a.key, b.key)
            if a.exact is None or b.exact is None:
                return FloatValue(key)
            (n, d), (m, e) = a.exact, b.exact
            x, y = mul(n, const(e)), mul(m, const(d))
            return FloatValue(key, ((maximum if greatest else minimum)(x, y), d * e))
        case _:
            return None
