"""Arguments of threads of the host: what a function that only threads call may be given, by what each one was.

    for (int i = 0; i < 4; i++) threads.emplace_back(work, x, y);      // `work` gets x and y, which are two objects
    for (int i = 0; i < 4; i++) threads.emplace_back([=] { work(x, y); });

Its launches are found with any numbers: those that it is given may have changed by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.memory.pointer_origins import ANYTHING, named_in
from hgrd.program.layout import scalars
from hgrd.program.program import Function
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, RecordType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import Region, State
from hgrd.symbolic.values import Cell, Choice, Composite, NullValue, Pointer, Value

_MOST_MEMBERS: Final = 256


def relate_to_threads(
    run: HostRunState, machine: Machine, state: State, function: Function, arguments: Sequence[Value]
) -> bool:
    """Whether all threads that call a function are known: then its arguments may lead to what these were given."""
    begun = run.coverage.in_threads.get(function.ref.key, {})
    places = run.text.of_threads.get(function.ref.key)
    given = [values for found in begun.values() for values in found]
    if not places or not places <= begun.keys() or any(len(values) != len(arguments) for values in given):
        return False
    for argument, *values in zip(arguments, *given, strict=True):
        match argument:
            case Pointer(target=target) if all(isinstance(v, Composite) for v in values):
                functors = [v for v in values if isinstance(v, Composite)]
                state.store[target.key] = Region(_pointers_in_all(functors))
                for functor in functors:
                    _record_functor(run, machine, argument, functor)
            case Pointer(target=target) if all(map(_is_known, values)):
                run.origins.record_result((target,), {name for value in values for name in named_in(value)})
            case _:
                run.origins.record_unknown((argument,))
    return True


def _is_known(value: Value) -> bool:
    """Whether it is known where a pointer leads."""
    match value:
        case Choice(then=a, otherwise=b):
            return _is_known(a) and _is_known(b)
        case _:
            return isinstance(value, Pointer | NullValue)


def _record_functor(run: HostRunState, machine: Machine, place: Pointer, functor: Composite) -> None:
    """What a thread was given to call stands at a place: nothing else leads there."""
    run.origins.record_store(machine, place, functor)
    if not _is_told(machine, functor, place.target.element):
        run.origins.record_written((place.target,), (ANYTHING,))


def _is_told(machine: Machine, functor: Composite, type_: Type | None) -> bool:
    """Whether all members are numbers, or pointers that are known."""
    record = machine.records.get(type_.key) if isinstance(type_, RecordType) else None
    if type_ is None or record is None:
        return False
    members = scalars(type_, machine.records, _MOST_MEMBERS)
    return bool(members or not record.fields) and all(_is_told_at(functor, at, member) for at, member in members)


def _is_told_at(functor: Composite, at: int, type_: Type) -> bool:
    match type_:
        case IntType() | FloatType() | BoolType():
            return True
        case PointerType():
            return at in functor.cells and _is_known(functor.cells[at].value)
        case _:
            return False


def _pointers_in_all(functors: Sequence[Composite]) -> dict[int, Cell]:
    """The pointers, by their offsets, that all functors hold."""
    first, *others = ({at: cell for at, cell in f.cells.items() if _is_fixed(cell.value)} for f in functors)
    return {at: cell for at, cell in first.items() if all(other.get(at) == cell for other in others)}


def _is_fixed(value: Value) -> bool:
    return isinstance(value, Pointer) and value.offset.is_const
