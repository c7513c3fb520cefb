"""Memory images of launches, from what the concrete run knows of objects."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hgrd.host.concrete.state.machine import Launched
from hgrd.host.concrete.state.memory import Records, width_of
from hgrd.host.concrete.state.values import Cell, Null, Object, Parts, Pointer, Value
from hgrd.host.memory_image import LaunchImage, ObjectImage
from hgrd.program.expressions import Variable
from hgrd.program.layout import scalars
from hgrd.program.types import BoolType, FloatType, IntType, Type

_MOST_CELLS: Final = 1 << 19
_MOST_SCALARS: Final = 1 << 13  # no arguments of a kernel have so many
_MOST_BYTES: Final = 1 << 27
_FLOATS: Final = {16: "<e", 32: "<f", 64: "<d"}


def launch_image(
    launched: Launched, parameters: Sequence[Variable], records: Records, *, always: bool
) -> LaunchImage | None:
    """The image of a launch; None where an extent, an argument or the size of an object is not known."""
    x, y, z, u, v, w = launched.extents
    if x is None or y is None or z is None or u is None or v is None or w is None or launched.shared_bytes is None:
        return None
    held = launched.held
    sizes = [o.size for o in held.values()]
    cells = sum(len(o.held) for o in held.values())
    if None in sizes or cells > _MOST_CELLS or sum(n for n in sizes if n is not None) > _MOST_BYTES:
        return None
    numbers = {key: number for number, key in enumerate(held)}
    given = zip(launched.given, parameters, strict=False)
    arguments = [a for a in (_argument(v, p.type, numbers, records) for v, p in given) if a is not None]
    if len(arguments) != len(parameters):
        return None
    objects = tuple(_image_of(o, numbers) for o in held.values())
    variables = tuple((key, numbers[id(o)]) for key, o in launched.variables.items())
    return LaunchImage((x, y, z), (u, v, w), launched.shared_bytes, tuple(arguments), objects, variables, always)


def _argument(value: Value, type_: Type, numbers: Mapping[int, int], records: Records) -> ObjectImage | None:
    """The bytes of an argument; None where some are not known."""
    size = width_of(type_, records)
    if size is None:
        return None
    held = value if isinstance(value, Parts) else Parts({0: Cell(value, type_, size)})
    image = _image("argument", size, held.cells, held.zero, numbers)
    parts = [(at, width_of(t, records)) for at, t in scalars(type_, records, _MOST_SCALARS)]
    known = all(width is not None and _is_known(image, at, width) for at, width in parts)
    return image if known else None


def _is_known(image: ObjectImage, at: int, width: int) -> bool:
    there = image.known[at : at + width]
    return all(there) and (image.zero or len(there) == width)


class _Bytes(Struct):
    """Bytes so far, which of them are known, and the pointers among them."""

    data: bytearray
    known: bytearray
    pointers: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def put(self, at: int, new: bytes) -> None:
        self.data[at : at + len(new)] = new
        self.known[at : at + len(new)] = b"\1" * len(new)


def _image(name: str, size: int, cells: Mapping[int, Cell], zero: bool, numbers: Mapping[int, int]) -> ObjectImage:
    end = min(size, max((at + c.size for at, c in cells.items()), default=0))
    held = _Bytes(bytearray(end), bytearray(b"\1" * end if zero else end))
    for at, cell in _inside(cells, size):
        held.known[at : at + cell.size] = bytes(cell.size)
        match cell.value, cell.type:
            case Null(), _:
                held.put(at, bytes(cell.size))
            case Pointer(target=target, offset=int(offset)), _ if id(target) in numbers:
                held.put(at, bytes(cell.size))
                held.pointers.append((at, numbers[id(target)], offset))
            case (int(number), IntType() | BoolType()):
                held.put(at, (number & ((1 << 8 * cell.size) - 1)).to_bytes(cell.size, "little"))
            case (int() | float() as number, FloatType(bits=bits)) if bits in _FLOATS:
                held.put(at, _as_float(number, bits))
            case _:
                pass
    return ObjectImage(name, size, bytes(held.data), bytes(held.known), zero, tuple(held.pointers))


def _image_of(target: Object, numbers: Mapping[int, int]) -> ObjectImage:
    size, own = target.size or 0, target.numbers
    if own is None or (target.zero and own.has_lost()):
        return _image(target.name, size, target.cells, target.zero, numbers)
    known = own.known_bytes()
    if target.zero:
        known = bytearray(b"\1" * len(known))
    return ObjectImage(target.name, size, own.values.tobytes()[:size], bytes(known[:size]), target.zero, ())


def _inside(cells: Mapping[int, Cell], size: int) -> Iterable[tuple[int, Cell]]:
    return ((at, cell) for at, cell in cells.items() if at >= 0 and at + cell.size <= size)


def _as_float(number: float, bits: int) -> bytes:
    try:
        return struct.pack(_FLOATS[bits], number)
    except OverflowError:
        return struct.pack(_FLOATS[bits], float("inf") if number > 0 else float("-inf"))
