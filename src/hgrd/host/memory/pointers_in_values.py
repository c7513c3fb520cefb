"""Pointers in values: those that a pointer may be, and those in the members of a record."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.symbolic.values import Cell, Choice, Composite, Pointer, Value


def pointers_in(value: Value) -> Iterator[Pointer]:
    """The pointers that a pointer value may be."""
    match value:
        case Pointer():
            yield value
        case Choice(then=a, otherwise=b):
            yield from pointers_in(a)
            yield from pointers_in(b)
        case _:
            pass


def pointers_at(value: Value) -> Iterator[tuple[int, Pointer]]:
    """The pointers that a value, or its members, may be, each with the offset of the member."""
    cells = value.cells if isinstance(value, Composite) else {0: Cell(value, 0)}
    for at, cell in cells.items():
        yield from ((at, pointer) for pointer in pointers_in(cell.value))
