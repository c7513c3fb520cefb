"""Device functions of numbers: mathematics, bits, conversions.

CUDA Math API.  Arguments come with the dtypes of their C types; results are converted to the C result type.
"""

from __future__ import annotations

import math

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
    "llround": _round_away, "logb": lambda x: np.floor(np.log2(np.abs(x))),
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
    "norm3d": lambda a, c, d: np.sqrt(a * a + c * c + d * d),
    "rnorm3d": lambda a, c, d: (1 / np.sqrt(a * a + c * c + d * d)).astype(a.dtype),
}
_TESTS: dict[str, UnaryFunction] = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit, "__isnanf": np.isnan,
    "__isinff": np.isinf, "__isnan": np.isnan, "__isinf": np.isinf, "__finite": np.isfinite, "finite": np.isfinite,
    "__finitef": np.isfinite, "isnanf": np.isnan, "isinff": np.isinf, "__signbitf": np.signbit,
}  # fmt: skip


# ---------------------------------------------------------------- bits


def popcount(x: Value) -> Value:
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"))


def _leading_zeros(x: Value) -> Value:
    bits = 8 * x.dtype.itemsize
    rest = np.atleast_1d(x).view(f"u{x.dtype.itemsize}").copy()
    zeros = np.full(rest.shape, bits, np.int32)
    for step in (32, 16, 8, 4, 2, 1):
        if step < bits:
            high = rest >> np.uint8(step)
            go = high != 0
            zeros -= np.where(go, step, 0).astype(np.int32)
            rest = np.where(go, high, rest)
    return _like(zeros - rest.astype(np.int32), x)


def _first_set(x: Value) -> Value:
    """Position of the lowest set bit, from 1; 0 where there is none."""
    lowest = x & -x
    return np.where(x == 0, 0, popcount(lowest - x.dtype.type(1)).astype(np.int32) + 1).astype(np.int32)[()]


def _set_bit(mask: Value, base: Value, offset: Value) -> Value:
    """__fns: the position of the offset-th set bit from `base` on, upwards or downwards (PTX ISA, `fns`)."""
    bits, start, count = np.broadcast_arrays(*(np.asarray(v).astype(I64) for v in (mask, base, offset)))
    here = (bits >> start & 1 == 1) & (count == 0)
    found = np.where(here, start, -1)
    left, step = np.abs(count), np.sign(count)
    for i in range(32):
        at = start + i * step
        hit = (left > 0) & (at >= 0) & (at < 32) & (bits >> np.clip(at, 0, 31) & 1 == 1)
        left = left - hit
        found = np.where(hit & (left == 0), at, found)
    return found.astype(U32)[()]


def _reversed_bits(x: Value) -> Value:
    bits = 8 * x.dtype.itemsize
    found = np.zeros_like(x)
    for i in range(bits):
        found = found | (((x >> x.dtype.type(i)) & x.dtype.type(1)) << x.dtype.type(bits - 1 - i))
    return found


def _like(found: Value, x: Value) -> Value:
    return found if isinstance(x, np.ndarray) else found[0]


def _high(a: Value, c: Value) -> Value:
    """The upper half of a product."""
    if a.dtype.itemsize == 4:
        wide = np.dtype(f"{a.dtype.kind}8")
        return ((a.astype(wide) * c.astype(wide)) >> wide.type(32)).astype(a.dtype)
    return _high64(a, c)


def _high64(a: Value, c: Value) -> Value:
    low32, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    x, y = a.view(np.uint64), c.view(np.uint64)
    x0, x1, y0, y1 = x & low32, x >> shift, y & low32, y >> shift
    middle = x1 * y0 + ((x0 * y0) >> shift)
    other = x0 * y1 + (middle & low32)
    found = x1 * y1 + (middle >> shift) + (other >> shift)
    if a.dtype.kind == "i":
        found = found - np.where(a < 0, y, np.uint64(0)) - np.where(c < 0, x, np.uint64(0))
    return found.astype(a.dtype)


def _low24(x: Value) -> Value:
    return (x << x.dtype.type(8)) >> x.dtype.type(8)


def _product24(a: Value, c: Value) -> Value:
    return _low24(a) * _low24(c)


def _distance(a: Value, c: Value, d: Value) -> Value:
    return np.abs(a.astype(I64) - c.astype(I64)).astype(U32) + d


def _average(a: Value, c: Value) -> Value:
    return (a.astype(I64) + c.astype(I64)) >> np.int64(1)


def _average_up(a: Value, c: Value) -> Value:
    return (a.astype(I64) + c.astype(I64) + np.int64(1)) >> np.int64(1)


def _from_halves(high: Value, low: Value) -> Value:
    return ((high.astype(I64) << np.int64(32)) | (low.astype(I64) & np.int64(0xFFFFFFFF))).view(F64)


def _byte_permutation(a: Value, c: Value, selector: Value) -> Value:
    both = a.astype(U64) | (c.astype(U64) << np.uint64(32))
    found = np.uint32(0)
    for i in range(4):
        chosen = (selector >> np.uint32(4 * i)) & np.uint32(15)
        byte = ((both >> ((chosen & np.uint32(7)).astype(U64) * np.uint64(8))) & np.uint64(255)).astype(U32)
        signs = np.where(byte & np.uint32(128), np.uint32(255), np.uint32(0))
        found = found | (np.where(chosen & np.uint32(8), signs, byte) << np.uint32(8 * i))
    return found


def _funnel(left: bool, clamped: bool) -> Three:
    def run(low: Value, high: Value, amount: Value) -> Value:
        both = low.astype(U64) | (high.astype(U64) << np.uint64(32))
        by = (np.minimum(amount, np.uint32(32)) if clamped else amount & np.uint32(31)).astype(U64)
        return ((both << by) >> np.uint64(32) if left else both >> by).astype(U32)

    return run


# ---------------------------------------------------------------- conversions


def _as(to: DType) -> UnaryFunction:
    def run(x: Value) -> Value:
        return x.view(to)

    return run


def _rounded(to: DType, mode: str) -> UnaryFunction:
    rounding: dict[str, UnaryFunction] = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}

    def run(x: Value) -> Value:
        cast = conversion(x.dtype, to)
        if x.dtype.kind == "f" and to.kind in "iu":
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


def _table() -> dict[str, NumpyFunction]:
    made: dict[str, NumpyFunction] = dict(_TESTS)
    for names in (_F1, _F2, _F3):
        for name, function in names.items():
            made[name] = made[f"{name}f"] = function
    for name in ("sin", "cos", "tan", "exp", "log", "log2", "log10", "exp10", "tanh"):
        made[f"__{name}f"] = _F1[name]
    made["__powf"], made["__fdividef"], made["__saturatef"] = _power, np.true_divide, _saturate
    for mode in ("rn", "rz", "rd", "ru"):
        for letter in "fd":
            made[f"__{letter}add_{mode}"], made[f"__{letter}sub_{mode}"] = np.add, np.subtract
            made[f"__{letter}mul_{mode}"], made[f"__{letter}div_{mode}"] = np.multiply, np.true_divide
            made[f"__{letter}rcp_{mode}"] = _reciprocal
            made[f"__{letter}sqrt_{mode}"] = np.sqrt
        made[f"__fmaf_ieee_{mode}"] = made[f"__fmaf_{mode}"] = made[f"__fma_{mode}"] = _fused
        for name, to in {"int": I32, "uint": U32, "ll": I64, "ull": U64}.items():
            for source, floating in {"float": F32, "double": F64}.items():
                made[f"__{source}2{name}_{mode}"] = _rounded(to, mode)
                made[f"__{name}2{source}_{mode}"] = _rounded(floating, mode)
        made[f"__double2float_{mode}"] = _rounded(F32, mode)
    made["__frsqrt_rn"] = _F1["rsqrt"]
    return made


_ONE: dict[str, UnaryFunction] = {
    "abs": _absolute, "labs": _absolute, "llabs": _absolute, "__popc": popcount, "__popcll": popcount,
    "__popcnt": popcount, "popcount": popcount, "popcountll": popcount, "__clz": _leading_zeros,
    "__clzll": _leading_zeros, "clz": _leading_zeros, "clzll": _leading_zeros,
    "__ffs": _first_set, "__ffsll": _first_set, "ffs": _first_set,
    "__brev": _reversed_bits, "__brevll": _reversed_bits,
    "__float_as_int": _as(I32), "__float_as_uint": _as(U32), "__int_as_float": _as(F32), "__uint_as_float": _as(F32),
    "float_as_int": _as(I32), "float_as_uint": _as(U32), "int_as_float": _as(F32), "uint_as_float": _as(F32),
    "__double_as_longlong": _as(I64), "__longlong_as_double": _as(F64),
    "__double2hiint": lambda x: (x.view(np.int64) >> np.int64(32)).astype(I32),
    "__double2loint": lambda x: x.view(np.int64).astype(I32),
}  # fmt: skip
_TWO: dict[str, BinaryFunction] = {
    "min": _minimum, "max": _maximum, "umin": _minimum, "umax": _maximum, "llmin": _minimum, "llmax": _maximum,
    "ullmin": _minimum, "ullmax": _maximum, "__mulhi": _high, "__umulhi": _high, "__mul64hi": _high,
    "__umul64hi": _high, "mulhi": _high, "umulhi": _high, "__mul24": _product24, "__umul24": _product24,
    "mul24": _product24, "umul24": _product24, "__hadd": _average, "__uhadd": _average, "__rhadd": _average_up,
    "__urhadd": _average_up,
    "__hiloint2double": _from_halves,
}  # fmt: skip
_THREE: dict[str, Three] = {
    "__fns": _set_bit, "__sad": _distance, "__usad": _distance, "__byte_perm": _byte_permutation,
    "__funnelshift_l": _funnel(True, False), "__funnelshift_lc": _funnel(True, True),
    "__funnelshift_r": _funnel(False, False), "__funnelshift_rc": _funnel(False, True),
}  # fmt: skip
FUNCTIONS: dict[str, NumpyFunction] = {**_table(), **_ONE, **_TWO, **_THREE}
