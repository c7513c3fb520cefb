"""Device functions of integers: bits, products, and several small integers in a word.

CUDA Math API, "Integer Intrinsics", "SIMD Intrinsics" and "DPX"; PTX ISA, "Video Instructions" and "dp4a".  Arguments
come with the dtypes of their C types; results are converted to the C result type.
"""

from __future__ import annotations

from functools import partial, reduce

import numpy as np

from hgrd.simulate.lockstep.arithmetic import (
    F64,
    I64,
    U32,
    U64,
    BinaryFunction,
    NumpyFunction,
    Three,
    UnaryFunction,
    Value,
)


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
    inside = (start >= 0) & (start < 32)
    here = (bits >> np.where(inside, start, 0) & 1 == 1) & (count == 0) & inside
    found = np.where(here, start, -1)
    left, step = np.where(inside, np.abs(count), 0), np.sign(count)
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


def _trailing_zeros(x: Value) -> Value:
    """Number of zeros below the lowest set bit; of 0, which C leaves undefined, the width."""
    return popcount((x & -x) - x.dtype.type(1))


def _parity(x: Value) -> Value:
    return popcount(x) & np.uint8(1)


def _swapped(x: Value) -> Value:
    return x.byteswap()


def _extracted(x: Value, offset: Value, width: Value) -> Value:
    return (x >> (offset & np.uint32(31))) & _ones(width)


def _inserted(x: Value, y: Value, offset: Value, width: Value) -> Value:
    by, ones = offset & np.uint32(31), _ones(width)
    return (x & ~(ones << by)) | ((y & ones) << by)


def _ones(width: Value) -> Value:
    return ((np.uint64(1) << (width & np.uint32(31)).astype(U64)) - np.uint64(1)).astype(U32)


# ---------------------------------------------------------------- small integers in a word


def parts_of_word(x: Value, bits: int, signed: bool) -> list[Value]:
    """The small integers of a word, the lowest first."""
    word, half = np.asarray(x).astype(I64), 1 << (bits - 1)
    found = [(word >> np.int64(at)) & np.int64((1 << bits) - 1) for at in range(0, 32, bits)]
    return [((part ^ half) - half) if signed else part for part in found]


def _word(parts: list[Value], bits: int) -> Value:
    """The word of small integers, of each of which the lowest bits are kept."""
    mask = np.int64((1 << bits) - 1)
    return reduce(np.bitwise_or, [(p & mask) << np.int64(bits * i) for i, p in enumerate(parts)]).astype(U32)


def _part_by_part(function: NumpyFunction, bits: int, signed: bool) -> NumpyFunction:
    def run(*words: Value) -> Value:
        rows = zip(*[parts_of_word(word, bits, signed) for word in words], strict=True)
        return _word([function(*row) for row in rows], bits)

    return run


def _sum_of_distances(bits: int, signed: bool) -> BinaryFunction:
    def run(a: Value, c: Value) -> Value:
        pairs = zip(parts_of_word(a, bits, signed), parts_of_word(c, bits, signed), strict=True)
        return reduce(np.add, [np.abs(x - y) for x, y in pairs]).astype(U32)

    return run


def _within(low: int, high: int, function: NumpyFunction) -> NumpyFunction:
    """The function, saturated."""
    return lambda *given: np.clip(function(*given), low, high)


def _all_bits(test: BinaryFunction) -> BinaryFunction:
    return lambda a, c: -test(a, c).astype(I64)


def _one_bit(test: BinaryFunction) -> BinaryFunction:
    return lambda a, c: test(a, c).astype(I64)


def _average_of_signed(a: Value, c: Value) -> Value:
    """The average, a half away from zero (PTX ISA, `vavrg2`)."""
    total = a + c
    return (total + (total >= 0)) >> np.int64(1)


def _distance_of(a: Value, c: Value) -> Value:
    return np.abs(a - c)


_COMPARED: dict[str, BinaryFunction] = {
    "eq": np.equal, "ne": np.not_equal, "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less,
}  # fmt: skip


def _simd() -> dict[str, NumpyFunction]:
    """`__vadd2` and its kin."""
    made: dict[str, NumpyFunction] = {}
    for count, bits in ((2, 16), (4, 8)):
        low, high, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1, (1 << bits) - 1
        signed: dict[str, NumpyFunction] = {
            "abs": np.abs, "neg": np.negative, "add": np.add, "sub": np.subtract, "absss": _within(low, high, np.abs),
            "negss": _within(low, high, np.negative), "addss": _within(low, high, np.add),
            "subss": _within(low, high, np.subtract), "avgs": _average_of_signed, "absdiffs": _distance_of,
            "maxs": np.maximum, "mins": np.minimum,
        }  # fmt: skip
        unsigned: dict[str, NumpyFunction] = {
            "addus": _within(0, most, np.add), "subus": _within(0, most, np.subtract), "avgu": _average_up,
            "haddu": _average, "absdiffu": _distance_of, "maxu": np.maximum, "minu": np.minimum,
        }  # fmt: skip
        for name, test in _COMPARED.items():
            for prefix, shown in (("cmp", _all_bits(test)), ("set", _one_bit(test))):
                if name in ("eq", "ne"):
                    unsigned[f"{prefix}{name}"] = shown
                else:
                    signed[f"{prefix}{name}s"] = unsigned[f"{prefix}{name}u"] = shown
        for which, names in ((True, signed), (False, unsigned)):
            made |= {f"__v{name}{count}": _part_by_part(f, bits, which) for name, f in names.items()}
        made[f"__vsads{count}"], made[f"__vsadu{count}"] = _sum_of_distances(bits, True), _sum_of_distances(bits, False)
    return made


# ---------------------------------------------------------------- minima and maxima of several


def _dpx() -> dict[str, NumpyFunction]:
    """`__vimax3_s32` and its kin; sums wrap."""
    made: dict[str, NumpyFunction] = {}
    for name, best in {"max": np.maximum, "min": np.minimum}.items():
        for suffix, bits, signed in (("s32", 32, True), ("u32", 32, False), ("s16x2", 16, True), ("u16x2", 16, False)):
            of = {
                f"__vi{name}_{suffix}": best,
                f"__vi{name}3_{suffix}": partial(_best_of_three, best),
                f"__viadd{name}_{suffix}": partial(_best_of_sum, best, bits, signed),
            }
            relu = {f"{key}_relu": partial(_not_negative, function) for key, function in of.items()}
            made |= {key: _part_by_part(f, bits, signed) for key, f in (of | relu).items()}
    return made


def _best_of_three(best: BinaryFunction, a: Value, c: Value, d: Value) -> Value:
    return best(best(a, c), d)


def _best_of_sum(best: BinaryFunction, bits: int, signed: bool, a: Value, c: Value, d: Value) -> Value:
    total, half = (a + c) & np.int64((1 << bits) - 1), 1 << (bits - 1)
    return best(((total ^ half) - half) if signed else total, d)


def _not_negative(function: NumpyFunction, *given: Value) -> Value:
    return np.maximum(function(*given), 0)


# ---------------------------------------------------------------- products of small integers


def _dot4(a: Value, c: Value, d: Value) -> Value:
    """__dp4a: four products of bytes, and a number (PTX ISA, `dp4a`)."""
    signed = d.dtype.kind == "i"
    return _dot(parts_of_word(a, 8, signed), parts_of_word(c, 8, signed), d)


def _dot2(high: bool) -> Three:
    """__dp2a_lo, __dp2a_hi: two products of half words with the lower or upper bytes (PTX ISA, `dp2a`)."""

    def run(a: Value, c: Value, d: Value) -> Value:
        signed = d.dtype.kind == "i"
        return _dot(parts_of_word(a, 16, signed), parts_of_word(c, 8, signed)[2 * high :][:2], d)

    return run


def _dot(a: list[Value], c: list[Value], d: Value) -> Value:
    return reduce(np.add, [x * y for x, y in zip(a, c, strict=True)], d.astype(I64)).astype(d.dtype)


_ONE: dict[str, UnaryFunction] = {
    "__popc": popcount, "__popcll": popcount, "__popcnt": popcount, "popcount": popcount, "popcountll": popcount,
    "__clz": _leading_zeros, "__clzll": _leading_zeros, "clz": _leading_zeros, "clzll": _leading_zeros,
    "__ffs": _first_set, "__ffsll": _first_set, "ffs": _first_set, "ffsll": _first_set, "ctz": _trailing_zeros,
    "ctzll": _trailing_zeros, "parity": _parity, "parityll": _parity, "__brev": _reversed_bits,
    "__brevll": _reversed_bits, "bswap16": _swapped, "bswap32": _swapped,
    "bswap64": _swapped,
}  # fmt: skip
_TWO: dict[str, BinaryFunction] = {
    "__mulhi": _high, "__umulhi": _high, "__mul64hi": _high, "__umul64hi": _high, "mulhi": _high, "umulhi": _high,
    "__mul24": _product24, "__umul24": _product24, "mul24": _product24, "umul24": _product24, "__hadd": _average,
    "__uhadd": _average, "__rhadd": _average_up, "__urhadd": _average_up, "__hiloint2double": _from_halves,
}  # fmt: skip
_THREE: dict[str, Three] = {
    "__fns": _set_bit, "__sad": _distance, "__usad": _distance, "__byte_perm": _byte_permutation,
    "__funnelshift_l": _funnel(True, False), "__funnelshift_lc": _funnel(True, True),
    "__funnelshift_r": _funnel(False, False), "__funnelshift_rc": _funnel(False, True),
    "__dp4a": _dot4, "__dp2a_lo": _dot2(False), "__dp2a_hi": _dot2(True), "__bitextract": _extracted,
}  # fmt: skip
FUNCTIONS: dict[str, NumpyFunction] = {
    **_ONE, **_TWO, **_THREE, **_simd(), **_dpx(), "__bitinsert": _inserted,
}  # fmt: skip
"""By name, without `__builtin_`."""
