"""Models of library functions that compute a number from numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import isqrt
from typing import Final

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.program.types import ArrayType, FloatType, IntType, PointerType, Type
from hgrd.symbolic.arithmetic import extreme
from hgrd.symbolic.bit_functions import integer_function, standard_bit_function
from hgrd.symbolic.floats import nearest, rounded
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import Choice, FloatValue, MemoryObject, Pointer, Value
from hgrd.terms import (
    Term,
    as_int,
    bit_and,
    conj,
    const,
    disj,
    div,
    eq,
    greatest_common_divisor,
    ite,
    le,
    lt,
    maximum,
    minimum,
    mul,
    neg,
    read,
    shl,
    sub,
)


def _extremum(greatest: bool) -> LibraryModel:
    def model(call: LibraryCall) -> Value | None:
        if len(call.arguments) != 2:
            return _extremum_of_list(call, greatest)
        if all(_is_pointer_by_reference(call.type_of(i)) for i in range(2)):
            return _one_of(call)
        a, b = call.argument(0), call.argument(1)
        found = None if a is None or b is None else extreme(a, b, greatest=greatest)
        return None if found is None else call.as_result(found)

    return model


def _extremum_of_list(call: LibraryCall, greatest: bool) -> Value | None:
    """std::min and std::max of an initializer list, whose value is the address of its array."""
    match call.arguments:
        case (Pointer(target=MemoryObject(element=ArrayType(of=IntType() as type_, count=int() as count))) as array,):
            size = call.machine.size(type_) or 1
            places = (move(array, const(size * k)) for k in range(count))
            numbers = (load(call.machine, call.state, place, type_, call.span) for place in places)
            terms = [as_int(number) for number in numbers if isinstance(number, Term)]
            return reduce(maximum if greatest else minimum, terms) if terms and len(terms) == count else None
        case _:
            return None


def _is_pointer_by_reference(type_: Type | None) -> bool:
    return isinstance(type_, PointerType) and type_.reference and isinstance(type_.to, PointerType)


def _one_of(call: LibraryCall) -> Value | None:
    """A reference to one of two pointers: nobody knows which of the objects that they lead to comes first."""
    a, b = call.arguments
    if not isinstance(a, Pointer | Choice) or not isinstance(b, Pointer | Choice):
        return None
    return Choice(call.machine.unknown_truth(f"{call.name}?"), a, b)


def _clamp(call: LibraryCall) -> Value | None:
    """std::clamp(value, low, high): undefined unless low is at most high (C++ [alg.clamp])."""
    if len(call.arguments) != 3:
        return None
    value, low, high = (call.argument(i) for i in range(3))
    above = None if value is None or low is None else extreme(value, low, greatest=True)
    found = None if above is None or high is None else extreme(above, high, greatest=False)
    return None if found is None else call.as_result(found)


def _common_divisor(call: LibraryCall) -> Value | None:
    a, b = call.number(0), call.number(1)
    return None if a is None or b is None else greatest_common_divisor(a, b)


def _common_multiple(call: LibraryCall) -> Value | None:
    """|a| / gcd(a, b) * |b|, or 0 if one of them is 0; undefined where that leaves its type (C++ [numeric.ops.lcm])."""
    a, b = call.number(0), call.number(1)
    if a is None or b is None:
        return None
    product = mul(div(_size(a), greatest_common_divisor(a, b)), _size(b))
    return ite(disj(eq(a, const(0)), eq(b, const(0))), const(0), product)


def _size(number: Term) -> Term:
    return ite(lt(number, const(0)), neg(number), number)


def _rounding(up: bool) -> LibraryModel:
    def model(call: LibraryCall) -> Value | None:
        value = call.argument(0)
        if isinstance(value, Term):
            number = as_int(value)
            value = FloatValue(read("float", number), (number, 1))
        return rounded(value, up=up) if isinstance(value, FloatValue) else None

    return model


def _nearest(call: LibraryCall) -> Value | None:
    """std::round, and std::lround, whose result is an integer."""
    value = call.argument(0)
    found = nearest(value) if isinstance(value, FloatValue) else None
    if isinstance(call.call.type, FloatType):
        return found
    return None if found is None or found.exact is None else found.exact[0]


def _absolute(call: LibraryCall) -> Value | None:
    match call.argument(0):
        case Term() as value:
            return _size(as_int(value))
        case FloatValue(key=key, exact=(numerator, denominator)):
            return FloatValue(read("float abs", key), (_size(numerator), denominator))
        case _:
            return None


def _integral(value: Value | None) -> Term | None:
    """A number that is exactly an integer."""
    match value:
        case Term():
            return as_int(value)
        case FloatValue(exact=(numerator, 1)):
            return numerator
        case _:
            return None


def _power(call: LibraryCall) -> Value | None:
    """pow of integers, where the exponent is a small constant or the base is 2."""
    base, exponent = _integral(call.argument(0)), _integral(call.argument(1))
    if base is None or exponent is None:
        return None
    if exponent.is_const and 0 <= exponent.value <= 8:
        result = mul(*[base] * exponent.value)
    elif base is const(2) and exponent.low >= 0:
        result = shl(const(1), exponent)
    else:
        return None
    return FloatValue(read("float pow", base, exponent), (result, 1))


def _root(call: LibraryCall) -> Value | None:
    """The square root of a constant square."""
    value = _integral(call.argument(0))
    if value is None or not value.is_const or value.value < 0 or isqrt(value.value) ** 2 != value.value:
        return None
    root = const(isqrt(value.value))
    return FloatValue(read("float", root), (root, 1))


def _logarithm(call: LibraryCall) -> Value | None:
    """log2 of a constant power of two."""
    value = _integral(call.argument(0))
    if value is None or not value.is_const or value.value <= 0 or value.value & (value.value - 1):
        return None
    result = const(value.value.bit_length() - 1)
    return FloatValue(read("float", result), (result, 1))


def _power_of_two(call: LibraryCall) -> Value | None:
    value = call.number(0)
    if value is None:
        return None
    return conj(le(const(1), value), eq(bit_and(value, sub(value, const(1))), const(0)))


def _of_bits(call: LibraryCall) -> Value | None:
    """std::popcount, std::bit_ceil and the like, of the width of their argument's type (C++ [bit])."""
    x, type_ = call.number(0), call.type_of(0)
    if x is None or not isinstance(type_, IntType):
        return None
    return standard_bit_function(call.name, x, type_.bits)


def _intrinsic(call: LibraryCall) -> Value | None:
    """Functions of the compiler (GCC, "Other Built-in Functions")."""
    x = call.number(0)
    return None if x is None else integer_function(call.name, (x,))


NUMBERS: Final[Mapping[str, LibraryModel]] = {
    "minimum": _extremum(False),
    "maximum": _extremum(True),
    "clamp": _clamp,
    "greatest common divisor": _common_divisor,
    "least common multiple": _common_multiple,
    "ceiling": _rounding(True),
    "floor": _rounding(False),
    "nearest": _nearest,
    "absolute value": _absolute,
    "power": _power,
    "square root": _root,
    "logarithm": _logarithm,
    "power of two": _power_of_two,
    "function of bits": _of_bits,
    "intrinsic": _intrinsic,
}
"""The models of families of functions (`LIBC_FAMILIES`)."""
