"""Memory of the concrete run: loads, stores, copies, and what is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TypeAlias

from msgspec.structs import replace

from hgrd.host.concrete.state.arithmetic import as_type
from hgrd.host.concrete.state.numbers import ABSENT, Numbers, numbers_of
from hgrd.host.concrete.state.values import (
    NULL,
    UNKNOWN,
    Cell,
    Closure,
    Container,
    Generator,
    Object,
    Parts,
    Pointer,
    Unknown,
    Value,
    cells_of,
)
from hgrd.program.layout import scalars, size_of
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, FloatType, IntType, OpaqueType, PointerType, Record, RecordType, Type

MOST_SCALARS = 1 << 16  # members of a record, or elements of an array, that are initialised with zeros
_WIDEST = 16  # bytes of a scalar
_WIDTHS = (4, 8, 1, 2)  # those of scalars, the most frequent one first
_ARRAY = 8  # elements of an object that is kept as numbers, at least, where its size is known
_OPAQUE = 1  # a container counts as one byte at its place

Records = Mapping[str, Record]
NumberKind: TypeAlias = tuple[bool, int]
"""Whether numbers are floating-point ones, and how many bits they have."""


def width_of(type_: Type, records: Records) -> int | None:
    """The size of a type; a container is one byte, and a record with containers as long as its layout says."""
    if isinstance(type_, IntType):
        return type_.bits >> 3
    match type_:
        case OpaqueType():
            return _OPAQUE
        case RecordType(key=key):
            record = records.get(key)
            return None if record is None else record.size
        case _:
            return size_of(type_, records)


def load(place: Pointer, type_: Type, records: Records) -> Value:
    """The value at a place."""
    target, offset = place.target, place.offset
    target.must_be_here()
    if offset is None:
        return UNKNOWN
    cell = target.held.get(offset)
    if cell is not None and cell.type is type_ and isinstance(cell.value, int | float):
        return cell.value
    size = width_of(type_, records)
    if isinstance(type_, RecordType | ArrayType):
        return UNKNOWN if size is None else Parts(within(target, offset, offset + size), target.zero)
    if target.numbers is not None:
        index = None if size is None else target.numbers.index_of(offset, size)
        if index is not None:
            return _number_at(target.numbers, index, type_, zero=target.zero)
        cell = target.cells.get(offset)
    if cell is None:
        known = target.zero and size is not None and not _overlapped(target.cells, offset, offset + size)
        return _zero(type_) if known else UNKNOWN
    return as_type(cell.value, type_) if cell.size == size else UNKNOWN


def _number_at(numbers: Numbers, index: int, type_: Type, *, zero: bool) -> Value:
    """The value of an element, read by a type of its size."""
    number = numbers.get(index)
    if number is not None:
        return number if type_ is numbers.type else as_type(number, type_)
    return _zero(type_) if zero and numbers.state(index) == ABSENT else UNKNOWN


def _zero(type_: Type) -> Value:
    match type_:
        case IntType():
            return 0
        case FloatType():
            return 0.0
        case PointerType():
            return NULL
        case OpaqueType():
            return UNKNOWN
        case _:
            return 0


def store(place: Pointer, value: Value, type_: Type, records: Records, span: Span) -> None:
    """Stores a value; at an unknown place of an object nothing of it is known afterwards."""
    target, offset, size = place.target, place.offset, width_of(type_, records)
    target.must_be_here()
    if offset is None or size is None:
        forget(target)
    elif isinstance(type_, RecordType | ArrayType):
        target.written = span
        _store_parts(place, value, type_, size, records)
    else:
        store_scalar(target, offset, Cell(value, type_, size), span)


def store_scalar(target: Object, offset: int, cell: Cell, span: Span) -> None:
    """Stores a value that is no record or array."""
    target.must_be_here()
    if _stored_among_numbers(target, offset, cell):
        target.written = span
        return
    cells, size = target.cells, cell.size
    old = cells.get(offset)
    if (old is None or old.size != size) and cells and not _is_next(cells, offset, size):
        _cut_out(target, offset, offset + size)
    target.written = span
    cells[offset] = cell


def _stored_among_numbers(target: Object, offset: int, cell: Cell) -> bool:
    """Stores a value as one of numbers, if the object has such, or may begin to have them; whether it does."""
    numbers, size = target.numbers, cell.size
    if numbers is None:
        if target.held or (target.size is not None and target.size < _ARRAY * size):
            return False
        numbers = numbers_of(cell.type, size)
        if numbers is None or numbers.index_of(offset, size) is None:
            return False
        if cell.value is not UNKNOWN and not isinstance(cell.value, int | float):
            return False
        target.numbers = numbers
    index = numbers.index_of(offset, size) if numbers.type is cell.type or numbers.type == cell.type else None
    return index is not None and numbers.put(index, cell.value)


def _is_next(cells: dict[int, Cell], offset: int, size: int) -> bool:
    """Whether no cell has any of these bytes, as one ends where they begin and none begins among them."""
    for width in _WIDTHS:
        before = cells.get(offset - width)
        if before is not None and before.size == width:
            return cells.keys().isdisjoint(range(offset, offset + size))
    return False


def _store_parts(place: Pointer, value: Value, type_: Type, size: int, records: Records) -> None:
    target, offset = place.target, place.offset or 0
    if target.cells and not _is_next(target.cells, offset, size):
        _cut_out(target, offset, offset + size)
    if not isinstance(value, Parts):
        target.zero = False
        return
    for at, cell in value.cells.items():
        target.cells[offset + at] = cell
    if target.zero and not value.zero:
        target.zero = False
    elif value.zero and not target.zero and sum([cell.size for cell in value.cells.values()]) < size:
        for at, member in scalars(type_, records, MOST_SCALARS):
            width = width_of(member, records)
            if width is not None and at not in value.cells and not isinstance(member, OpaqueType):
                target.cells.setdefault(offset + at, Cell(_zero(member), member, width))


def within(target: Object, low: int, high: int) -> dict[int, Cell]:
    """The cells of an object from one byte to before another one, by their offset from the first."""
    numbers = target.numbers
    if numbers is not None and low % numbers.size == 0:
        return cells_of(numbers, low // numbers.size, -(-high // numbers.size))
    cells = target.cells
    if high - low > len(cells):
        return {at - low: cell for at, cell in cells.items() if low <= at < high}
    return {at - low: cells[at] for at in range(low, high) if at in cells}


def _overlapped(cells: Mapping[int, Cell], low: int, high: int) -> list[int]:
    """The offsets of cells that have any of the bytes from one to before another one."""
    if high - low > len(cells):
        return [at for at, cell in cells.items() if at < high and at + cell.size > low]
    before = [at for at in range(low - _WIDEST + 1, low) if at in cells and at + cells[at].size > low]
    if cells.keys().isdisjoint(range(low, high)):
        return before
    return [*before, *(at for at in range(low, high) if at in cells)]


def _cut_out(target: Object, low: int, high: int) -> None:
    """Removes the cells from one byte to before another one; nothing is known of what is left of them elsewhere."""
    numbers = target.numbers
    if numbers is not None and low % numbers.size == 0 == high % numbers.size:
        numbers.drop(low // numbers.size, high // numbers.size)
        return
    cells = target.cells
    for at in _overlapped(cells, low, high):
        cell = cells.pop(at)
        for byte in (*range(at, low), *range(high, at + cell.size)):
            cells[byte] = Cell(UNKNOWN, cell.type, 1)


def clear(target: Object, low: int, high: int) -> None:
    """Removes the values from one byte to before another one."""
    target.must_be_here()
    _cut_out(target, low, high)


def copy_bytes(to: Pointer, source: Pointer, size: int | None, span: Span) -> None:
    """Copies bytes from one object to another; of an unknown number nothing is known."""
    there, here = to.offset, source.offset
    to.target.must_be_here()
    source.target.must_be_here()
    if there is None or here is None or size is None:
        forget(to.target)
        return
    if source.target.zero != to.target.zero:
        to.target.zero = source.target.zero and there == 0 and size == to.target.size
    if not _numbers_copied(to.target, there, source.target, here, size):
        cells = within(source.target, here, here + size)
        clear(to.target, there, there + size)
        for at, cell in cells.items():
            to.target.cells[there + at] = cell if at + cell.size <= size else Cell(UNKNOWN, cell.type, cell.size)
    to.target.written = source.target.written if source.target.written.line else span


def _numbers_copied(to: Object, there: int, source: Object, here: int, size: int) -> bool:
    """Copies numbers as such, where both objects have them, or the one begins to; whether it does."""
    numbers = source.numbers
    if numbers is None or any(at % numbers.size for at in (there, here, size)) or there < 0:
        return False
    begins = to.numbers is None and not to.held
    mine = numbers_of(numbers.type, numbers.size) if begins else to.numbers
    if mine is None or mine.type != numbers.type:
        return False
    low, count = here // numbers.size, size // numbers.size
    if not mine.take(there // numbers.size, numbers.part(low, low + count), count):
        return False
    to.numbers = mine
    return True


def snapshot(target: Object) -> Object:
    """A copy of an object."""
    numbers = None if target.numbers is None else target.numbers.copy()
    return replace(target, held=dict(target.held), numbers=numbers)


def fill(place: Pointer, number: float, type_: Type, size: int, count: int, span: Span) -> bool:
    """Gives so many elements of a size a number of their type; False: it is no type of such numbers."""
    one, numbers = numbers_of(type_, size), numbers_of(type_, size)
    if one is None or numbers is None or not one.put(0, number):
        return False
    numbers.values, numbers.states = one.values * count, one.states * count
    filled = Object("fill", zero=place.target.zero, numbers=numbers)
    copy_bytes(place, Pointer(filled, 0), size * count, span)
    return True


def stored_type(target: Object) -> tuple[Type, int] | None:
    """The type and the size of the first value that an object holds; None: it holds none."""
    if target.numbers is not None:
        return target.numbers.type, target.numbers.size
    cell = next(iter(target.held.values()), None)
    return None if cell is None else (cell.type, cell.size)


def element_count(target: Object) -> int:
    """How many cells an object has."""
    return len(target.held) if target.numbers is None else len(target.numbers.states)


def own_copy(value: Value) -> Value:
    """The value of a record with containers of its own."""
    if not isinstance(value, Parts) or not any(isinstance(c.value, Container) for c in value.cells.values()):
        return value
    cells = {
        at: replace(cell, value=copied(cell.value)) if isinstance(cell.value, Container) else cell
        for at, cell in value.cells.items()
    }
    return replace(value, cells=cells)


def copied(container: Container) -> Container:
    """A container with the same elements."""
    elements = container.elements
    new = replace(snapshot(elements), size=None, pinned=False, moved=False)
    for at, c in new.held.items():
        if isinstance(c.value, Container):
            new.held[at] = replace(c, value=copied(c.value))
    return Container(new, container.count, container.width, container.fill, container.fill_type)


def forget(target: Object, *, sizes: bool = False, stored: Set[NumberKind] | None = None) -> None:
    """From now on nothing is known of what an object holds.

    But how many elements containers have (`sizes`), and pointers and numbers of other kinds where only numbers of some
    kinds are `stored` (C++ [basic.lval]; None: anything may be).
    """
    target.must_be_here()
    if stored is not None and target.numbers is not None and number_kind(target.numbers.type) not in stored:
        return
    target.numbers = None
    for cell in target.held.values():
        if isinstance(cell.value, Container):
            cell.value.count = cell.value.count if sizes else None
            cell.value.fill = UNKNOWN
        elif isinstance(cell.value, Generator):
            cell.value.state = None
    kept = {at: c for at, c in target.held.items() if isinstance(c.value, Container | Generator)}
    held = {at: c for at, c in target.held.items() if isinstance(c.type, PointerType)}
    if stored is None:
        held = {at: replace(c, value=UNKNOWN) for at, c in held.items()}
    else:
        held |= {at: c for at, c in target.held.items() if not _may_be_stored(c, stored)}
    target.held = kept | held
    target.zero = False


def _may_be_stored(cell: Cell, stored: Set[NumberKind]) -> bool:
    """Whether a store of a number may change a cell; those of smart pointers and the like hold none."""
    kind = number_kind(cell.type)
    return isinstance(cell.value, int | float | Unknown) and (kind is None or kind in stored)


def number_kind(type_: Type) -> NumberKind | None:
    """The kind of a type of numbers; None: another type."""
    match type_:
        case IntType(bits=bits):
            return False, bits
        case FloatType(bits=bits):
            return True, bits
        case _:
            return None


def reachable(values: Iterable[Value]) -> list[Object]:
    """The objects that can be reached from values."""
    found: dict[int, Object] = {}
    todo = list(values)
    while todo:
        match todo.pop():
            case Pointer(target=target) | Container(elements=target) | Closure(target=target) if (
                id(target) not in found
            ):
                found[id(target)] = target
                todo += [cell.value for cell in target.held.values()]
            case Parts(cells=cells):
                todo += [cell.value for cell in cells.values()]
            case _:
                pass
    return list(found.values())


def forget_reachable(values: Iterable[Value], *, sizes: bool = False, stored: Set[NumberKind] | None = None) -> None:
    """Code that is not followed may have stored anything in what it can reach; the rest as for `forget`."""
    for target in reachable(values):
        forget(target, sizes=sizes, stored=stored)
