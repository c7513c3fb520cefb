"""half and bfloat16 (CUDA Math API, "Half Precision Arithmetic Functions"): computed in float, rounded once."""

from __future__ import annotations

import re

import numpy as np

from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, RecordType, Type
from hgrd.simulate.lockstep.access import read
from hgrd.simulate.lockstep.arithmetic import F32, F64, BinaryFunction, NumpyFunction, UnaryFunction, Value, conversion
from hgrd.simulate.lockstep.builder import CodeBuilder
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.thread_numbers import spread
from hgrd.simulate.trace import MemoryOrder

_LANES = {"__half": 1, "__half2": 2, "__nv_bfloat16": 1, "__nv_bfloat162": 2}
_OPERATORS: dict[str, BinaryFunction] = {
    "operator+": np.add, "operator-": np.subtract, "operator*": np.multiply, "operator/": np.true_divide,
    "__hadd": np.add, "__hsub": np.subtract, "__hmul": np.multiply, "__hdiv": np.true_divide, "__hadd2": np.add,
    "__hsub2": np.subtract, "__hmul2": np.multiply, "__h2div": np.true_divide, "__hmax": np.fmax, "__hmin": np.fmin,
    "__hmax2": np.fmax, "__hmin2": np.fmin, "__hadd_rn": np.add, "__hsub_rn": np.subtract, "__hmul_rn": np.multiply,
}  # fmt: skip
_TESTS: dict[str, BinaryFunction] = {
    "operator==": np.equal, "operator!=": np.not_equal, "operator<": np.less, "operator<=": np.less_equal,
    "operator>": np.greater, "operator>=": np.greater_equal, "__heq": np.equal, "__hne": np.not_equal,
    "__hlt": np.less, "__hle": np.less_equal, "__hgt": np.greater, "__hge": np.greater_equal,
}  # fmt: skip
_FUNCTIONS: dict[str, UnaryFunction] = {
    "__hneg": np.negative, "__hneg2": np.negative, "__habs": np.abs, "__habs2": np.abs, "hsqrt": np.sqrt,
    "hexp": np.exp, "hlog": np.log, "hsin": np.sin, "hcos": np.cos, "hfloor": np.floor, "hceil": np.ceil,
    "hrint": np.rint, "htrunc": np.trunc, "hrcp": np.reciprocal, "hrsqrt": lambda x: 1 / np.sqrt(x), "h2sqrt": np.sqrt,
    "h2exp": np.exp, "hexp2": np.exp2, "hlog2": np.log2, "htanh": np.tanh,
}  # fmt: skip
_TO_NUMBER = re.compile(
    r"^(?:__(?:half|bfloat16)2(?:float|int_r[nzdu]|uint_r[nzdu]|short_r[nzdu]|ushort_r[nzdu]|ll_r[nzdu])|operator .*)$"
)
_FROM_NUMBER = re.compile(r"^__(?:float|double|int|uint|short|ushort|ll|ull)2(?:half|bfloat16)(?:_r[nzdu])?$")
_ASSIGNS = {"operator+=": np.add, "operator-=": np.subtract, "operator*=": np.multiply, "operator/=": np.true_divide}


def kind_of(type_: Type) -> str | None:
    """The name of a small float, or a pair of them, behind a type or reference to it."""
    while isinstance(type_, PointerType):
        type_ = type_.to
    return type_.key if isinstance(type_, RecordType) and type_.key in _LANES else None


def unpacked(rows: Value, kind: str) -> Value:
    """One or two floats a thread, in a column each."""
    if "bfloat" in kind:
        wide = np.ascontiguousarray(rows).view(np.uint16).astype(np.uint32) << np.uint32(16)
        return wide.view(np.float32)
    return np.ascontiguousarray(rows).view(np.float16).astype(F32)


def repacked(columns: Value, kind: str) -> Value:
    """Rounded to nearest even."""
    if "bfloat" in kind:
        bits = np.ascontiguousarray(columns, F32).view(np.uint32)
        rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
        kept = np.where(np.isnan(columns), np.uint32(0x7FFF), rounded)
        return kept.astype(np.uint16).view(np.uint8).reshape(len(bits), -1)
    return np.ascontiguousarray(np.asarray(columns).astype(np.float16)).view(np.uint8).reshape(len(columns), -1)


def from_number(b: CodeBuilder, type_: Type, argument: Expression) -> Closure | None:
    """A small float made of a number; None for other types."""
    kind = kind_of(type_)
    if kind is None or _LANES[kind] != 1 or not isinstance(argument.type, IntType | FloatType | BoolType):
        return None
    value = b.lower(argument)
    return lambda here: repacked(spread(here, value(here)).astype(F64)[:, None], kind)


def half_call(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """Functions of small floats; None for others."""
    name, arguments = e.function.name, e.arguments
    result = kind_of(e.type) if isinstance(e.type, RecordType) else None
    kinds = [kind_of(a.type) for a in arguments]
    if result is None and not any(kinds):
        return None
    if _FROM_NUMBER.match(name) and result is not None and len(arguments) == 1:
        return from_number(b, e.type, arguments[0])
    if not kinds or not all(kinds):
        return None
    kind = kinds[0] or ""
    if name in _ASSIGNS and isinstance(arguments[0].type, PointerType):
        return _assigning(b, e, kind, _ASSIGNS[name])
    values = [_columns(b, a, kind) for a in arguments]
    if result is None and len(values) == 1 and _TO_NUMBER.match(name):
        return _to_number(b, e, values[0])
    if name in _TESTS and len(values) == 2:
        test = _TESTS[name]
        return lambda here: np.all(test(values[0](here), values[1](here)), axis=1)
    function = _function(name, len(values))
    if function is None or result is None:
        return None
    return lambda here: repacked(function(*[v(here) for v in values]), result)


def _function(name: str, count: int) -> NumpyFunction | None:
    if count == 3 and name in ("__hfma", "__hfma2"):
        return _fused
    if count == 1 and name == "operator-":
        return np.negative
    if count == 1:
        return _FUNCTIONS.get(name)
    return _OPERATORS.get(name) if count == 2 else None


def _fused(a: Value, c: Value, d: Value) -> Value:
    return a.astype(F64) * c + d


def _columns(b: CodeBuilder, argument: Expression, kind: str) -> Closure:
    if isinstance(argument.type, PointerType):
        argument = ir.Load(ir.Deref(argument, argument.type.to, argument.span), argument.type.to, argument.span)
    value = b.lower(argument)
    return lambda here: unpacked(value(here), kind)


def _to_number(b: CodeBuilder, e: ir.Call, value: Closure) -> Closure | None:
    to = b.unit.dtype(e.type)
    if to is None or to.kind == "V":
        return None
    cast = conversion(F32, to)

    def run(here: ActiveThreads) -> Value:
        column = np.ascontiguousarray(value(here)[:, 0])
        return column if cast is None else cast(column)

    return run


def _assigning(b: CodeBuilder, e: ir.Call, kind: str, function: NumpyFunction) -> Closure:
    from hgrd.simulate.lockstep.access import write
    from hgrd.simulate.lockstep.lvalues import target

    place, other = e.arguments
    assert isinstance(place.type, PointerType)
    where, operand = target(b, place), _columns(b, other, kind)
    dtype = b.unit.dtype(place.type.to)
    assert dtype is not None
    reads = b.unit.access(e.function.name, dtype, AccessKind.READ, e.span, MemoryOrder.PLAIN)
    writes = b.unit.access(e.function.name, dtype, AccessKind.WRITE, e.span, MemoryOrder.PLAIN)

    def run(here: ActiveThreads) -> Value:
        at = where(here)
        amount = operand(here)
        write(here, at, writes, repacked(function(unpacked(read(here, at, reads), kind), amount), kind))
        return at.address()

    return run
