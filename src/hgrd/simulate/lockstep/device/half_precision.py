"""half and bfloat16 (CUDA Math API, "Half Precision Arithmetic Functions"): computed in float, rounded once.

A value is a row of columns, one of a number and two of a pair.  What a function is called for bfloat16 is turned into
its name for half: both compute the same, and only round differently.
"""

from __future__ import annotations

import re

import numpy as np

from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, RecordType, Type
from hgrd.simulate.lockstep.access import read, write
from hgrd.simulate.lockstep.arithmetic import F32, F64, BinaryFunction, NumpyFunction, UnaryFunction, Value, conversion
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.lvalues import target
from hgrd.simulate.lockstep.thread_numbers import spread
from hgrd.simulate.trace import MemoryOrder

_LANES = {"__half": 1, "__half2": 2, "__nv_bfloat16": 1, "__nv_bfloat162": 2, "float2": 2}
_ARITHMETIC: dict[str, BinaryFunction] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.fmax, "min": np.fmin, "max_nan": np.maximum,
    "min_nan": np.minimum, "div": np.true_divide,
}  # fmt: skip
_SIGNS: dict[str, BinaryFunction] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide}
_COMPARED: dict[str, tuple[str, BinaryFunction]] = {
    "eq": ("==", np.equal), "ne": ("!=", np.not_equal), "lt": ("<", np.less), "le": ("<=", np.less_equal),
    "gt": (">", np.greater), "ge": (">=", np.greater_equal),
}  # fmt: skip
_OF_ONE: dict[str, UnaryFunction] = {
    "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "sin": np.sin,
    "cos": np.cos, "tanh": np.tanh, "tanh_approx": np.tanh, "floor": np.floor, "ceil": np.ceil, "rint": np.rint,
    "trunc": np.trunc, "rcp": np.reciprocal, "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp10": lambda x: np.power(F32.type(10), x),
}  # fmt: skip
_ROUNDS = re.compile(r"_(r[zdu])$")
_TO_NUMBER = re.compile(r"__half2(?:float|int|uint|short|ushort|ll|ull)(?:_(r[nzdu]))?|operator [a-z ]+")
_FROM_NUMBER = re.compile(r"__(?:float|double|int|uint|short|ushort|ll|ull)2half(?:_r[nzdu])?")
_BITS = re.compile(r"__(?:half_as_u?short|u?short_as_half)")
_CHANGING: dict[str, NumpyFunction] = {
    **{f"operator{sign}=": function for sign, function in _SIGNS.items()},
    "operator++": np.add, "operator--": np.subtract,
}  # fmt: skip


def kind_of(type_: Type) -> str | None:
    """The name of a small float, or a pair of them, behind a type or reference to it."""
    while isinstance(type_, PointerType):
        type_ = type_.to
    return type_.key if isinstance(type_, RecordType) and type_.key in _LANES else None


def unpacked(rows: Value, kind: str) -> Value:
    """One or two floats a thread, in a column each."""
    if kind == "float2":
        return np.ascontiguousarray(rows).view(F32)
    if "bfloat" in kind:
        wide = np.ascontiguousarray(rows).view(np.uint16).astype(np.uint32) << np.uint32(16)
        return wide.view(np.float32)
    return np.ascontiguousarray(rows).view(np.float16).astype(F32)


def repacked(columns: Value, kind: str, mode: str = "rn") -> Value:
    """The bytes of numbers, rounded to nearest even (rn), towards zero (rz), downwards (rd) or upwards (ru)."""
    if kind == "float2":
        return np.ascontiguousarray(columns, F32).view(np.uint8).reshape(len(columns), -1)
    made = _bfloat16(columns) if "bfloat" in kind else np.asarray(columns).astype(np.float16).view(np.uint16)
    if mode != "rn":
        made = _directed(made, np.asarray(columns), kind, mode)
    return np.ascontiguousarray(made).view(np.uint8).reshape(len(columns), -1)


def _bfloat16(columns: Value) -> Value:
    bits = np.ascontiguousarray(columns, F32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(columns), np.uint32(0x7FFF), rounded).astype(np.uint16)


def _directed(near: Value, exact: Value, kind: str, mode: str) -> Value:
    """The neighbour of numbers that were rounded past what they stand for, in the wrong direction."""
    value = unpacked(near.view(np.uint8).reshape(len(near), -1), kind)
    negative = (near >> 15) != 0
    outwards = (np.abs(value) > np.abs(exact)) & ((mode == "rz") | (negative == (mode == "ru")))
    inwards = (np.abs(value) < np.abs(exact)) & (mode != "rz") & (negative == (mode == "rd"))
    return (near - outwards + inwards).astype(np.uint16)


def from_number(b: CodeBuilder, type_: Type, argument: Expression, mode: str = "rn") -> Closure | None:
    """A small float made of a number; None for other types."""
    kind = kind_of(type_)
    if kind is None or _LANES[kind] != 1 or not isinstance(argument.type, IntType | FloatType | BoolType):
        return None
    value = b.lower(argument)
    return lambda here: repacked(spread(here, value(here)).astype(F64)[:, None], kind, mode)


def from_parts(b: CodeBuilder, e: ir.Construct) -> Closure | None:
    """A pair made of two small floats; None of other objects."""
    kind, kinds = kind_of(e.type), [kind_of(a.type) for a in e.arguments]
    if kind is None or len(kinds) != 2 or not all(kinds):
        return None
    first, second = (_columns(b, a) for a in e.arguments)
    return lambda here: repacked(np.hstack([first(here), second(here)]), kind)


def half_call(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """Functions of small floats; None for others."""
    kinds = [kind_of(a.type) for a in e.arguments]
    kind = next((k for k in (kind_of(e.type), *kinds) if k not in (None, "float2")), None)
    if kind is None:
        return None
    name = e.function.name.replace("bfloat16", "half")
    rounds = _ROUNDS.search(name)
    if _FROM_NUMBER.fullmatch(name):
        return from_number(b, e.type, e.arguments[0], rounds[1] if rounds else "rn")
    if _BITS.fullmatch(name):
        return _reinterpreted(b, e)
    if _TO_NUMBER.fullmatch(name) and len(kinds) == 1:
        return _to_number(b, e, rounds[1] if rounds else "rz" if name.startswith("operator") else "rn")
    if name in _CHANGING and isinstance(e.arguments[0].type, PointerType):
        return _changing(b, e, kind, _CHANGING[name])
    function = _functions(e).get(name)
    if function is None:
        return None
    values = [_columns(b, a) for a in e.arguments]
    result, to = kind_of(e.type), b.unit.dtype(e.type)
    if result is not None:
        return lambda here: repacked(function(*[v(here) for v in values]), result)
    if to is None or to.kind == "V":
        return None
    return lambda here: np.asarray(function(*[v(here) for v in values])).astype(to)


def _functions(e: ir.Call) -> dict[str, NumpyFunction]:
    """The operators of as many operands as there are, and functions by their own names."""
    if len(e.arguments) == 1:
        return _FUNCTIONS | {"operator-": np.negative, "operator+": np.positive}
    return _FUNCTIONS


def _columns(b: CodeBuilder, argument: Expression) -> Closure:
    """The columns of an operand: a small float, a reference to one, or a number."""
    kind = kind_of(argument.type)
    if kind is None:
        (number,) = arguments_of(b, (argument,))
        return lambda here: spread(here, number(here)).astype(F32)[:, None]
    if isinstance(argument.type, PointerType):
        argument = ir.Load(ir.Deref(argument, argument.type.to, argument.span), argument.type.to, argument.span)
    (value,) = arguments_of(b, (argument,))
    return lambda here: unpacked(value(here), kind)


def _reinterpreted(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """The bits of a small float as a number, and the other way round."""
    argument, to = e.arguments[0], b.unit.dtype(e.type)
    value = b.lower(argument)
    if kind_of(e.type) is not None:
        return lambda here: np.ascontiguousarray(spread(here, value(here))).view(np.uint8).reshape(here.count, -1)
    return None if to is None else lambda here: np.ascontiguousarray(value(here)).view(to)[:, 0]


def _to_number(b: CodeBuilder, e: ir.Call, mode: str) -> Closure | None:
    to = b.unit.dtype(e.type)
    if to is None or to.kind == "V":
        return None
    value, cast = _columns(b, e.arguments[0]), conversion(F32, to)
    rounding: NumpyFunction = {"rn": np.rint, "rd": np.floor, "ru": np.ceil}.get(mode, np.trunc)

    def run(here: ActiveThreads) -> Value:
        column = np.ascontiguousarray(value(here)[:, 0])
        if to.kind in "iu":
            column = rounding(column)
        return column if cast is None else cast(column)

    return run


def _changing(b: CodeBuilder, e: ir.Call, kind: str, function: NumpyFunction) -> Closure | None:
    """`+=` and its kin, `++` and `--`."""
    place, *others = e.arguments
    assert isinstance(place.type, PointerType)
    if others and kind_of(others[0].type) is None:  # the int that tells a postfix operator
        others = []
    elif not others and "=" in e.function.name:
        return None
    where = target(b, place)
    operand: Closure = _columns(b, others[0]) if others else lambda here: F32.type(1)
    dtype = b.unit.dtype(place.type.to)
    assert dtype is not None
    reads = b.unit.access(e.function.name, dtype, AccessKind.READ, e.span, MemoryOrder.PLAIN)
    writes = b.unit.access(e.function.name, dtype, AccessKind.WRITE, e.span, MemoryOrder.PLAIN)
    returns_old = isinstance(e.type, RecordType)

    def run(here: ActiveThreads) -> Value:
        at = where(here)
        amount = operand(here)
        old = read(here, at, reads)
        write(here, at, writes, repacked(function(unpacked(old, kind), amount), kind))
        return old if returns_old else at.address()

    return run


# ---------------------------------------------------------------- the functions


def _fused(a: Value, c: Value, d: Value) -> Value:
    return a.astype(F64) * c + d


def _fused_or_zero(a: Value, c: Value, d: Value) -> Value:
    return np.fmax(_fused(a, c, d), 0)


def _fused_complex(a: Value, c: Value, d: Value) -> Value:
    """__hcmadd: pairs are complex numbers."""
    real = a[:, 0] * c[:, 0] - a[:, 1] * c[:, 1]
    imaginary = a[:, 0] * c[:, 1] + a[:, 1] * c[:, 0]
    return np.column_stack([real, imaginary]) + d


def _saturated(function: NumpyFunction) -> NumpyFunction:
    def run(*given: Value) -> Value:
        return np.nan_to_num(np.clip(function(*given), 0, 1), nan=0.0)

    return run


def _of_all(test: BinaryFunction) -> BinaryFunction:
    return lambda a, c: np.all(test(a, c), axis=1)


def _mask_of(test: BinaryFunction) -> BinaryFunction:
    return lambda a, c: np.sum(test(a, c) * np.array([0xFFFF, 0xFFFF0000]), axis=1)


def _or_unordered(test: BinaryFunction) -> BinaryFunction:
    return lambda a, c: test(a, c) | np.isnan(a) | np.isnan(c)


def _unequal(a: Value, c: Value) -> Value:
    """`!=` of the functions that are no operators: false of NaN."""
    return (a != c) & ~np.isnan(a) & ~np.isnan(c)


def _infinite(x: Value) -> Value:
    return np.where(np.isinf(x), np.sign(x), 0)[:, 0]


def _not_a_number(x: Value) -> Value:
    return np.isnan(x)[:, 0]


def _low(x: Value) -> Value:
    return x[:, 0]


def _high(x: Value) -> Value:
    return x[:, 1]


def _chosen(*columns: int) -> NumpyFunction:
    """Some of the columns of all operands, in this order."""

    def run(*given: Value) -> Value:
        return np.hstack(given)[:, list(columns)]

    return run


def _table() -> dict[str, NumpyFunction]:
    made: dict[str, NumpyFunction] = {f"operator{sign}": function for sign, function in _SIGNS.items()}
    for name, function in _ARITHMETIC.items():
        plain, _, suffix = name.partition("_")
        for form, shown in (("", function), ("_sat", _saturated(function)), ("_rn", function)):
            made[f"__h{name}{form}"] = made[f"__h{plain}2{suffix and '_' + suffix}{form}"] = shown
    for name, function in {"__hfma": _fused, "__hneg": np.negative, "__habs": np.abs}.items():
        made[name] = made[f"{name}2"] = function
    for pair in ("", "2"):
        made[f"__hfma{pair}_sat"] = _saturated(_fused)
        made[f"__hfma{pair}_relu"] = _fused_or_zero
    for name, (sign, test) in _COMPARED.items():
        ordered = _unequal if name == "ne" else test
        made[f"operator{sign}"] = _of_all(test)
        for suffix, shown in (("", ordered), ("u", _or_unordered(test))):
            made[f"__h{name}{suffix}"] = made[f"__hb{name}{suffix}2"] = _of_all(shown)
            made[f"__h{name}{suffix}2"] = shown
            made[f"__h{name}{suffix}2_mask"] = _mask_of(shown)
    for name, function in _OF_ONE.items():
        made[f"h{name}"] = made[f"h2{name}"] = function
    return made | {
        "__h2div": np.true_divide, "__hcmadd": _fused_complex, "__hisinf": _infinite, "__hisnan2": np.isnan,
        "__hisnan": _not_a_number, "__low2float": _low, "__high2float": _high,
        "__float2half2_rn": _chosen(0, 0), "__floats2half2_rn": _chosen(0, 1), "__float22half2_rn": np.positive,
        "__half22float2": np.positive, "__half2half2": _chosen(0, 0), "__halves2half2": _chosen(0, 1),
        "make_half2": _chosen(0, 1), "__low2half": _chosen(0), "__high2half": _chosen(1), "__low2half2": _chosen(0, 0),
        "__high2half2": _chosen(1, 1), "__lows2half2": _chosen(0, 2), "__highs2half2": _chosen(1, 3),
        "__lowhigh2highlow": _chosen(1, 0),
    }  # fmt: skip


_FUNCTIONS = _table()
