"""Device functions of integers for one thread: bits, products, and several small integers in a word.

CUDA Math API, "Integer Intrinsics", "SIMD Intrinsics" and "DPX"; PTX ISA, "Video Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.program.types import IntType, Type
from hgrd.simulate import scalars
from hgrd.simulate.scalars import Scalar

_SIMD = re.compile(r"__v(cmp|set)?([a-z]+?)([24])")
_DPX = re.compile(r"__vi(add)?(max|min)(3)?_([su])(32|16x2)(_relu)?")
_UNSIGNED_BY_NAME = ("addus", "subus", "avgu", "haddu", "absdiffu", "maxu", "minu", "sadu")
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "ge": lambda x, y: x >= y, "gt": lambda x, y: x > y,
    "le": lambda x, y: x <= y, "lt": lambda x, y: x < y,
}  # fmt: skip


def of_integers(name: str, type_: Type, values: list[int | float]) -> Scalar | None:
    """The value of a function of integers; None of functions that are not known."""
    whole = [v for v in values if isinstance(v, int)]
    if len(whole) < len(values) or not isinstance(type_, IntType):
        return None
    found = _bits(name, whole)
    if found is None:
        found = _products(name, whole, type_)
    if found is None:
        found = _in_words(name, whole)
    return None if found is None else scalars.wrapped(found, type_)


def _width(name: str) -> int:
    return 64 if name.endswith("ll") or "64" in name else 32


def _bits(name: str, values: list[int]) -> int | None:
    width = _width(name)
    mask = (1 << width) - 1
    match name.strip("_").removesuffix("ll"), values:
        case (("popc" | "popcnt" | "popcount"), [x]):
            return (x & mask).bit_count()
        case "clz", [x]:
            return width - (x & mask).bit_length()
        case "ffs", [x]:
            return (x & -x & mask).bit_length()
        case "ctz", [x]:
            return (x & -x & mask).bit_length() - 1 if x & mask else width
        case "parity", [x]:
            return (x & mask).bit_count() & 1
        case "brev", [x]:
            return int(f"{x & mask:0{width}b}"[::-1], 2)
        case ((("bswap16" | "bswap32" | "bswap64") as swap), [x]):
            size = int(swap[5:]) // 8
            return int.from_bytes((x & ((1 << 8 * size) - 1)).to_bytes(size, "little"), "big")
        case "fns", [bits, base, offset]:
            return _set_bit(bits & ALL_LANES, base, offset)
        case "bitextract", [x, offset, size]:
            return (x >> (offset & 31)) & ((1 << (size & 31)) - 1)
        case "bitinsert", [x, y, offset, size]:
            ones, by = (1 << (size & 31)) - 1, offset & 31
            return (x & ~(ones << by)) | ((y & ones) << by)
        case "byte_perm", [x, y, selector]:
            return _permuted((y << 32) | (x & 0xFFFFFFFF), selector)
        case _:
            return _shifted(name, values)


def _permuted(both: int, selector: int) -> int:
    found = 0
    for i in range(4):
        chosen = (selector >> (4 * i)) & 15
        byte = (both >> (8 * (chosen & 7))) & 255
        found |= ((255 if byte & 128 else 0) if chosen & 8 else byte) << (8 * i)
    return found


def _shifted(name: str, values: list[int]) -> int | None:
    if not name.startswith("__funnelshift_") or len(values) != 3:
        return None
    low, high, amount = values
    by = min(amount, 32) if name.endswith("c") else amount & 31
    both = (high << 32) | low
    return (both << by) >> 32 if name[14] == "l" else both >> by


def _set_bit(mask: int, base: int, offset: int) -> int:
    """__fns: the position of the offset-th set bit from `base` on, upwards or downwards (PTX ISA, `fns`)."""
    if not 0 <= base < WARP_SIZE:
        return ALL_LANES
    if offset == 0:
        return base if mask >> base & 1 else ALL_LANES
    places = range(base, WARP_SIZE) if offset > 0 else range(base, -1, -1)
    found = [place for place in places if mask >> place & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else ALL_LANES


def _products(name: str, values: list[int], type_: IntType) -> int | None:
    match name.strip("_"), values:
        case (("abs" | "labs" | "llabs"), [x]):
            return abs(x)
        case (("mul24" | "umul24"), [x, y]):
            small = IntType(24, type_.signed)
            return scalars.wrapped(x, small) * scalars.wrapped(y, small)
        case (("mulhi" | "umulhi" | "mul64hi" | "umul64hi"), [x, y]):
            return (x * y) >> type_.bits
        case (("hadd" | "uhadd"), [x, y]):
            return (x + y) >> 1
        case (("rhadd" | "urhadd"), [x, y]):
            return (x + y + 1) >> 1
        case (("sad" | "usad"), [x, y, z]):
            return abs(x - y) + z
        case "dp4a", [x, y, z]:
            return z + _dot(_parts(x, 8, type_.signed), _parts(y, 8, type_.signed))
        case ((("dp2a_lo" | "dp2a_hi") as which), [x, y, z]):
            halves = _parts(y, 8, type_.signed)
            return z + _dot(_parts(x, 16, type_.signed), halves[:2] if which == "dp2a_lo" else halves[2:])
        case _:
            return None


def _dot(a: list[int], b: list[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _parts(word: int, bits: int, signed: bool) -> list[int]:
    """The small integers in a word, the lowest first."""
    return [scalars.wrapped(word >> at, IntType(bits, signed)) for at in range(0, 32, bits)]


def _joined(parts: list[int], bits: int) -> int:
    return sum((part & ((1 << bits) - 1)) << (bits * i) for i, part in enumerate(parts))


def _in_words(name: str, values: list[int]) -> int | None:
    several = _DPX.fullmatch(name)
    if several is not None:
        return _best(several, values)
    found = _SIMD.fullmatch(name)
    if found is None:
        return None
    test, operation, count = found.groups()
    bits = 32 // int(count)
    unsigned = operation in _UNSIGNED_BY_NAME or (test is not None and operation.endswith("u"))
    rows = list(zip(*[_parts(v, bits, not unsigned) for v in values], strict=True))
    if test is not None:
        holds = _TESTS[operation[:2]]
        return _joined([-holds(*row) if test == "cmp" else int(holds(*row)) for row in rows], bits)
    if operation.startswith("sad"):
        return sum(abs(x - y) for x, y in rows)
    low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    saturates = operation.endswith(("ss", "us"))
    parts = [_part(operation.removesuffix("ss").removesuffix("us"), row) for row in rows]
    return _joined([min(max(p, low), high) if saturates else p for p in parts], bits)


def _part(operation: str, row: tuple[int, ...]) -> int:
    match operation, row:
        case "abs", (x,):
            return abs(x)
        case "neg", (x,):
            return -x
        case "add", (x, y):
            return x + y
        case "sub", (x, y):
            return x - y
        case "avgs", (x, y):  # a half away from zero
            return (x + y + (x + y >= 0)) >> 1
        case "avgu", (x, y):
            return (x + y + 1) >> 1
        case "haddu", (x, y):
            return (x + y) >> 1
        case (("absdiffs" | "absdiffu"), (x, y)):
            return abs(x - y)
        case (("maxs" | "maxu"), (x, y)):
            return max(x, y)
        case _:
            return min(row)


def _best(found: re.Match[str], values: list[int]) -> int:
    """`__vimax3_s32` and its kin; sums wrap."""
    adds, which, _, sign, width, relu = found.groups()
    kind = IntType(32 if width == "32" else 16, sign == "s")
    parts: list[int] = []
    for at in range(0, 32, kind.bits):
        given = [scalars.wrapped(v >> at, kind) for v in values]
        if adds:
            given = [scalars.wrapped(given[0] + given[1], kind), given[2]]
        best = max(given) if which == "max" else min(given)
        parts.append(max(best, 0) if relu else best)
    return _joined(parts, kind.bits)
