"""Unknown contents of host memory: what the program has not stored, and what unknown code has."""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.host.linking.library_names import holds_values
from hgrd.host.memory.array_contents import drop_patterns
from hgrd.host.wording import place_name, pointee
from hgrd.program import expressions as ir
from hgrd.program.layout import scalars
from hgrd.program.span import Span
from hgrd.program.types import (
    ArrayType,
    BoolType,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
    VoidType,
)
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, reachable
from hgrd.symbolic.memory.members import slot_of_member
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import EMPTY, Generation, Region, State
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Choice,
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    Value,
)
from hgrd.terms import Origin, Symbol, Term, add, const, ne, read, var
from hgrd.terms.build import read_between
from hgrd.terms.interval import of_type
from hgrd.terms.linear import from_linear, linear


def fresh_name(machine: Machine, base: str) -> str:
    """A new name; a speculative run gets one that is never shown."""
    return machine.names.unique(hidden(base) if machine.speculative else base)


def external(machine: Machine, name: str, type_: Type | None, span: Span) -> Pointer:
    """A pointer to an object that the program got from its environment."""
    target = MemoryObject(name, name, MemorySpace.HOST, pointee(type_), None, span, external=True)
    return Pointer(target, const(0))


def unknown(machine: Machine, base: str, type_: Type, span: Span) -> Value:
    """A value from the environment; the members of a record are named after it."""
    match type_:
        case IntType() | BoolType() | FloatType():
            return machine.unknown(base, type_, Origin.INPUT)
        case PointerType(to=FunctionType()):
            return OPAQUE
        case PointerType():
            return external(machine, fresh_name(machine, base), type_, span)
        case RecordType() | ArrayType():
            name = fresh_name(machine, base)
            target = MemoryObject(name, name, MemorySpace.HOST, type_, None, span)
            return unknown_contents(machine, target, Generation(), const(0), type_)
        case _:
            return OPAQUE


def handed_on(machine: Machine, state: State, base: str, type_: Type, span: Span) -> Value:
    """A value that the program has given to an object of a library, which gives it back: no input."""
    match type_:
        case IntType() | BoolType() | FloatType():
            return machine.unknown(base, type_, Origin.COMPUTED)
        case RecordType() | ArrayType():
            name = fresh_name(machine, base)
            target = MemoryObject(name, name, MemorySpace.HOST, type_, None, span)
            return unknown_contents(machine, target, Generation(by_loop=True), const(0), type_)
        case _:
            value = unknown(machine, base, type_, span)
            if isinstance(value, Pointer):
                state.store[value.target.key] = Region({}, Generation(by_loop=True))
            return value


def between(machine: Machine, base: str, low: int, high: int) -> Term:
    """An integer from the environment within a known range."""
    return var(machine.names.fresh(hidden(base) if machine.speculative else base, low, high, Origin.INPUT))


def unknown_contents(
    machine: Machine, target: MemoryObject, generation: Generation, offset: Term, type_: Type
) -> Value:
    """The unknown value at an offset of an object: equal for equal offsets in the same generation.

    It is from the environment, except where a loop of the program has computed it.
    """
    if isinstance(type_, RecordType | ArrayType):
        size = machine.size(type_)
        if size is None:
            return OPAQUE
        cells = {
            at: Cell(unknown_contents(machine, target, generation, add(offset, const(at)), t), machine.size(t) or 1)
            for at, t in scalars(type_, machine.records, 256)
        }
        return Composite(cells, size)
    if isinstance(type_, OpaqueType | FunctionType | VoidType):
        return OPAQUE
    if offset.is_const:
        base, _ = place_name(target, offset.value, machine.records)
        name = machine.names.of((target.key, generation, offset, type_), base, target.key)
        given = isinstance(target.element, OpaqueType) and holds_values(target.element.name)
        return _named(machine, name, type_, target, Origin.COMPUTED if generation.by_loop or given else Origin.INPUT)
    return _indexed(machine, target, generation, offset, type_)


def _named(machine: Machine, name: str, type_: Type, owner: MemoryObject, origin: Origin) -> Value:
    match type_:
        case BoolType():
            return ne(var(Symbol(name, 0, 1, origin)), const(0))
        case IntType():
            return var(Symbol(name, *type_.range, origin))
        case FloatType():
            return FloatValue(var(Symbol(name, *of_type(64, True), origin)))
        case PointerType():
            return external(machine, name, type_, owner.span)
        case _:
            return OPAQUE


def _indexed(machine: Machine, target: MemoryObject, generation: Generation, offset: Term, type_: Type) -> Value:
    """The element at a symbolic index: a function of the index, or of the offset if that is no multiple of the size."""
    size = machine.size(type_) or 1
    constant, atoms = linear(offset)
    if all(c % size == 0 for c in (constant, *atoms.values())):
        name = machine.names.of((target.key, generation, type_), f"{target.name}[]", target.key)
        index = (from_linear((constant // size, {t: c // size for t, c in atoms.items()})),)
    else:
        name = machine.names.of((target.key, generation, type_, "bytes"), f"{target.name}[].bytes", target.key)
        index = (offset,)
    match type_:
        case BoolType():
            return ne(read_between(name, index, 0, 1), const(0))
        case IntType():
            return read_between(name, index, *type_.range)
        case FloatType():
            return FloatValue(read(name, *index))
        case PointerType(to=to) if not isinstance(to, FunctionType):
            key = machine.names.of((target.key, generation, offset, type_), f"{target.name}[…]")
            return external(machine, key, type_, target.span)
        case _:
            return OPAQUE


def forget_targets(state: State, values: tuple[Value, ...], *, deep: bool) -> None:
    """Unknown code may have written what the values point to (`deep`: and all that can be reached from there)."""
    for target in reachable(state, values) if deep else direct_targets(values):
        drop_patterns(state, target)
        if target.space not in SHARED_SPACES:
            forget(state, target)


def forget_given(machine: Machine, state: State, arguments: Iterable[tuple[Value, Type | None]]) -> None:
    """A library function may have written what it was given pointers to, each with its type.

    Of a record that has a member of a library's class it writes only that member, if it is given that.
    """
    for value, type_ in arguments:
        slot = slot_of_member(machine.records, value, type_)
        if slot and isinstance(value, Pointer):
            drop_patterns(state, value.target)
            begin, region = value.offset.value, state.store.get(value.target.key, EMPTY)
            kept = {o: c for o, c in region.cells.items() if not begin <= o < begin + slot}
            state.store[value.target.key] = Region(kept, Generation())
        else:
            forget_targets(state, (value,), deep=False)


def forget_outputs(machine: Machine, state: State, arguments: Iterable[tuple[Value, ir.Expression]]) -> None:
    """A function of a C library may have written what it gets pointers to: of `&object->member` the member alone."""
    for value, expression in arguments:
        size = _size_of_member(machine, expression)
        if size is not None and isinstance(value, Pointer):
            forget_bytes(state, value, size)
        elif isinstance(value, Pointer | Choice):
            forget_targets(state, (value,), deep=False)


def _size_of_member(machine: Machine, expression: ir.Expression) -> int | None:
    """The bytes of the member that an expression is the address of; None: it is something else, or an array."""
    match expression:
        case ir.Convert(operand=operand):
            return _size_of_member(machine, operand)
        case ir.AddressOf(place=ir.FieldPlace(field=member)) if not isinstance(member.type, ArrayType):
            return machine.size(member.type)
        case _:
            return None


def forget_bytes(state: State, to: Value, size: int) -> None:
    """Code that is not followed has written so many bytes at an address, and nothing beside them."""
    region = state.store.get(to.target.key) if isinstance(to, Pointer) else None
    forget_targets(state, (to,), deep=False)
    if isinstance(to, Pointer) and region is not None and to.offset.is_const and to.target.key in state.store:
        at = to.offset.value
        kept = {o: c for o, c in region.cells.items() if o + c.size <= at or o >= at + size}
        state.store[to.target.key] = Region(kept, state.store[to.target.key].generation)


def direct_targets(values: tuple[Value, ...]) -> list[MemoryObject]:
    found: list[MemoryObject] = []
    for value in values:
        match value:
            case Pointer(target=target):
                found.append(target)
            case Choice(then=a, otherwise=b):
                found += direct_targets((a, b))
            case _:
                pass
    return found


def within_records(state: State, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The values in records that are passed by value, pointer or reference: const does not extend to their targets."""
    regions = (state.store.get(target.key, EMPTY) for target in direct_targets(arguments))
    given = (a.cells for a in arguments if isinstance(a, Composite))
    return tuple(c.value for cells in (*given, *(r.cells for r in regions)) for c in cells.values())
