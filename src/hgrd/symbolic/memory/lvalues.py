"""Lvalues: their addresses, loads and stores; the cells of local objects."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    Place,
    PointerAdd,
    TemporaryPlace,
    UnsupportedPlace,
    Variable,
    VariablePlace,
)
from hgrd.program.layout import scalars
from hgrd.program.span import Span
from hgrd.program.types import (
    POINTER_SIZE,
    ArrayType,
    BoolType,
    Field,
    FloatType,
    IntType,
    PointerType,
    RecordType,
    Type,
)
from hgrd.symbolic.array_patterns import Stored
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.members import parts_of, slot_at
from hgrd.symbolic.memory.offsets import covered, may_meet
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, Region, State, choose, merge
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Choice,
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    NullValue,
    OpaqueValue,
    Pointer,
    PointerValue,
    Value,
    zero,
)
from hgrd.terms import Origin, Term, add, conj, const, eq, ite, le, lt, negate

SHARED_SPACES = frozenset({MemorySpace.GLOBAL, MemorySpace.SHARED, MemorySpace.CONSTANT})
_MOST_NAMED = 16  # members of a record that are named one by one
_CHAIN = 16  # a symbolic index into at most this many known cells becomes a choice among them


def locate(machine: Machine, state: State, place: Place) -> Value:
    """The address of an lvalue: a pointer value, OPAQUE where unknown."""
    match place:
        case VariablePlace(variable=variable):
            return Pointer(machine.object_of(variable), const(0))
        case Deref(pointer=pointer):
            return machine.evaluate(state, pointer)
        case FieldPlace(base=base, field=field):
            return move(locate(machine, state, base), const(field.offset))
        case TemporaryPlace(value=value, type=type_, span=span):
            return _temporary(machine, state, machine.evaluate(state, value), type_, span)
        case AfterPlace(effect=effect, place=inner):
            machine.evaluate(state, effect)
            machine.speculative += 1  # the place has been evaluated by the effect: no second round of accesses
            try:
                return locate(machine, state, inner)
            finally:
                machine.speculative -= 1
        case UnsupportedPlace(reason=reason, span=span):
            machine.semantics.unsupported(machine, state, reason, span)
            return OPAQUE


def within_arrays(machine: Machine, state: State, place: Place) -> None:
    """Assumes that every subscript in an lvalue `array[index]` is within its array; `place` has just been located."""
    while True:
        match place:
            case FieldPlace(base=base) | AfterPlace(place=base):
                place = base
            case Deref(pointer=PointerAdd(pointer=AddressOf(place=array)) as subscript):
                count = _count(array)
                index = machine.subscripts.get(id(subscript))
                if index is not None and count is not None and count > 1:
                    inside = conj(le(const(0), index), lt(index, const(count)))
                    machine.semantics.subscript(state, inside, place.span)
                place = array
            case _:
                return


def points_within_arrays(machine: Machine, state: State, pointer: Expression) -> None:
    """The same of a pointer `&array[index]` or `array + index` that is dereferenced; it has just been evaluated."""
    match pointer:
        case Convert(operand=operand):
            points_within_arrays(machine, state, operand)
        case AddressOf(place=place):
            within_arrays(machine, state, place)
        case PointerAdd(pointer=AddressOf(), type=PointerType(to=element)):
            within_arrays(machine, state, Deref(pointer, element, pointer.span))
        case _:
            pass


def _count(place: Place) -> int | None:
    match place:
        case VariablePlace(variable=Variable(type=ArrayType(count=count))):
            return count
        case Deref(type=ArrayType(count=count)) | FieldPlace(field=Field(type=ArrayType(count=count))):
            return count
        case _:
            return None


def _temporary(machine: Machine, state: State, value: Value, type_: Type, span: Span) -> Pointer:
    target = machine.temporary("temporary", type_, span)
    pointer = Pointer(target, const(0))
    store(machine, state, pointer, value, type_, span)
    return pointer


def load(machine: Machine, state: State, address: Value, type_: Type, span: Span, volatile: bool = False) -> Value:
    """The value of `type_` at an address."""
    match address:
        case Pointer(target=target):
            machine.semantics.before_load(machine, state, address, type_, span, volatile)
            if target.space in SHARED_SPACES:
                return machine.semantics.load(machine, state, address, type_, span, volatile)
            return read_cells(machine, state, address, type_)
        case Choice(condition=condition, then=a, otherwise=b):
            return _load_either(machine, state, condition, a, b, type_, span, volatile)
        case OpaqueValue():
            machine.semantics.through_unknown(machine, state, type_, span, writes=False)
            return machine.unknown("value", type_, Origin.UNKNOWN)
        case _:
            return machine.unknown("value", type_, Origin.UNKNOWN)


def _load_either(
    machine: Machine, state: State, condition: Term, a: Value, b: Value, type_: Type, span: Span, volatile: bool
) -> Value:
    """A load through a choice of pointers; a null arm is not followed."""
    values: list[Value] = []
    for arm, term in ((a, condition), (b, negate(condition))):
        branch = state.copy()
        branch.assume(term, ConditionKind.BRANCH, span)
        if branch.alive and not isinstance(arm, NullValue):
            values.append(load(machine, branch, arm, type_, span, volatile))
    match values:
        case [one, other]:
            return choose(condition, one, other)
        case [one]:
            return one
        case _:
            return machine.unknown("value", type_, Origin.UNKNOWN)


def store(
    machine: Machine, state: State, address: Value, value: Value, type_: Type, span: Span, volatile: bool = False
) -> None:
    """Stores a value of `type_` at an address."""
    machine.semantics.before_store(machine, state, address, value, type_, span)
    match address:
        case Pointer(target=target):
            if target.space in SHARED_SPACES:
                machine.semantics.store(machine, state, address, value, type_, span, volatile)
            else:
                write_cells(machine, state, address, value, type_)
        case Choice(condition=condition, then=a, otherwise=b):
            _store_either(machine, state, condition, (a, b), value, type_, span, volatile)
        case _:
            machine.semantics.through_unknown(machine, state, type_, span, writes=True)


def _store_either(
    machine: Machine,
    state: State,
    condition: Term,
    arms: tuple[Value, Value],
    value: Value,
    type_: Type,
    span: Span,
    volatile: bool,
) -> None:
    """A store through a choice of pointers: under the condition in each arm; a null arm is not followed."""
    null = [isinstance(arm, NullValue) for arm in arms]
    ends: list[State] = []
    for arm, term in zip(arms, (condition, negate(condition)), strict=True):
        branch = state.copy()
        branch.assume(term, ConditionKind.BRANCH, span)
        if branch.alive and (not isinstance(arm, NullValue) or all(null)):
            store(machine, branch, arm, value, type_, span, volatile)
            ends.append(branch)
    merged = merge(ends)
    if merged is not None:
        state.store = merged.store


# ---------------------------------------------------------------- cells of local objects


def read_cells(machine: Machine, state: State, pointer: Pointer, type_: Type) -> Value:
    target, offset = pointer.target, pointer.offset
    region = state.store.get(target.key, EMPTY)
    if offset.is_const:
        return read_at(machine, region, target, offset.value, type_)
    size = machine.size(type_)
    if isinstance(type_, RecordType) and region.cells and size is not None:
        members = scalars(type_, machine.records, _MOST_NAMED)
        parts = ((at, read_cells(machine, state, Pointer(target, add(offset, const(at))), m), m) for at, m in members)
        return Composite({at: Cell(part, machine.size(m) or 1) for at, part, m in parts}, size) if members else OPAQUE
    cells = ((o, c) for o, c in region.cells.items() if not (isinstance(type_, PointerType) and c.size < POINTER_SIZE))
    candidates = [(o, c) for o, c in cells if size is None or may_meet(offset, size, o, c.size)]
    default = machine.semantics.contents(machine, target, region.generation, offset, type_)
    if not candidates:
        return zero(type_, machine.records) if region.zeroed else default
    chosen = _among_pointers(machine, target, offset, size, candidates)
    if chosen is not None:
        return chosen
    if len(candidates) > _CHAIN or any(c.size != size or not isinstance(c.value, Term) for _, c in candidates):
        return machine.unknown(target.name, type_, Origin.UNKNOWN)
    if size is not None and _cover(machine, target, offset, size, {o for o, _ in candidates}):
        default = candidates.pop()[1].value
    for o, cell in candidates:
        if isinstance(default, Term) and isinstance(cell.value, Term):
            default = ite(eq(offset, const(o)), cell.value, default)
    return default


def name_contents(machine: Machine, state: State, variable: Variable) -> None:
    """Makes cells for the numbers and pointers of unknown value in a variable, so that what becomes of them is seen."""
    target = machine.object_of(variable)
    region = state.store.get(target.key)
    if region is None or target.space in SHARED_SPACES or region.zeroed or region.undefined:
        return
    if isinstance(variable.type, IntType | BoolType | FloatType | PointerType | RecordType):
        state.store[target.key] = replace(region, cells=_with_named(machine, region, target, variable.type))


def _with_named(machine: Machine, region: Region, target: MemoryObject, type_: Type) -> dict[int, Cell]:
    cells = dict(region.cells)
    members = scalars(type_, machine.records, _MOST_NAMED)
    for at, member in members:
        size = machine.size(member)
        if size and not region.overlaps(at, size):
            value = read_at(machine, region, target, at, member)
            if not isinstance(value, OpaqueValue | Composite):
                cells[at] = Cell(value, size)
    return cells


def _among_pointers(
    machine: Machine, target: MemoryObject, offset: Term, size: int | None, found: list[tuple[int, Cell]]
) -> PointerValue | None:
    """A choice of the pointers in an array; None unless the cells at all possible offsets are known pointers."""
    pointers = [(o, c.value) for o, c in found if c.size == size and isinstance(c.value, PointerValue)]
    if size is None or not len(pointers) == len(found) <= _CHAIN:
        return None
    if not _cover(machine, target, offset, size, {o for o, _ in pointers}):
        return None
    *others, (_, last) = pointers
    for o, pointer in others:
        last = pointer if pointer == last else Choice(eq(offset, const(o)), pointer, last)
    return last


def _cover(machine: Machine, target: MemoryObject, offset: Term, size: int, known: set[int]) -> bool:
    """Whether the elements of `size` bytes at `known` cover all offsets in the object that `offset` can have."""
    whole = _extent(machine, target)
    return covered(offset, offset.high if whole is None else whole - size, known)


def _extent(machine: Machine, target: MemoryObject) -> int | None:
    """The size of an object in bytes; None where it is unknown: a pointer may point to many elements of its type."""
    if target.size is not None:
        return target.size.value if target.size.is_const else None
    whole = target.space is MemorySpace.LOCAL or (isinstance(target.element, ArrayType) and not target.external)
    return machine.size(target.element) if whole and target.element is not None else None


def read_at(machine: Machine, region: Region, target: MemoryObject, offset: int, type_: Type) -> Value:
    """The value of `type_` at a known offset."""
    size = machine.size(type_)
    if isinstance(type_, RecordType | ArrayType):
        return _composite(machine, region, target, offset, type_)
    cell = region.cells.get(offset)
    if cell is not None and (size is None or cell.size == size):
        return cell.value if fits(cell.value, type_) else machine.unknown(target.name, type_, Origin.UNKNOWN)
    width = size or 1
    if region.overlaps(offset, width):
        return machine.unknown(target.name, type_, Origin.UNKNOWN)
    if region.zeroed:
        return zero(type_, machine.records)
    return machine.semantics.contents(machine, target, region.generation, const(offset), type_)


def fits(value: Value, type_: Type) -> bool:
    """Whether a stored value can be read as this type without looking at its bits."""
    match type_:
        case IntType() | BoolType():
            return isinstance(value, Term)
        case FloatType():
            return isinstance(value, FloatValue)
        case PointerType():
            return not isinstance(value, Term | FloatValue | Composite)
        case _:
            return True


def _composite(
    machine: Machine, region: Region, target: MemoryObject, offset: int, type_: RecordType | ArrayType
) -> Value:
    """A record or array value: each scalar member is read on its own, so that unknown ones get their own names."""
    parts = parts_of(type_, machine.records)
    if parts is None:
        return OPAQUE
    cells = {at: Cell(read_at(machine, region, target, offset + at, t), size) for at, t, size in parts.known}
    kept = {at: region.cells[offset + at] for at in parts.slots if offset + at in region.cells}
    cells |= kept
    if not cells:
        cells = {o - offset: c for o, c in region.cells.items() if offset <= o < offset + parts.size}
    return Composite(cells, parts.size, target.key if len(kept) < len(parts.slots) else None)


def write_cells(machine: Machine, state: State, pointer: Pointer, value: Value, type_: Type) -> None:
    target, offset = pointer.target, pointer.offset
    region = state.store.get(target.key, EMPTY)
    size = machine.size(type_)
    if not offset.is_const:
        new = _weak_update(region, offset, value, size)
    elif isinstance(value, Composite):
        new = _store_composite(region, offset.value, value)
    elif size is None and isinstance(value, Pointer | NullValue | Choice):
        new = region.with_cell(offset.value, Cell(value, POINTER_SIZE))
    elif size is None:
        slot = slot_at(machine.records, target.element, offset.value, type_)
        kept = {o: c for o, c in region.cells.items() if slot and not offset.value <= o < offset.value + slot}
        new = Region({**kept, offset.value: Cell(value, 1)}, Generation())
    else:
        new = region.with_cell(offset.value, Cell(value, size))
    if region.patterns or region.stores is not None:
        new = new.followed(region, Stored(target, offset, value, type_, size))
    state.store[target.key] = new


def _store_composite(region: Region, offset: int, value: Composite) -> Region:
    end = offset + value.size
    kept = {o: c for o, c in region.cells.items() if o + c.size <= offset or o >= end}
    kept.update({offset + o: c for o, c in value.cells.items()})
    return Region(kept, Generation(region.generation.by_loop), False)


def _weak_update(region: Region, offset: Term, value: Value, size: int | None) -> Region:
    """A store at an unknown offset: cells that it may touch become a choice, or unknown."""
    cells: dict[int, Cell] = {}
    for o, cell in region.cells.items():
        if size is not None and (o + cell.size <= offset.low or o >= offset.high + size):
            cells[o] = cell
        elif cell.size == size and isinstance(cell.value, Term) and isinstance(value, Term):
            cells[o] = Cell(ite(eq(offset, const(o)), value, cell.value), cell.size)
    return Region(cells, Generation(region.generation.by_loop), False)


def forget(state: State, target: MemoryObject) -> None:
    """Makes the contents of an object unknown."""
    state.store[target.key] = Region({}, Generation())


def reachable(state: State, values: tuple[Value, ...]) -> list[MemoryObject]:
    """The objects that are reachable from pointers in the values; from containers, their elements are."""
    found: dict[str, MemoryObject] = {}
    todo: list[Value] = list(values)
    while todo:
        match todo.pop():
            case Pointer(target=target):
                if target.key not in found:
                    found[target.key] = target
                    region = state.store.get(target.key)
                    if region is not None:
                        todo.extend(c.value for c in region.cells.values())
                    todo.extend(Pointer(t, const(0)) for t in state.elements.get(target.key, {}).values())
            case Choice(then=a, otherwise=b):
                todo.extend((a, b))
            case Composite(cells=cells):
                todo.extend(c.value for c in cells.values())
            case _:
                pass
    return list(found.values())
