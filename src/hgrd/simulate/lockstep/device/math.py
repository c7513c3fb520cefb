"""Device functions of numbers: mathematics and conversions.

CUDA Math API.  Arguments come with the dtypes of their C types; results are converted to the C result type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from hgrd.simulate.lockstep.arithmetic import (
    F32,
    F64,
    I32,
    I64,
    U32,
    U64,
    BinaryFunction,
    DType,
    NumpyFunction,
    Three,
    UnaryFunction,
    Value,
    conversion,
    where,
)

_ERF = np.vectorize(math.erf, otypes=[np.float64])
_GAMMA = np.vectorize(math.lgamma, otypes=[np.float64])


def _tgamma(x: Value) -> Value:
    return np.vectorize(math.gamma, otypes=[np.float64])(x)


def _wide(function: UnaryFunction) -> UnaryFunction:
    """Computed in double, given in the type of the argument."""

    def run(x: Value) -> Value:
        return np.asarray(function(x.astype(F64))).astype(x.dtype)[()]

    return run


def _erf(x: Value) -> Value:
    return _ERF(x)


def _erfc(x: Value) -> Value:
    return np.vectorize(math.erfc, otypes=[np.float64])(x)


def _normcdf(x: Value) -> Value:
    return 0.5 * _erfc(-x / math.sqrt(2.0))


def _normal_quantile(x: float) -> float:
    """The inverse of the normal distribution function."""
    if 0 < x < 1:
        return NormalDist().inv_cdf(x)
    return math.copysign(math.inf, x - 0.5) if x in (0, 1) else math.nan


_QUANTILE = np.vectorize(_normal_quantile, otypes=[np.float64])


def _normcdfinv(x: Value) -> Value:
    return _QUANTILE(x)


def _erfinv(x: Value) -> Value:
    return _QUANTILE((1 + x) / 2) / math.sqrt(2.0)


def _erfcinv(x: Value) -> Value:
    return -_QUANTILE(x / 2) / math.sqrt(2.0)


def _erfcx(x: Value) -> Value:
    """exp(x * x) * erfc(x); of large numbers by the first parts of the asymptotic series."""
    far = (1 - 0.5 / (x * x)) / (x * math.sqrt(math.pi))
    near = np.minimum(x, 20.0)
    return where(x > 20, far, np.exp(near * near) * _erfc(near))


def _bessel_i0(x: Value) -> Value:
    return np.i0(x)


def _bessel_i1(x: Value) -> Value:
    """The mean of exp(x cos t) cos t: the derivative of the integral for i0."""
    angles = np.linspace(0, 2 * np.pi, 256, endpoint=False)
    return np.mean(np.exp(np.multiply.outer(x, np.cos(angles))) * np.cos(angles), axis=-1)


def _norm3(a: Value, c: Value, d: Value) -> Value:
    return np.sqrt(a * a + c * c + d * d)


def _norm4(a: Value, c: Value, d: Value, e: Value) -> Value:
    return np.sqrt(a * a + c * c + d * d + e * e)


def _reciprocal_norm3(a: Value, c: Value, d: Value) -> Value:
    return _reciprocal(_norm3(a, c, d))


def _reciprocal_norm4(a: Value, c: Value, d: Value, e: Value) -> Value:
    return _reciprocal(_norm4(a, c, d, e))


def _exponent(x: Value) -> Value:
    """ilogb, logb of a number that is not 0."""
    return np.frexp(x)[1] - 1


def _fused(a: Value, c: Value, d: Value) -> Value:
    """a * c + d: for float rounded twice, the product in double being exact."""
    if a.dtype == F32:
        return (a.astype(F64) * c.astype(F64) + d.astype(F64)).astype(F32)
    return a * c + d


def _power(a: Value, c: Value) -> Value:
    return np.power(a, c.astype(a.dtype))


def _ldexp(a: Value, c: Value) -> Value:
    return np.ldexp(a, c.astype(np.int32)).astype(a.dtype)


def _round_away(x: Value) -> Value:
    """Halves away from zero (C, `round`)."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0).astype(x.dtype)


def _saturate(x: Value) -> Value:
    clipped: Value = np.where(np.isnan(x), 0, np.clip(x, 0, 1))
    return clipped.astype(x.dtype)[()]


_F1: dict[str, UnaryFunction] = {
    "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "rint": np.rint, "nearbyint": np.rint, "round": _round_away, "cbrt": np.cbrt, "erf": _wide(_erf),
    "erfc": _wide(_erfc), "lgamma": _wide(_GAMMA), "tgamma": _wide(_tgamma), "normcdf": _wide(_normcdf),
    "rsqrt": lambda x: (1 / np.sqrt(x)).astype(x.dtype), "rcbrt": lambda x: (1 / np.cbrt(x)).astype(x.dtype),
    "exp10": lambda x: np.power(x.dtype.type(10), x), "sinpi": _wide(lambda x: np.sin(np.pi * x)),
    "cospi": _wide(lambda x: np.cos(np.pi * x)), "lrint": np.rint, "llrint": np.rint, "lround": _round_away,
    "llround": _round_away, "logb": _exponent, "ilogb": _exponent, "normcdfinv": _wide(_normcdfinv),
    "erfinv": _wide(_erfinv), "erfcinv": _wide(_erfcinv), "erfcx": _wide(_erfcx),
    "cyl_bessel_i0": _wide(_bessel_i0), "cyl_bessel_i1": _wide(_bessel_i1),
}  # fmt: skip
_F2: dict[str, BinaryFunction] = {
    "pow": _power, "powi": _power, "fmod": np.fmod, "fmin": np.fmin, "fmax": np.fmax, "atan2": np.arctan2,
    "copysign": np.copysign, "hypot": np.hypot, "fdim": lambda a, c: where(a > c, a - c, a.dtype.type(0)),
    "ldexp": _ldexp, "scalbn": _ldexp, "nextafter": np.nextafter, "fdivide": np.true_divide, "scalbln": _ldexp,
    "remainder": lambda a, c: a - c * np.rint(a / c),
    "rhypot": lambda a, c: (1 / np.hypot(a, c)).astype(a.dtype),
}  # fmt: skip
_F3: dict[str, Three] = {
    "fma": _fused,
    "norm3d": _norm3,
    "rnorm3d": _reciprocal_norm3,
}
_F4: dict[str, NumpyFunction] = {
    "norm4d": _norm4,
    "rnorm4d": _reciprocal_norm4,
}
_TESTS: dict[str, UnaryFunction] = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit, "__isnanf": np.isnan,
    "__isinff": np.isinf, "__isnan": np.isnan, "__isinf": np.isinf, "__finite": np.isfinite, "finite": np.isfinite,
    "__finitef": np.isfinite, "isnanf": np.isnan, "isinff": np.isinf, "__signbitf": np.signbit,
}  # fmt: skip


# ---------------------------------------------------------------- conversions


def _as(to: DType) -> UnaryFunction:
    def run(x: Value) -> Value:
        return x.view(to)

    return run


def _rounded(to: DType, mode: str) -> UnaryFunction:
    rounding: dict[str, UnaryFunction] = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}

    def run(x: Value) -> Value:
        cast = conversion(x.dtype, to)
        if to.kind == "f":
            return _towards(mode, _same, to)(x)
        if x.dtype.kind == "f":
            x = rounding[mode](x)
        return x if cast is None else cast(x)

    return run


def _absolute(x: Value) -> Value:
    return np.abs(x)


def _minimum(a: Value, c: Value) -> Value:
    return np.fmin(a, c) if a.dtype.kind == "f" else np.minimum(*_common(a, c))


def _maximum(a: Value, c: Value) -> Value:
    return np.fmax(a, c) if a.dtype.kind == "f" else np.maximum(*_common(a, c))


def _common(a: Value, c: Value) -> tuple[Value, Value]:
    """The usual arithmetic conversions of two integers: unsigned wins at equal width."""
    if a.dtype == c.dtype:
        return a, c
    wide = max(a.dtype, c.dtype, key=lambda d: (d.itemsize, d.kind == "u"))
    return a.astype(wide), c.astype(wide)


def _reciprocal(x: Value) -> Value:
    return (1 / x).astype(x.dtype)


# ---------------------------------------------------------------- rounded arithmetic

Exactly: TypeAlias = Callable[..., tuple[Value, Value]]
"""Gives a result in a wider type, and of what that leaves out at least the sign."""


def _same(a: Value) -> tuple[Value, Value]:
    return a, a.dtype.type(0)


def _sum(a: Value, c: Value) -> tuple[Value, Value]:
    """The sum and its rounding error (Knuth's two-sum)."""
    found = a + c
    other = found - a
    return found, (a - (found - other)) + (c - other)


def _difference(a: Value, c: Value) -> tuple[Value, Value]:
    return _sum(a, -c)


def _product(a: Value, c: Value) -> tuple[Value, Value]:
    return a * c, a.dtype.type(0)


def _quotient(a: Value, c: Value) -> tuple[Value, Value]:
    return a / c, a.dtype.type(0)


def _inverse(a: Value) -> tuple[Value, Value]:
    return 1 / a, a.dtype.type(0)


def _root(a: Value) -> tuple[Value, Value]:
    return np.sqrt(a), a.dtype.type(0)


def _product_and_sum(a: Value, c: Value, d: Value) -> tuple[Value, Value]:
    return _sum(a * c, d)


_ARITHMETIC: dict[str, Exactly] = {
    "add": _sum, "sub": _difference, "mul": _product, "div": _quotient, "rcp": _inverse, "sqrt": _root,
}  # fmt: skip


def _towards(mode: str, exactly: Exactly, to: DType | None = None) -> NumpyFunction:
    """An operation rounded to nearest (rn), towards zero (rz), downwards (rd) or upwards (ru)."""

    def run(*given: Value) -> Value:
        dtype = to or given[0].dtype
        value, rest = exactly(*[x.astype(F64 if x.dtype == F32 else np.longdouble) for x in given])
        near = np.asarray(value).astype(dtype)
        above = (near > value) | ((near == value) & (rest < 0))
        below = (near < value) | ((near == value) & (rest > 0))
        downwards, upwards = (
            (mode == "rd") | ((mode == "rz") & (near > 0)),
            (mode == "ru") | ((mode == "rz") & (near < 0)),
        )
        near = np.where(above & downwards, np.nextafter(near, dtype.type(-np.inf)), near)
        return np.where(below & upwards, np.nextafter(near, dtype.type(np.inf)), near)[()]

    return run


def _table() -> dict[str, NumpyFunction]:
    made: dict[str, NumpyFunction] = dict(_TESTS)
    for names in (_F1, _F2, _F3, _F4):
        for name, function in names.items():
            made[name] = made[f"{name}f"] = function
    for name in ("sin", "cos", "tan", "exp", "log", "log2", "log10", "exp10", "tanh"):
        made[f"__{name}f"] = _F1[name]
    made["__powf"], made["__fdividef"], made["__saturatef"] = _power, np.true_divide, _saturate
    for mode in ("rn", "rz", "rd", "ru"):
        for name, exactly in _ARITHMETIC.items():
            made[f"__f{name}_{mode}"] = made[f"__d{name}_{mode}"] = _towards(mode, exactly)
        for name in ("__fmaf_ieee", "__fmaf", "__fma"):
            made[f"{name}_{mode}"] = _towards(mode, _product_and_sum)
        for name, to in {"int": I32, "uint": U32, "ll": I64, "ull": U64}.items():
            for source, floating in {"float": F32, "double": F64}.items():
                made[f"__{source}2{name}_{mode}"] = _rounded(to, mode)
                made[f"__{name}2{source}_{mode}"] = _rounded(floating, mode)
        made[f"__double2float_{mode}"] = _rounded(F32, mode)
    made["__frsqrt_rn"] = _F1["rsqrt"]
    return made


_ONE: dict[str, UnaryFunction] = {
    "abs": _absolute, "labs": _absolute, "llabs": _absolute,
    "__float_as_int": _as(I32), "__float_as_uint": _as(U32), "__int_as_float": _as(F32), "__uint_as_float": _as(F32),
    "float_as_int": _as(I32), "float_as_uint": _as(U32), "int_as_float": _as(F32), "uint_as_float": _as(F32),
    "__double_as_longlong": _as(I64), "__longlong_as_double": _as(F64),
    "__double2hiint": lambda x: (x.view(np.int64) >> np.int64(32)).astype(I32),
    "__double2loint": lambda x: x.view(np.int64).astype(I32),
}  # fmt: skip
_TWO: dict[str, BinaryFunction] = {
    "min": _minimum,
    "max": _maximum,
    "umin": _minimum,
    "umax": _maximum,
    "llmin": _minimum,
    "llmax": _maximum,
    "ullmin": _minimum,
    "ullmax": _maximum,
}
FUNCTIONS: dict[str, NumpyFunction] = {**_table(), **_ONE, **_TWO}
"""By name, without `__builtin_`."""
