"""Pointers: moving, subtracting and comparing them."""

from __future__ import annotations

from hgrd.program.expressions import BinaryOp
from hgrd.program.types import BoolType
from hgrd.symbolic import integers
from hgrd.symbolic.values import (
    NULL,
    OPAQUE,
    Choice,
    FunctionValue,
    MemoryObject,
    MemorySpace,
    NullValue,
    Pointer,
    Value,
)
from hgrd.terms import (
    FALSE,
    TRUE,
    Origin,
    Symbol,
    Term,
    add,
    const,
    div,
    eq,
    ite,
    ne,
    neg,
    negate,
    sub,
    var,
)

_FAR = 1 << 40  # bytes between two objects
_EQUALITIES = (BinaryOp.EQ, BinaryOp.NE)


def compare(op: BinaryOp, a: Value, b: Value) -> Term | None:
    """`a op b` on pointers; None where nothing is known of the result."""
    match a, b:
        case Pointer(), Pointer() if a.target == b.target:
            return integers.binary(op, a.offset, b.offset, BoolType())
        case (NullValue(), NullValue()):
            return TRUE if op in (BinaryOp.EQ, BinaryOp.LE, BinaryOp.GE) else FALSE
        case (Pointer() as pointer, NullValue()) | (NullValue(), Pointer() as pointer) if op in _EQUALITIES:
            return is_null(pointer) if op is BinaryOp.EQ else negate(is_null(pointer))
        case Pointer(), Pointer() if _found_in_memory(a) and _found_in_memory(b):
            return integers.binary(op, a.offset, b.offset, BoolType())
        case Pointer(), Pointer() if from_outside(a.target) or from_outside(b.target):
            return integers.binary(op, a.offset, add(b.offset, distance(a.target, b.target)), BoolType())
        case Pointer(), Pointer() if op in _EQUALITIES and not _found_in_memory(a) and not _found_in_memory(b):
            return TRUE if op is BinaryOp.NE else FALSE
        case (FunctionValue(function=f), FunctionValue(function=g)) if f.key == g.key:
            return TRUE if op in (BinaryOp.EQ, BinaryOp.LE, BinaryOp.GE) else FALSE
        case (FunctionValue() | NullValue(), FunctionValue() | NullValue()) if op in (BinaryOp.EQ, BinaryOp.NE):
            return TRUE if op is BinaryOp.NE else FALSE
        case Choice(condition=c, then=x, otherwise=y), _:
            then, other = compare(op, x, b), compare(op, y, b)
            return None if then is None or other is None else ite(c, then, other)
        case _, Choice(condition=c, then=x, otherwise=y):
            then, other = compare(op, a, x), compare(op, a, y)
            return None if then is None or other is None else ite(c, then, other)
        case _:
            return None


def _found_in_memory(pointer: Pointer) -> bool:
    """Whether a pointer was read from memory: its offset is then its whole address."""
    return pointer.target.key.startswith("*") and not pointer.offset.is_const


def from_outside(target: MemoryObject) -> bool:
    """Whether a pointer comes from host code that is not given: it may be null, or point into another object."""
    return target.external and target.space is MemorySpace.HOST


def distance(a: MemoryObject, b: MemoryObject) -> Term:
    """The distance in bytes from the start of `a` to the start of `b`: a symbol, or its negation."""
    one, two = a.key, b.key
    name = f"{max(one, two)} - {min(one, two)}"
    between = var(Symbol(name, -_FAR, _FAR, Origin.ADDRESS))
    return between if one < two else neg(between)


def is_null(pointer: Pointer) -> Term:
    """Whether a pointer is null: only pointers read from memory or given by unknown callers may be."""
    if from_outside(pointer.target):
        return ne(var(Symbol(f"{pointer.target.key} is null", 0, 1, Origin.ADDRESS)), const(0))
    return eq(pointer.offset, const(0)) if _found_in_memory(pointer) else FALSE


def move(pointer: Value, distance: Term) -> Value:
    """`pointer` plus `distance` bytes."""
    match pointer:
        case Pointer(target=target, offset=offset):
            return Pointer(target, add(offset, distance))
        case Choice(condition=c, then=a, otherwise=b):
            x, y = move(a, distance), move(b, distance)
            if isinstance(x, Pointer | Choice | NullValue) and isinstance(y, Pointer | Choice | NullValue):
                return Choice(c, x, y)
            return OPAQUE
        case NullValue():
            return NULL
        case _:
            return OPAQUE


def difference(a: Value, b: Value, stride: int) -> Term | None:
    """`a - b` in elements of `stride` bytes; None for pointers into different objects."""
    match a, b:
        case Pointer(), Pointer() if a.target == b.target and stride > 0:
            return div(sub(a.offset, b.offset), const(stride))
        case _:
            return None
