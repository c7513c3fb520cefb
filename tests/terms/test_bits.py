"""Counts and positions of bits: masks and shifts in them become positions, and the values stay."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hgrd import terms as t
from hgrd.solve.steps.vectors import Columns
from hgrd.symbolic.bit_functions import integer_function
from hgrd.terms import Op, Origin, Symbol, Term
from hgrd.terms.bits import low_bits, reversed_bits

WORD, LANE = Symbol("word", 0, (1 << 32) - 1, Origin.DATA), Symbol("lane", 0, 31, Origin.THREAD)
B, L, ONE, ALL = t.var(WORD), t.var(LANE), t.const(1), t.const((1 << 32) - 1)


def unsigned(x: Term) -> Term:
    return t.wrap(x, 32, False, soft=True)


def signed(x: Term) -> Term:
    return t.wrap(x, 32, True, soft=True)


MASKS = {
    "(1u << l) - 1": (unsigned(t.sub(unsigned(t.shl(ONE, L)), ONE)), "ones_below(word, lane)"),
    "(1 << l) - 1": (unsigned(signed(t.sub(signed(t.shl(ONE, L)), ONE))), "ones_below(word, lane)"),
    "(2u << l) - 1": (unsigned(t.sub(unsigned(t.shl(t.const(2), L)), ONE)), "ones_below(word, lane + 1)"),
    "~((1u << l) - 1)": (
        t.sub(ALL, unsigned(t.sub(unsigned(t.shl(ONE, L)), ONE))),
        "ones_below(word, 32) - ones_below(word, lane)",
    ),
    "-(2 << l)": (
        unsigned(signed(t.neg(signed(t.shl(t.const(2), L))))),
        "ones_below(word, 32) - ones_below(word, lane + 1)",
    ),
    "~0u << l": (unsigned(t.shl(ALL, L)), "ones_below(word, 32) - ones_below(word, lane)"),
    "0xfffffffe << l": (
        unsigned(t.shl(t.const(0xFFFFFFFE), L)),
        "ones_below(word, 32) - ones_below(word, lane + 1)",
    ),
    "~0u >> (31 - l)": (t.shr(ALL, t.sub(t.const(31), L)), "ones_below(word, 32 - (31 - lane))"),
    "0xff": (t.const(0xFF), "ones_below(word, 8)"),
    "0xffff0000": (t.const(0xFFFF0000), "ones_below(word, 32) - ones_below(word, 16)"),
    "0xff00": (t.const(0xFF00), "ones_below(word & 65280, 32)"),
    "(1u << (l & ~1)) - 1": (
        unsigned(t.sub(unsigned(t.shl(ONE, t.bit_and(L, t.const(-2)))), ONE)),
        "ones_below(word, lane & -2)",
    ),
}
SHIFTED = {
    "b << (31 - l)": (unsigned(t.shl(B, t.sub(t.const(31), L))), "ones_below(word, 32 - (31 - lane))"),
    "b >> l": (t.shr(B, L), "ones_below(word, 32) - ones_below(word, lane)"),
    "b << 3": (unsigned(t.shl(B, t.const(3))), "ones_below(word, 29)"),
    "b >> 5": (t.shr(B, t.const(5)), "ones_below(word, 32) - ones_below(word, 5)"),
}
COUNTED = {name: (unsigned(t.bit_and(B, mask)), shown) for name, (mask, shown) in MASKS.items()} | SHIFTED


@pytest.mark.parametrize("name", COUNTED)
def test_a_count_of_a_masked_word_is_one_of_the_word(name: str):
    word, shown = COUNTED[name]
    count = t.ones_below(word, t.const(32))
    assert t.show(count) == shown
    random = Random(name)
    for _ in range(100):
        at = {WORD: random.getrandbits(32), LANE: random.randrange(32)}
        exact, found = t.evaluate((word, count), at)
        assert found == exact.bit_count()
        assert count.low <= found <= count.high


def reference(name: str, *a: int) -> int:
    """What the CUDA Math API says of an integer intrinsic."""
    u = [x & 0xFFFFFFFF for x in a]
    both = (u[1] << 32 | u[0]) if len(u) > 1 else 0
    match name:
        case "__popc":
            return u[0].bit_count()
        case "__clz":
            return 32 - u[0].bit_length()
        case "__ffs":
            return (f"{u[0]:032b}"[::-1] + "1").index("1") + 1 if u[0] else 0
        case "__brev":
            return int(f"{u[0]:032b}"[::-1], 2)
        case "__mulhi":
            return a[0] * a[1] >> 32
        case "__umulhi":
            return u[0] * u[1] >> 32
        case "__hadd":
            return (a[0] + a[1]) >> 1
        case "__rhadd":
            return (a[0] + a[1] + 1) >> 1
        case "__sad":
            return (abs(a[0] - a[1]) + u[2]) & 0xFFFFFFFF
        case "__funnelshift_l":
            return (both << (u[2] & 31)) >> 32 & 0xFFFFFFFF
        case "__funnelshift_lc":
            return (both << min(u[2], 32)) >> 32 & 0xFFFFFFFF
        case "__funnelshift_r":
            return both >> (u[2] & 31) & 0xFFFFFFFF
        case "__funnelshift_rc":
            return both >> min(u[2], 32) & 0xFFFFFFFF
        case _:
            raise AssertionError(name)


NAMES = {
    **dict.fromkeys(("__popc", "__clz", "__ffs", "__brev"), "i"),
    **dict.fromkeys(("__mulhi", "__hadd", "__rhadd"), "ii"),
    "__umulhi": "uu",
    "__sad": "iiu",
    **dict.fromkeys(("__funnelshift_l", "__funnelshift_lc", "__funnelshift_r", "__funnelshift_rc"), "uuu"),
}
EDGES = (0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def typed(value: int, letter: str) -> int:
    return value - (1 << 32) if letter == "i" and value >> 31 else value


@pytest.mark.parametrize("name", NAMES)
def test_integer_intrinsics_are_what_the_manual_says(name: str):
    letters = NAMES[name]
    symbols = [
        Symbol(f"x{i}", *((-(1 << 31), (1 << 31) - 1) if letter == "i" else (0, (1 << 32) - 1)), Origin.INPUT)
        for i, letter in enumerate(letters)
    ]
    made = integer_function(name, tuple(map(t.var, symbols)))
    assert made is not None
    random = Random(name)
    for _ in range(200):
        values = [typed(random.choice((*EDGES, random.getrandbits(32))), letter) for letter in letters]
        (found,) = t.evaluate((made,), dict(zip(symbols, values, strict=True)))
        assert found == reference(name, *values), values
        assert made.low <= found <= made.high
        assert integer_function(name, tuple(map(t.const, values))) is t.const(found)


def test_bytes_are_permuted_by_a_constant():
    made = integer_function("__byte_perm", (B, t.const(0x88776655), t.const(0x9C40)))
    assert made is not None
    assert t.evaluate((made,), {WORD: 0x44338211})[0] == 0xFF005511
    assert integer_function("__byte_perm", (B, B, L)) is None


def test_other_functions_are_none():
    assert integer_function("__dp4a", (B, B, B)) is None


def test_wraps_that_the_lowest_bits_do_not_notice_are_left_out():
    wide = t.wrap(t.add(B, B), 33, False, soft=False)
    assert low_bits(unsigned(t.add(wide, ONE)), 32) is t.add(t.add(B, B), ONE)
    narrow = t.wrap(B, 8, False, soft=False)
    assert low_bits(narrow, 32) is narrow


@pytest.mark.parametrize("op", [Op.ONES_BELOW, Op.BIT_LENGTH, Op.LOWEST_ONE])
def test_columns_agree_with_the_exact_values(op: Op):
    count = {Op.ONES_BELOW: t.ones_below(B, L), Op.BIT_LENGTH: t.bit_length(B), Op.LOWEST_ONE: t.lowest_one(B)}[op]
    assert count.op is op
    words, lanes = (0, 1, 6, 40, 0x80000000, 0xFFFFFFFF), (0, 1, 5, 31)
    pairs = [(w, n) for w in words for n in lanes]
    columns = {s: np.asarray([p[i] for p in pairs], dtype=np.int64) for i, s in enumerate((WORD, LANE))}
    found = np.broadcast_to(Columns([count]).run(columns, lambda _, index: index[0])[0], (len(pairs),)).tolist()
    assert found == [t.evaluate((count,), {WORD: w, LANE: n})[0] for w, n in pairs]


def test_a_count_of_nothing_is_nothing():
    assert t.ones_below(B, t.const(0)) is t.const(0)
    assert t.ones_below(t.wrap(B, 1, False, soft=False), t.const(32)).high == 1
    with pytest.raises(t.EvaluationError):
        t.evaluate((t.ones_below(B, t.sub(L, t.const(9))),), {WORD: 1, LANE: 0})


def test_reversed_twice_is_the_word():
    twice = reversed_bits(reversed_bits(B, 32), 32)
    assert t.evaluate((twice,), {WORD: 0xDEADBEEF})[0] == 0xDEADBEEF
