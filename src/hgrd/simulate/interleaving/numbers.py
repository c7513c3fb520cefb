"""Device functions of numbers for one thread: mathematics, conversions and rounded arithmetic, on exact numbers.

CUDA Math API.  A result is computed once, and rounded once to its type.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from hgrd.program.expressions import BinaryOp
from hgrd.program.types import FloatType, IntType, Type
from hgrd.simulate import scalars
from hgrd.simulate.interleaving.integers import of_integers
from hgrd.simulate.scalars import Scalar

Number = int | float


def _infinite_at(pole: Number, value: float, function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: value if x == pole else function(x)


def _quantile(p: float) -> float:
    """The inverse of the normal distribution function, by bisection."""
    if not 0 < p < 1:
        return math.inf if p == 1 else -math.inf if p == 0 else math.nan
    low, high = -40.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.5 * math.erfc(-middle / math.sqrt(2)) < p else (low, middle)
    return (low + high) / 2


def _bessel(order: int, x: float) -> float:
    """Modified Bessel function, by its series."""
    return sum((x / 2) ** (2 * k + order) / (math.factorial(k) * math.factorial(k + order)) for k in range(80))


def _scaled_complement(x: float) -> float:
    return math.exp(x * x) * math.erfc(x) if x < 20 else (1 - 0.5 / (x * x)) / (x * math.sqrt(math.pi))


def _away(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


def _to_even(x: float) -> float:
    return math.copysign(round(x), x) if math.isfinite(x) else x


def _real_power(x: float, y: float) -> float:
    try:
        found = x**y
    except ZeroDivisionError:
        return math.inf
    return math.nan if isinstance(found, complex) else found


def _inverse(x: float) -> float:
    return 1 / x if x else math.inf


def _norm(*parts: float) -> float:
    return math.sqrt(sum(x * x for x in parts))


def _quotient(x: float, y: float) -> float:
    return scalars.number(scalars.binary(BinaryOp.DIV, x, y, FloatType(64)))


def _fused(x: float, y: float, z: float) -> float:
    return float(Fraction(x) * Fraction(y) + Fraction(z))


def _inverse_norm(*parts: float) -> float:
    return _inverse(_norm(*parts))


_OF_ONE: dict[str, Callable[[float], float]] = {
    **{
        name: getattr(math, name)
        for name in (
            *("sqrt", "exp", "exp2", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
            *("asinh", "acosh", "atanh", "fabs", "cbrt", "erf", "erfc", "lgamma"),
        )
    },
    **{name: _infinite_at(0, -math.inf, getattr(math, name)) for name in ("log", "log2", "log10")},
    "log1p": _infinite_at(-1, -math.inf, math.log1p),
    "floor": lambda x: float(math.floor(x)) if math.isfinite(x) else x,
    "ceil": lambda x: float(math.ceil(x)) if math.isfinite(x) else x,
    "trunc": lambda x: float(math.trunc(x)) if math.isfinite(x) else x,
    **dict.fromkeys(("rint", "nearbyint", "lrint", "llrint"), _to_even),
    **dict.fromkeys(("round", "lround", "llround"), _away),
    "tgamma": math.gamma,
    "normcdf": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
    "normcdfinv": _quantile,
    "erfinv": lambda x: _quantile((1 + x) / 2) / math.sqrt(2),
    "erfcinv": lambda x: -_quantile(x / 2) / math.sqrt(2),
    "erfcx": _scaled_complement,
    "cyl_bessel_i0": lambda x: _bessel(0, x),
    "cyl_bessel_i1": lambda x: _bessel(1, x),
    "rsqrt": lambda x: _inverse(math.sqrt(x)),
    "rcbrt": lambda x: _inverse(math.cbrt(x)),
    "exp10": lambda x: 10.0**x,
    "sinpi": lambda x: math.sin(math.pi * x),
    "cospi": lambda x: math.cos(math.pi * x),
    "logb": lambda x: float(math.frexp(x)[1] - 1),
    "ilogb": lambda x: float(math.frexp(x)[1] - 1),
    "saturate": lambda x: min(max(x, 0.0), 1.0),
}
_OF_TWO: dict[str, Callable[[float, float], float]] = {
    **{name: getattr(math, name) for name in ("fmod", "atan2", "copysign", "hypot", "nextafter", "remainder")},
    **dict.fromkeys(("pow", "powi"), _real_power),
    "fdim": lambda x, y: max(x - y, 0.0),
    "ldexp": lambda x, n: math.ldexp(x, int(n)),
    "scalbn": lambda x, n: math.ldexp(x, int(n)),
    "scalbln": lambda x, n: math.ldexp(x, int(n)),
    "fdivide": _quotient,
    "rhypot": lambda x, y: _inverse(math.hypot(x, y)),
}
_OF_REALS: dict[str, Callable[..., float]] = {
    **_OF_ONE,
    **_OF_TWO,
    **dict.fromkeys(("norm3d", "norm4d"), _norm),
    **dict.fromkeys(("rnorm3d", "rnorm4d"), _inverse_norm),
    "fma": _fused,
}
_TESTS: dict[str, Callable[[float], bool]] = {
    "isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite, "finite": math.isfinite,
    "signbit": lambda x: math.copysign(1, x) < 0,
}  # fmt: skip


def _exactly(operation: str, values: list[Fraction]) -> Fraction | None:
    """The exact result of an operation; None of those that are not known."""
    match operation, values:
        case "add", [x, y]:
            return x + y
        case "sub", [x, y]:
            return x - y
        case "mul", [x, y]:
            return x * y
        case "div", [x, y]:
            return x / y
        case "rcp", [x]:
            return 1 / x
        case (("fma" | "fmaf" | "fmaf_ieee"), [x, y, z]):
            return x * y + z
        case _:
            return None


_ROUNDED = re.compile(r"__(?:[fd](?=add|sub|mul|div|rcp|sqrt))?(\w+)_(r[nzdu])")
_CONVERTED = re.compile(r"__(?:float|double|u?int|u?ll)2(float|double|u?int|u?ll)_(r[nzdu])")
_WHOLE: dict[str, Callable[[float], float]] = {
    "rn": _to_even, "rz": _OF_ONE["trunc"], "rd": _OF_ONE["floor"], "ru": _OF_ONE["ceil"],
}  # fmt: skip
_BITS = {
    **{f"{low}{name}": formats for name, formats in (("float_as_int", "fi"), ("float_as_uint", "fI"),
    ("int_as_float", "if"), ("uint_as_float", "If")) for low in ("", "__")},
    "__double_as_longlong": "dq", "__longlong_as_double": "qd",
}  # fmt: skip


def arithmetic(name: str, type_: Type, values: list[Number]) -> Scalar | None:
    """The value of a function of numbers; None of functions that are not known."""
    name = name.removeprefix("__builtin_")
    for known in (of_integers(name, type_, values), _converted(name, type_, values), _rounded(name, type_, values)):
        if known is not None:
            return known
    if not isinstance(type_, FloatType | IntType):
        return _test(name, values)
    return _extreme(name, type_, values) if len(values) == 2 and _is_extreme(name) else _real(name, type_, values)


def _is_extreme(name: str) -> bool:
    return bool(re.fullmatch(r"(u|ll|ull|f)?(min|max)f?", name))


def _extreme(name: str, type_: Type, values: list[Number]) -> Scalar:
    a, b = (scalars.number(scalars.convert(v, type_)) for v in values)
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b) if "min" in name else max(a, b)


def _test(name: str, values: list[Number]) -> Scalar | None:
    test = _TESTS.get(name.strip("_").removesuffix("f")) or _TESTS.get(name.strip("_"))
    return None if test is None or len(values) != 1 else int(test(float(values[0])))


def _real(name: str, type_: Type, values: list[Number]) -> Scalar | None:
    plain = name.removeprefix("__")
    known = _OF_REALS.get(plain) or _OF_REALS.get(plain.removesuffix("f"))
    if known is None:
        return _test(name, values)
    try:
        return scalars.convert(known(*(float(v) for v in values)), type_)
    except (ValueError, ZeroDivisionError):
        return math.nan
    except OverflowError:
        return math.inf


def _converted(name: str, type_: Type, values: list[Number]) -> Scalar | None:
    formats = _BITS.get(name)
    if formats is not None and len(values) == 1:
        (bits,) = struct.unpack(f"<{formats[1]}", struct.pack(f"<{formats[0]}", values[0]))
        return bits
    match name, values:
        case "__double2hiint", [x]:
            return struct.unpack("<ii", struct.pack("<d", x))[1]
        case "__double2loint", [x]:
            return struct.unpack("<ii", struct.pack("<d", x))[0]
        case "__hiloint2double", [high, low]:
            return struct.unpack("<d", struct.pack("<ii", low, high))[0]
        case _:
            pass
    found = _CONVERTED.fullmatch(name)
    if found is None or len(values) != 1:
        return None
    if isinstance(type_, FloatType):
        return _directed(values[0], type_, found[2])
    return scalars.convert(_WHOLE[found[2]](float(values[0])), type_)


def _rounded(name: str, type_: Type, values: list[Number]) -> Scalar | None:
    """Arithmetic whose rounding is in its name."""
    found = _ROUNDED.fullmatch(name)
    if found is None or not isinstance(type_, FloatType):
        return None
    operation, mode = found.groups()
    if operation in ("sqrt", "frsqrt"):
        return _root(values[0], type_, mode, inverse=operation == "frsqrt")
    try:
        exact = _exactly(operation, [Fraction(v) for v in values])
    except (ValueError, OverflowError, ZeroDivisionError):  # of infinities, NaN and zeros
        return _plainly(operation, values, type_)
    return None if exact is None else _directed(exact, type_, mode)


def _plainly(operation: str, values: list[Number], type_: FloatType) -> Scalar:
    """Arithmetic on numbers that are no fractions: no rounding changes the result."""
    plain = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rcp": "/"}.get(operation)
    if plain is None:
        return math.nan
    left, right = (1.0, values[0]) if operation == "rcp" else (values[0], values[1])
    return scalars.binary(BinaryOp(plain), float(left), float(right), type_)


def _root(x: Number, type_: FloatType, mode: str, *, inverse: bool) -> Scalar:
    if x < 0 or not math.isfinite(x) or (inverse and x == 0):
        return math.nan if x < 0 or math.isnan(x) else 0.0 if inverse and x else math.inf
    scale = 1 << 300
    value = Fraction(x) if not inverse else 1 / Fraction(x)
    return _directed(Fraction(math.isqrt(int(value * scale * scale)), scale), type_, mode)


def _directed(exact: Fraction | Number, type_: FloatType, mode: str) -> float:
    """The number of a type next to an exact one, in a direction."""
    near = scalars.rounded(float(exact), type_.bits)
    if mode == "rn" or not math.isfinite(exact):
        return near
    above, below = near > exact, near < exact
    if above and (mode == "rd" or (mode == "rz" and exact > 0)):
        return _neighbour(near, -math.inf, type_)
    if below and (mode == "ru" or (mode == "rz" and exact < 0)):
        return _neighbour(near, math.inf, type_)
    return near


def _neighbour(x: float, towards: float, type_: FloatType) -> float:
    return float(np.nextafter(np.dtype(f"f{type_.bits // 8}").type(x), np.dtype(f"f{type_.bits // 8}").type(towards)))


def several(name: str, values: list[Number]) -> tuple[Number, ...] | None:
    """What a function returns, and then what it stores; None of functions that are not known."""
    plain = name.removeprefix("__")
    match plain.removesuffix("f") if not plain.startswith("vib") else plain[:6], values:
        case "sincos", [x]:
            return 0, math.sin(x), math.cos(x)
        case "sincospi", [x]:
            return 0, math.sin(math.pi * x), math.cos(math.pi * x)
        case (("modf" | "mod"), [x]):
            return math.modf(x)
        case (("frexp" | "frex"), [x]):
            return math.frexp(x)
        case "remquo", [_, 0]:
            return math.nan, 0
        case "remquo", [x, y]:
            whole = _to_even(x / y)
            return x - whole * y, int(math.copysign(abs(whole) % 8, whole))
        case ((("vibmax" | "vibmin") as which), [int(a), int(b)]):
            return _chosen_parts(which, name, a, b)
        case _:
            return None


def _chosen_parts(which: str, name: str, a: int, b: int) -> tuple[Number, ...]:
    """The greater or smaller of each pair of small integers; and, highest first, whether the first is that."""
    kind = IntType(16 if "x2" in name else 32, "_s" in name)
    total, tests = 0, list[int]()
    for at in range(0, 32, kind.bits):
        x, y = scalars.wrapped(a >> at, kind), scalars.wrapped(b >> at, kind)
        first = x >= y if which == "vibmax" else x <= y
        total |= scalars.wrapped(x if first else y, IntType(kind.bits, False)) << at
        tests.insert(0, int(first))
    return total, *tests
