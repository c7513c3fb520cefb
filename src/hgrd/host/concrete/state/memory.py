"""Memory of the concrete run: loads, stores, copies, and what is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from hgrd.host.concrete.state.arithmetic import as_type
from hgrd.host.concrete.state.values import (
    NULL,
    UNKNOWN,
    Cell,
    Container,
    Generator,
    Object,
    Parts,
    Pointer,
    Value,
)
from hgrd.program.layout import scalars, size_of
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, FloatType, IntType, OpaqueType, PointerType, Record, RecordType, Type

MOST_SCALARS = 1 << 16  # members of a record, or elements of an array, that are initialised with zeros
_WIDEST = 16  # bytes of a scalar
_SCALARS = (IntType, FloatType, PointerType)
_OPAQUE = 1  # a container counts as one byte at its place

Records = Mapping[str, Record]


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
    if isinstance(type_, RecordType | ArrayType):
        size = width_of(type_, records)
        return UNKNOWN if size is None else Parts(_within(target, offset, offset + size), target.zero)
    cell, size = target.cells.get(offset), width_of(type_, records)
    if cell is None:
        known = target.zero and size is not None and not _overlapped(target, offset, size)
        return _zero(type_) if known else UNKNOWN
    return as_type(cell.value, type_) if cell.size == size else UNKNOWN


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
    target, offset = place.target, place.offset
    target.must_be_here()
    old = None if offset is None else target.cells.get(offset)
    if old is not None and offset is not None and old.type is type_ and isinstance(type_, _SCALARS):
        target.written = span
        target.cells[offset] = Cell(value, type_, old.size)
        return
    size = width_of(type_, records)
    if offset is None or size is None:
        forget(target)
        return
    target.written = span
    if isinstance(type_, RecordType | ArrayType):
        _store_parts(place, value, type_, size, records)
        return
    if target.cells and (old is None or old.size != size):
        for at in _overlapped(target, offset, size):
            target.cells[at] = Cell(UNKNOWN, target.cells[at].type, target.cells[at].size)
            if at != offset:
                target.zero = False
    target.cells[offset] = Cell(value, type_, size)


def _store_parts(place: Pointer, value: Value, type_: Type, size: int, records: Records) -> None:
    target, offset = place.target, place.offset or 0
    clear(target, offset, offset + size)
    if not isinstance(value, Parts):
        target.zero = False
        return
    for at, cell in value.cells.items():
        target.cells[offset + at] = cell
    if target.zero and not value.zero:
        target.zero = False
    elif value.zero and not target.zero:
        for at, member in scalars(type_, records, MOST_SCALARS):
            width = width_of(member, records)
            if width is not None and at not in value.cells and not isinstance(member, OpaqueType):
                target.cells.setdefault(offset + at, Cell(_zero(member), member, width))


def _within(target: Object, low: int, high: int) -> dict[int, Cell]:
    """The cells from one byte to before another one, by their offset from the first."""
    if high - low > len(target.cells):
        return {at - low: cell for at, cell in target.cells.items() if low <= at < high}
    return {at - low: target.cells[at] for at in range(low, high) if at in target.cells}


def _overlapped(target: Object, offset: int, size: int) -> list[int]:
    """The offsets of cells that have any of these bytes."""
    cells = target.cells
    before = [at for at in range(offset - _WIDEST + 1, offset) if at in cells and at + cells[at].size > offset]
    if cells.keys().isdisjoint(range(offset, offset + size)):
        return before
    return [*before, *(at for at in range(offset, offset + size) if at in cells)]


def clear(target: Object, low: int, high: int) -> None:
    """Removes the cells from one byte to before another one; nothing is known of one that begins before."""
    target.must_be_here()
    for at in _overlapped(target, low, 1):
        if at < low:
            target.cells[at] = Cell(UNKNOWN, target.cells[at].type, target.cells[at].size)
    if high - low > len(target.cells):
        for at in [at for at in target.cells if low <= at < high]:
            del target.cells[at]
    else:
        for at in range(low, high):
            target.cells.pop(at, None)


def copy_bytes(to: Pointer, source: Pointer, size: int | None, span: Span) -> None:
    """Copies bytes from one object to another; of an unknown number nothing is known."""
    there, here = to.offset, source.offset
    to.target.must_be_here()
    source.target.must_be_here()
    if there is None or here is None or size is None:
        forget(to.target)
        return
    cells = _within(source.target, here, here + size)
    if source.target.zero != to.target.zero:
        to.target.zero = source.target.zero and there == 0 and size == to.target.size
    clear(to.target, there, there + size)
    for at, cell in cells.items():
        to.target.cells[there + at] = cell if at + cell.size <= size else Cell(UNKNOWN, cell.type, cell.size)
    to.target.written = source.target.written if source.target.written.line else span


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
    cells = {
        at: replace(c, value=copied(c.value)) if isinstance(c.value, Container) else c
        for at, c in elements.cells.items()
    }
    new = Object(elements.name, None, cells, elements.zero, elements.on_device, written=elements.written)
    return Container(new, container.count, container.width, container.fill, container.fill_type)


def forget(target: Object, *, sizes: bool = False) -> None:
    """From now on nothing is known of what an object holds; `sizes`: but how many elements containers have is."""
    target.must_be_here()
    for cell in target.cells.values():
        if isinstance(cell.value, Container):
            cell.value.count = cell.value.count if sizes else None
            cell.value.fill = UNKNOWN
        elif isinstance(cell.value, Generator):
            cell.value.state = None
    kept = {at: c for at, c in target.cells.items() if isinstance(c.value, Container | Generator)}
    pointers = {at: replace(c, value=UNKNOWN) for at, c in target.cells.items() if isinstance(c.type, PointerType)}
    target.cells = kept | pointers
    target.zero = False


def reachable(values: Iterable[Value]) -> list[Object]:
    """The objects that can be reached from values."""
    found: dict[int, Object] = {}
    todo = list(values)
    while todo:
        match todo.pop():
            case Pointer(target=target) | Container(elements=target) if id(target) not in found:
                found[id(target)] = target
                todo += [cell.value for cell in target.cells.values()]
            case Parts(cells=cells):
                todo += [cell.value for cell in cells.values()]
            case _:
                pass
    return list(found.values())


def forget_reachable(values: Iterable[Value], *, sizes: bool = False) -> None:
    """Code that is not followed may have stored anything in what it can reach; `sizes` as for `forget`."""
    for target in reachable(values):
        forget(target, sizes=sizes)
