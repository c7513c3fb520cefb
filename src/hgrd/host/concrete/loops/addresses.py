"""Addresses in translated loops: elements of arrays that stay where they are, and members of objects."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.concrete.loops.text import Untranslatable
from hgrd.program import expressions as ir
from hgrd.program.expressions import Storage
from hgrd.program.types import Type
from hgrd.program.walk import nodes

LOCAL: Final = (Storage.LOCAL, Storage.PARAMETER)


class Element(Struct, frozen=True):
    """An address: so many bytes after where a pointer, or the elements of a container, begin.

    `start` is an expression that is the same all the time.  `terms` are texts of numbers, each with the bytes that one
    counts for, and whether it may be negative.
    """

    start: ir.Expression
    of_container: bool = False
    terms: tuple[tuple[str, int, bool], ...] = ()
    offset: int = 0

    def further(self, index: str, stride: int, *, signed: bool) -> Element:
        """The address so many elements further."""
        if not stride:
            raise Untranslatable
        if index.isdigit():
            return replace(self, offset=self.offset + int(index) * stride)
        return replace(self, terms=(*self.terms, (index, stride, signed)))


class Member(Struct, frozen=True):
    """An address in an object that a place names, the same one all the time."""

    root: ir.Place
    offset: int = 0


Address: TypeAlias = Element | Member


class Start(Struct, eq=False):
    """Where an array begins that the loop uses: `number` ends the names that it has in the text.

    `type` and `size` are those of its elements (None: none is used), `sized`: how many there are matters; `grows`: the
    loop adds elements.
    """

    start: ir.Expression
    of_container: bool
    number: int
    type: Type | None = None
    size: int = 0
    read: bool = False
    stored: bool = False
    sized: bool = False
    grows: bool = False


class Number(Struct, eq=False):
    """A number, or a pointer, in an object that a place names: `name` in the text; a pointer counts elements there.

    `stride` is that of a pointer, in bytes, 0 for numbers.
    """

    place: ir.Place
    offset: int
    type: Type
    name: str
    stride: int = 0
    stored: bool = False


class Used(Struct):
    """What a loop uses; `same` are the numbers of arrays that must be parts of one object."""

    starts: dict[object, Start] = field(default_factory=dict[object, Start])
    numbers: dict[object, Number] = field(default_factory=dict[object, Number])
    same: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def start_of(self, at: Element) -> Start:
        key = meaning(at.start), at.of_container
        return self.starts.setdefault(key, Start(at.start, at.of_container, len(self.starts)))

    def number_at(self, place: ir.Place, offset: int, type_: Type, stride: int = 0) -> Number:
        key = meaning(place), offset
        name = f"v{len(self.numbers)}"
        found = self.numbers.setdefault(key, Number(place, offset, type_, name, stride))
        if found.type != type_:
            raise Untranslatable
        return found


def meaning(node: object) -> object:
    """What is equal for expressions and places that are the same but for where they stand."""
    match node:
        case ir.Variable(key=key):
            return key
        case Struct():
            parts = (getattr(node, name) for name in node.__struct_fields__ if name != "span")
            return (type(node), *(meaning(part) for part in parts))
        case _:
            return node


def is_steady(e: ir.Expression | ir.Place, changed: Collection[str]) -> bool:
    """Whether an expression is the same all the time: it names only what does not change, and calls nothing.

    The loop stores numbers only, so pointers in memory stay what they are.  `changed` are keys of variables.
    """
    for node in nodes(e):
        match node:
            case ir.VariablePlace(variable=variable):
                if variable.key in changed and variable.storage in LOCAL:
                    return False
            case ir.Load() | ir.AddressOf() | ir.Deref() | ir.FieldPlace() | ir.Convert() | ir.IntConst():
                pass
            case ir.PointerAdd(index=ir.IntConst()):
                pass
            case _:
                return False
    return True
