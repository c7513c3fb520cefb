"""Expressions as closures over groups of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.expressions import BinaryOp, Expression
from hgrd.program.span import Span
from hgrd.program.types import BOOL, ArrayType, PointerType, RecordType
from hgrd.simulate.lockstep import arithmetic
from hgrd.simulate.lockstep.access import read, write
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.bit_fields import bit_field, cut, extracted, store_field, unit_of
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails, harmless, keep, kept
from hgrd.simulate.lockstep.instructions import ActiveThreads, Branch, Closure, Do, Jump
from hgrd.simulate.lockstep.lvalues import load, locate, simple, slot_of, storer, target
from hgrd.simulate.lockstep.memory import widened
from hgrd.simulate.trace import MemoryOrder


def lower(b: CodeBuilder, e: Expression) -> Closure:
    """The value of `e`; instructions that it needs are emitted."""
    match e:
        case ir.Load(place=place, type=type_, span=span, volatile=volatile):
            return load(b, place, type_, span, volatile)
        case ir.IntConst() | ir.FloatConst() | ir.NullPointer() | ir.StringConst():
            return _constant(b, e)
        case ir.Binary(op=op, left=left, right=right):
            return _binary(b, op, left, right)
        case ir.Unary(op=op, operand=operand):
            run, value = arithmetic.unary(op), lower(b, operand)
            return lambda here: run(value(here))
        case ir.Convert(operand=operand):
            return _convert(b, operand, e)
        case ir.PointerAdd() | ir.AddressOf():
            where = target(b, e)
            return lambda here: where(here).address()
        case ir.Assign():
            return _assign(b, e)
        case ir.Update():
            return _update(b, e)
        case ir.Logical():
            return _logical(b, e)
        case ir.Conditional():
            return _conditional(b, e)
        case ir.Call() | ir.IndirectCall() | ir.Construct() | ir.New():
            return b.call(e)
        case _:
            return _rare(b, e)


def _rare(b: CodeBuilder, e: Expression) -> Closure:
    match e:
        case ir.PointerDifference(left=left, right=right, stride=stride, span=span):
            if stride == 0:
                return fails("pointer arithmetic on a type of unknown size", span)
            a, c = both(b, left, right)
            return lambda here: (a(here) - c(here)) // np.int64(stride)
        case ir.Comma(left=left, right=right, span=span):
            return _comma(b, left, right, span)
        case ir.Aggregate():
            return _aggregate(b, e)
        case ir.FunctionAddress(function=function):
            if function.key not in b.unit.pointed:
                b.unit.pointed.append(function.key)
            number = np.int64(b.unit.pointed.index(function.key) + 1)
            return lambda here: number
        case ir.Launch():
            return b.unit.lowering.launch(b, e)
        case ir.Throw(span=span):
            return fails("an exception", span)
        case ir.Unsupported(reason=reason, span=span):
            return fails(reason, span)
        case _:
            return fails(f"an expression of kind {type(e).__name__}", e.span)


def launched_by_device(b: CodeBuilder, e: ir.Launch) -> Closure:
    """A kernel launched from device code, which ends the run."""
    return fails("a kernel launched from device code", e.span)


def both(b: CodeBuilder, left: Expression, right: Expression) -> tuple[Closure, Closure]:
    """Two values, the left one first."""
    a = lower(b, left)
    if b.controls(right):
        a = b.spill(a, left.type, left.span)
    return a, lower(b, right)


def _constant(b: CodeBuilder, e: ir.IntConst | ir.FloatConst | ir.NullPointer | ir.StringConst) -> Closure:
    dtype = b.unit.dtype(e.type)
    if dtype is None:
        return fails("a constant of a type that numpy has not", e.span)
    match e:
        case ir.IntConst(value=value):
            made = dtype.type(value & 1) if dtype.kind == "b" and value in (0, 1) else _wrapped(value, dtype)
        case ir.FloatConst(value=value):
            made = dtype.type(value)
        case _:
            made = dtype.type(0) if dtype.kind != "V" else np.zeros((1, dtype.itemsize), np.uint8)
    return lambda here: made


def _wrapped(value: int, dtype: np.dtype[np.generic]) -> np.generic:
    bits = 8 * dtype.itemsize
    unsigned = np.array([value & ((1 << bits) - 1)], f"u{dtype.itemsize}")
    return unsigned.view(dtype)[0] if dtype.kind in "iu" else dtype.type(value)


def _binary(b: CodeBuilder, op: BinaryOp, left: Expression, right: Expression) -> Closure:
    dtype = b.unit.dtype(left.type)
    a, c = both(b, left, right)
    if dtype is None:
        return fails("arithmetic on a type that numpy has not", left.span)
    run = arithmetic.binary(op, dtype)
    return lambda here: run(a(here), c(here))


def _convert(b: CodeBuilder, operand: Expression, e: ir.Convert) -> Closure:
    source, to = b.unit.dtype(operand.type), b.unit.dtype(e.type)
    value = lower(b, operand)
    if source is None or to is None:
        return value if to is None else fails("a conversion from a type that numpy has not", e.span)
    if "V" in (source.kind, to.kind):
        return value if source == to else fails("a conversion of records", e.span)
    run = arithmetic.conversion(source, to)
    return value if run is None else lambda here: run(value(here))


# ---------------------------------------------------------------- stores


def _assign(b: CodeBuilder, e: ir.Assign) -> Closure:
    place, value = e.place, e.value
    made = lower(b, value)
    if b.controls(place):
        made = b.spill(made, value.type, value.span)
    put, field = storer(b, place, value.type, _order(e)), bit_field(simple(place))

    def run(here: ActiveThreads) -> Value:
        stored = made(here)
        put(here, stored)
        return stored if field is None else cut(stored, field)

    return run


def _update(b: CodeBuilder, e: ir.Update) -> Closure:
    place = simple(e.place)
    operand = lower(b, e.value)
    if b.controls(place):
        operand = b.spill(operand, e.value.type, e.value.span)
    compute = _stepping(e) if e.stride else _computing(b, e)
    dtype = b.unit.dtype(e.type)
    if dtype is None or compute is None:
        return fails("arithmetic on a type that numpy has not", e.span)
    postfix = e.postfix
    slot = slot_of(b, place)
    if slot is not None:
        number = slot.number

        def run_slot(here: ActiveThreads) -> Value:
            amount = operand(here)
            held = here.frame.slots[number]
            old = held.load(here.lanes)
            new = compute(old, amount)
            held.store(here.lanes, new)
            return old if postfix else new

        return run_slot
    where, field = locate(b, place), bit_field(place)
    if field is not None:
        dtype = unit_of(field)
    reads = b.unit.access(place, dtype, AccessKind.READ, place.span, _order(e))
    writes = b.unit.access(place, dtype, AccessKind.WRITE, place.span, _order(e))

    def run(here: ActiveThreads) -> Value:
        amount = operand(here)
        at = where(here)
        old = read(here, at, reads)
        if field is None:
            new = compute(old, amount)
            write(here, at, writes, new)
        else:
            old = extracted(old, field)
            new = cut(compute(old, amount), field)
            store_field(here, at, writes, new, field)
        return old if postfix else new

    return run


def _order(e: ir.Assign | ir.Update) -> MemoryOrder:
    return MemoryOrder.VOLATILE if e.volatile else MemoryOrder.PLAIN


def _stepping(e: ir.Update) -> Callable[[Value, Value], Value]:
    stride = np.int64(e.stride if e.op is BinaryOp.ADD else -e.stride)
    return lambda old, amount: old + widened(amount) * stride


def _computing(b: CodeBuilder, e: ir.Update) -> Callable[[Value, Value], Value] | None:
    held, wide = b.unit.dtype(e.type), b.unit.dtype(e.compute_type)
    if held is None or wide is None or "V" in (held.kind, wide.kind):
        return None
    run = arithmetic.binary(e.op, wide)
    before, after = arithmetic.conversion(held, wide), arithmetic.conversion(wide, held)
    if before is None or after is None:
        return run
    return lambda old, amount: after(run(before(old), amount))


# ---------------------------------------------------------------- choices


def _logical(b: CodeBuilder, e: ir.Logical) -> Closure:
    left = lower(b, e.left)
    if b.controls(e.right):
        return _logical_in_steps(b, e, left)
    right, conjunction = lower(b, e.right), e.conjunction
    if harmless(e.right):
        both_of = np.logical_and if conjunction else np.logical_or
        return lambda here: both_of(left(here), right(here))

    def run(here: ActiveThreads) -> Value:
        known = left(here)
        go = known if conjunction else np.logical_not(known)
        if np.all(go):
            return right(here)
        if not np.any(go):
            return known
        found = known.copy()
        found[go] = right(here.narrowed(go))
        return found

    return run


def _logical_in_steps(b: CodeBuilder, e: ir.Logical, left: Closure) -> Closure:
    number = b.slot(arithmetic.BOOL)
    b.emit(Do(keep(number, left), e.span, 0))
    load_ = kept(number)

    def negated(here: ActiveThreads) -> Value:
        return np.logical_not(load_(here))

    skip = Branch(load_ if e.conjunction else negated, -1, e.span, 0)
    b.emit(skip)
    b.emit(Do(keep(number, lower(b, e.right)), e.right.span, 0))
    skip.otherwise = b.here
    return load_


def _conditional(b: CodeBuilder, e: ir.Conditional) -> Closure:
    condition = lower(b, e.condition)
    dtype = b.unit.dtype(e.type)
    if b.controls(e.then) or b.controls(e.otherwise) or dtype is None:
        return _conditional_in_steps(b, e, condition)
    then, otherwise = lower(b, e.then), lower(b, e.otherwise)
    if harmless(e.then) and harmless(e.otherwise):

        def choose(here: ActiveThreads) -> Value:
            test = condition(here)
            if arithmetic.uniform(test):
                return then(here) if test else otherwise(here)
            return arithmetic.choose(test, then(here), otherwise(here))

        return choose

    def run(here: ActiveThreads) -> Value:
        test = condition(here)
        if np.all(test):
            return then(here)
        if not np.any(test):
            return otherwise(here)
        a = then(here.narrowed(test))
        c = otherwise(here.narrowed(~test))
        found = np.empty((here.count, *np.shape(a)[1:]), a.dtype)
        found[test], found[~test] = a, c
        return found

    return run


def _conditional_in_steps(b: CodeBuilder, e: ir.Conditional, condition: Closure) -> Closure:
    dtype = b.unit.dtype(e.type)
    number = None if dtype is None else b.slot(dtype)

    def arm(value: Expression) -> None:
        made = lower(b, value)
        b.emit(Do(made if number is None else keep(number, made), value.span, 0))

    fork = Branch(condition, -1, e.span, 0)
    b.emit(fork)
    arm(e.then)
    over = Jump(-1, e.span)
    b.emit(over)
    fork.otherwise = b.here
    arm(e.otherwise)
    over.target = b.here
    return (lambda here: None) if number is None else kept(number)


def _comma(b: CodeBuilder, left: Expression, right: Expression, span: Span) -> Closure:
    first = lower(b, left)
    if b.controls(right):
        b.emit(Do(first, span, 0))
        return lower(b, right)
    second = lower(b, right)

    def run(here: ActiveThreads) -> Value:
        first(here)
        return second(here)

    return run


# ---------------------------------------------------------------- records


def _aggregate(b: CodeBuilder, e: ir.Aggregate) -> Closure:
    size = b.unit.size(e.type)
    if size is None:
        return fails("a value of unknown size", e.span)
    if not isinstance(e.type, RecordType | ArrayType):
        return lower(b, e.parts[0][1]) if e.parts else fails("an empty value", e.span)
    last = max((i for i, (_, value) in enumerate(e.parts) if b.controls(value)), default=-1)
    parts: list[tuple[int, int, Closure]] = []
    for i, (offset, value) in enumerate(e.parts):
        made, dtype = lower(b, value), b.unit.dtype(value.type)
        if dtype is None:
            return fails("a member of unknown size", value.span)
        parts.append((offset, dtype.itemsize, b.spill(made, value.type, value.span) if i < last else made))

    def run(here: ActiveThreads) -> Value:
        rows = np.zeros((here.count, size), np.uint8)
        for offset, width, made in parts:
            rows[:, offset : offset + width] = as_bytes(made(here))
        return rows

    return run


def as_bytes(value: Value) -> Value:
    """The bytes of numbers, one row per thread (or one for all)."""
    if np.ndim(value) == 2:
        return value
    flat: NDArray[Any] = np.ascontiguousarray(np.atleast_1d(np.asarray(value)))
    return flat.view(np.uint8).reshape(flat.shape[0], -1)


def condition(b: CodeBuilder, e: Expression) -> Closure:
    """`e` as a condition."""
    if e.type == BOOL or isinstance(e.type, PointerType):
        value = lower(b, e)
        return value if e.type == BOOL else lambda here: value(here) != 0
    value = lower(b, e)
    return lambda here: value(here) != 0


def packed(b: CodeBuilder, arguments: tuple[Expression, ...], size: int, span: Span) -> Closure:
    """A record of the arguments, one after the other."""
    values = arguments_of(b, arguments)

    def run(here: ActiveThreads) -> Value:
        rows = np.zeros((here.count, size), np.uint8)
        at = 0
        for value in values:
            part = as_bytes(value(here))
            rows[:, at : at + part.shape[1]] = part
            at += part.shape[1]
        return rows

    return run
