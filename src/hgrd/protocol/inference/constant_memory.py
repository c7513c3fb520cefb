"""Constant memory: what the host has put there, as device code reads it."""

from __future__ import annotations

from hgrd.program.layout import scalars
from hgrd.program.types import ArrayType, FunctionType, IntType, PointerType, RecordType, Type
from hgrd.protocol.inference.read_only_memory import value_of_read_only
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import fits
from hgrd.symbolic.values import (
    Cell,
    Choice,
    Composite,
    FunctionValue,
    MemoryObject,
    Pointer,
    PointerValue,
    Value,
)
from hgrd.terms import Term, add, const, eq, ite
from hgrd.terms.linear import linear

_CHAIN = 32  # an index that is not constant becomes a choice among at most this many elements


def held_value(machine: Machine, held: Composite, target: MemoryObject, offset: Term, type_: Type) -> Value:
    """Value of `type_` at an offset; unknown parts of it are a function of the place."""
    if isinstance(type_, RecordType | ArrayType):
        members = scalars(type_, machine.records, 256)
        cells = {
            at: Cell(held_value(machine, held, target, add(offset, const(at)), t), machine.size(t) or 1)
            for at, t in members
        }
        return Composite(cells, machine.size(type_) or 0)
    if offset.is_const:
        cell = held.cells.get(offset.value)
        if cell is not None and cell.size == machine.size(type_) and _is_known(cell.value, type_):
            return cell.value
        return value_of_read_only(machine, target, offset, type_)
    return _any_of(machine, held, target, offset, type_)


def _any_of(machine: Machine, held: Composite, target: MemoryObject, offset: Term, type_: Type) -> Value:
    """Element at an index that is not constant: a choice among few numbers, or functions."""
    size = machine.size(type_)
    near = {o: c for o, c in held.cells.items() if offset.low <= o <= offset.high}
    if size is not None and len(near) <= _CHAIN and _is_aligned(offset, size):
        elements = _elements(held, offset, size)
        numbers = {o: c.value for o, c in near.items() if c.size == size and isinstance(c.value, Term)}
        functions = {o: c.value for o, c in near.items() if c.size == size and isinstance(c.value, FunctionValue)}
        if isinstance(type_, IntType) and numbers and numbers.keys() >= elements:
            return _chosen(offset, numbers)
        if _is_of_function(type_) and functions and functions.keys() >= elements:
            _, function = functions.popitem()
            pointer: PointerValue = function
            for o, other in functions.items():
                pointer = Choice(eq(offset, const(o)), other, pointer)
            return pointer
    return value_of_read_only(machine, target, offset, type_)


def _chosen(offset: Term, numbers: dict[int, Term]) -> Term:
    """The number at an offset, which is one of these."""
    _, value = numbers.popitem()
    for o, number in numbers.items():
        value = ite(eq(offset, const(o)), number, value)
    return value


def _is_of_function(type_: Type) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.to, FunctionType)


def _is_aligned(offset: Term, size: int) -> bool:
    constant, atoms = linear(offset)
    return constant % size == 0 and all(c % size == 0 for c in atoms.values())


def _elements(held: Composite, offset: Term, size: int) -> set[int]:
    """Offsets within the object that an aligned offset can be."""
    low, high = max(offset.low, 0), min(offset.high, held.size - size)
    return set(range(low + -low % size, high + 1, size)) if high - low < size * _CHAIN else {-1}


def _is_known(value: Value, type_: Type) -> bool:
    """Whether device code can read this value by the type: a pointer to known objects, a function, or a number."""
    if isinstance(value, Choice):
        return _is_known(value.then, type_) and _is_known(value.otherwise, type_)
    if _is_of_function(type_):
        return isinstance(value, FunctionValue)
    return isinstance(value, Pointer) if isinstance(type_, PointerType) else fits(value, type_)
