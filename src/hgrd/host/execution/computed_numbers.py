"""Numbers that code which is not given computes from numbers that it gets: `valid(n, stride)`, `std::fmod(x, y)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hgrd.host.execution.library_call import LibraryCall
from hgrd.program.layout import scalars
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import symbols_in
from hgrd.symbolic.values import FloatValue, Pointer, Value
from hgrd.terms import Symbol, Term, const

_MOST_MEMBERS: Final = 32


def note_result(call: LibraryCall, written: tuple[Value, ...], result: Value) -> None:
    """Notes from which numbers a call has computed its result; one that may write to memory is given input there."""
    if any(not isinstance(value, Term | FloatValue) for value in written):
        return
    if not isinstance(call.call.type, IntType | BoolType | FloatType):
        return
    given = frozenset[Symbol]().union(*(symbols_in(value) for value in _numbers(call)))
    if given:
        call.run.computed |= dict.fromkeys(symbols_in(result), given)


def _numbers(call: LibraryCall) -> Iterator[Value]:
    """The numbers that a call is given, also those that it is given the address of."""
    for index, value in enumerate(call.arguments):
        type_ = call.type_of(index)
        if isinstance(value, Term | FloatValue):
            yield value
        elif isinstance(value, Pointer) and isinstance(type_, PointerType):
            for at, member in _members(call, type_.to):
                yield load(call.machine, call.state, move(value, const(at)), member, call.span)


def _members(call: LibraryCall, type_: Type) -> list[tuple[int, Type]]:
    members = scalars(type_, call.machine.records, _MOST_MEMBERS)
    return [(at, member) for at, member in members if isinstance(member, IntType | BoolType | FloatType)]
