"""Loops that are unrolled: run iteration by iteration.

Those that fill local arrays or lists of pointers a small constant number of times, those that walk over such a list,
and those in which constants decide every branch:

    for (bit = 31; bit >= 0; bit--) if (1000 & (1 << bit)) break;
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from hgrd.program.analysis.effects import Effects
from hgrd.program.expressions import Deref, FieldPlace, Load, Place, VariablePlace
from hgrd.program.layout import holds_pointers
from hgrd.program.statements import Block, DoWhile, Loop
from hgrd.program.types import ArrayType, OpaqueType, PointerType, Record, RecordType, Type
from hgrd.program.walk import nodes
from hgrd.symbolic.loops.iteration import LoopShape, run_iteration, speculation, speculative_test
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, locate
from hgrd.symbolic.memory.members import member_at
from hgrd.symbolic.state import EMPTY, State, merge
from hgrd.symbolic.values import MemoryObject, Pointer, pointed_to
from hgrd.terms import FALSE, TRUE, const

_MOST = 64  # iterations
_MOST_IN_LIST = 16
_MOST_ENTRIES = 8  # of a table of pointers that is filled through its address; what fills a larger one is a pattern


def unroll(machine: Machine, state: State, shape: LoopShape, effects: Effects) -> State | None:
    """The state after a loop that is run iteration by iteration; None if it is not such a loop."""
    if not shape.test_first or shape.test is None:
        return None
    if _fills_arrays(machine, state, effects) or _fills_places(machine, state, shape, effects):
        count = partial(_count, most=_MOST)
    elif _fills_tables(machine, state, shape, effects):
        count = partial(_count, most=_MOST_ENTRIES)
    elif lists := _lists(machine, state, shape, effects):
        count = partial(_count_list, lists=lists)
    elif machine.semantics.runs_concretely(effects) and not _has_loops(shape):
        count = _settled
    else:
        return None
    with speculation(machine):
        trips = count(machine, state.copy(), shape)
    if trips is None:
        return None
    out: list[State] = []
    current: State | None = state
    for _ in range(trips):
        if current is None:
            break
        current, breaks = run_iteration(machine, current, shape)
        out.extend(breaks)
    if current is not None and current.alive:
        speculative_test(machine, current, shape.test)  # for its side effects
    ends = [*out, *([current] if current is not None else [])]
    merged = merge(ends)
    if merged is None:
        state.kill(shape.span)
        return state
    return merged


def _fills_arrays(machine: Machine, state: State, effects: Effects) -> bool:
    objects = [machine.object_of(v) for v in effects.arrays if machine.semantics.unrolls_array(v)]
    return any(target.space not in SHARED_SPACES and target.key in state.store for target in objects)


class _List(NamedTuple):
    """A list of `length` elements, of which a loop uses some."""

    place: Pointer
    type: Type | None
    length: int


def _lists(machine: Machine, state: State, shape: LoopShape, effects: Effects) -> list[_List]:
    """The lists of known length that a loop is about."""
    walked = (t for v in effects.assigned for t in _targets(state, machine.object_of(v)))
    whole = (*(machine.object_of(v) for v in effects.exposed), *walked)
    places = (*((Pointer(target, const(0)), target.element) for target in whole), *_members(machine, state, shape))
    found = ((place, type_, machine.semantics.list_length(state, place, type_)) for place, type_ in places)
    return [_List(place, type_, length) for place, type_, length in found if length is not None]


def _members(machine: Machine, state: State, shape: LoopShape) -> Iterator[tuple[Pointer, Type]]:
    """The members that the body of a loop names and that have elements, of variables and of what pointers lead to."""
    for place in nodes(shape.body):
        holds = isinstance(place, FieldPlace) and isinstance(place.field.type, OpaqueType | ArrayType)
        if isinstance(place, FieldPlace) and holds and _is_plain(place.base):
            with speculation(machine):
                found = locate(machine, state.copy(), place)
            if isinstance(found, Pointer):
                yield found, place.field.type


def _is_plain(place: Place) -> bool:
    """Whether a place is a variable, or what one leads to, or a member of such a place."""
    match place:
        case VariablePlace() | Deref(pointer=Load(place=VariablePlace())):
            return True
        case FieldPlace(base=base):
            return _is_plain(base)
        case _:
            return False


def _fills_tables(machine: Machine, state: State, shape: LoopShape, effects: Effects) -> bool:
    """Whether a loop may fill tables of pointers: `cudaMalloc(&table[i], …)`, or a pointer walks over one.

    They are variables, or members of objects.
    """
    passed = [t for v in effects.exposed if (t := machine.object_of(v)).key in state.store]
    walked = [p for v in effects.assigned for p in _pointers(state, machine.object_of(v))]
    if any(t.space not in SHARED_SPACES and _is_table(machine, t) for t in (*passed, *(p.target for p in walked))):
        return True
    within = ((p.target, member_at(machine.records, p.target.element, p.offset)) for p in walked)
    members = (
        *((t, f.type) for t, f in within if f),
        *((p.target, type_) for p, type_ in _members(machine, state, shape)),
    )
    return any(t.space not in SHARED_SPACES and _holds_table(machine, type_) for t, type_ in members)


def _fills_places(machine: Machine, state: State, shape: LoopShape, effects: Effects) -> bool:
    """Whether a loop may store where a table says: `*table[i].place = …`."""
    if not effects.through_pointers:
        return False
    named = {node.variable for node in nodes(shape.body) if isinstance(node, VariablePlace)}
    tables = (v for v in sorted(named, key=lambda v: v.key) if _is_table_of_places(v.type, machine.records))
    for target in map(machine.object_of, tables):
        for table in (target, *_targets(state, target)):
            if table.space not in SHARED_SPACES and state.store.get(table.key, EMPTY).cells:
                return True
    return False


def _is_table_of_places(type_: Type, records: Mapping[str, Record]) -> bool:
    """Whether a variable is, or leads to, elements that are addresses of pointers, or records with one as a member."""
    elements = type_.to if isinstance(type_, PointerType) else type_
    if isinstance(elements, ArrayType):
        elements = elements.of
    elif elements is type_:
        return False
    record = records.get(elements.key) if isinstance(elements, RecordType) else None
    types = (elements,) if record is None else tuple(f.type for f in record.fields)
    return any(isinstance(t, PointerType) and isinstance(t.to, PointerType) for t in types)


def _targets(state: State, variable: MemoryObject) -> Iterator[MemoryObject]:
    """The objects that a variable may point to."""
    for cell in state.store.get(variable.key, EMPTY).cells.values():
        yield from pointed_to(cell.value)


def _pointers(state: State, variable: MemoryObject) -> Iterator[Pointer]:
    """The pointers in a variable that are surely these."""
    values = (cell.value for cell in state.store.get(variable.key, EMPTY).cells.values())
    return (value for value in values if isinstance(value, Pointer))


def _holds_table(machine: Machine, type_: Type) -> bool:
    """Whether a member is an array of pointers, or of records with some."""
    return isinstance(type_, ArrayType) and holds_pointers(type_.of, machine.records)


def _is_table(machine: Machine, target: MemoryObject) -> bool:
    """Whether an object is a pointer, or an array of pointers or of records with some."""
    element = target.element
    return isinstance(element, PointerType) or (element is not None and _holds_table(machine, element))


def _has_loops(shape: LoopShape) -> bool:
    return any(isinstance(node, Loop | DoWhile) for node in nodes(shape.body))


def _settled(machine: Machine, state: State, shape: LoopShape) -> int | None:
    """The number of iterations that are begun; None if there is more than one path through them, or too many."""
    assert shape.test is not None
    current: State | None = state
    for trips in range(_MOST + 1):
        if current is None or not current.alive:
            return trips
        test = speculative_test(machine, current.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        returned = len(machine.frame.returns)
        current, breaks = run_iteration(machine, current, shape)
        goes_on = current is not None and current.alive
        if goes_on + sum(b.alive for b in breaks) + len(machine.frame.returns) - returned > 1:
            return None
    return None


def _count_list(machine: Machine, state: State, shape: LoopShape, *, lists: Sequence[_List]) -> int | None:
    """The constant number of iterations of a loop that adds elements to a list in each, or walks over one."""
    tested = _count_by_test(machine, state.copy(), shape)
    if tested is None or not any(found.length - tested in (0, 1) for found in lists):  # elements, or neighbours
        after, _ = run_iteration(machine, state.copy(), shape)
        if after is None or not any(
            (machine.semantics.list_length(after, place, type_) or 0) > length for place, type_, length in lists
        ):
            return None
    return _count(machine, state, shape, most=_MOST_IN_LIST)


def _count_by_test(machine: Machine, state: State, shape: LoopShape) -> int | None:
    """The number of iterations, if the body leaves alone what the step changes, which is not looked at further."""
    body, step = machine.effects.of(shape.body), machine.effects.of(shape.step)
    if shape.step is None or not step.assigned.isdisjoint(body.assigned | body.exposed):
        return None
    return _count(machine, state, replace(shape, body=Block((), shape.span)), most=_MOST_IN_LIST)


def _count(machine: Machine, state: State, shape: LoopShape, *, most: int) -> int | None:
    """The constant number of iterations; None if there is none within the limit."""
    assert shape.test is not None
    for trips in range(most + 1):
        test = machine.condition(state.copy(), shape.test)
        if test is FALSE:
            return trips
        if test is not TRUE:
            return None
        after, _ = run_iteration(machine, state, shape)
        if after is None:
            return None
        state = after
    return None
