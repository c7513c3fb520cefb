"""Memory of an interpreted launch, and addresses as numbers.

An address is 64 bits: the number of an object above, the offset below, biased so that pointers a little
before an object stay pointers into it.  Numbers of local objects are given out by each thread.
"""

from __future__ import annotations

from msgspec import Struct, field

from hgrd.cuda.memory_model import Space
from hgrd.simulate.scalars import UndefinedError

_OFFSET_BITS = 40
_BIAS = 1 << (_OFFSET_BITS - 1)
FIRST_LOCAL = 1 << 20
FIRST_FUNCTION = 1 << 23


def address_of(number: int, offset: int = 0) -> int:
    return (number << _OFFSET_BITS) + _BIAS + offset


def number_of(address: int) -> int:
    return address >> _OFFSET_BITS


def offset_of(address: int) -> int:
    return (address & ((1 << _OFFSET_BITS) - 1)) - _BIAS


class Heap(Struct):
    """Objects that threads share, by number: global and constant memory, and the shared memory of each block."""

    objects: dict[int, bytearray] = field(default_factory=dict[int, bytearray])
    sizes: dict[int, int] = field(default_factory=dict[int, int])  # of shared variables
    shared: dict[tuple[int, int], bytearray] = field(default_factory=dict[tuple[int, int], bytearray])
    constant: set[int] = field(default_factory=set[int])

    def add(self, data: bytes, *, constant: bool = False) -> int:
        """A new object in global (or constant) memory."""
        number = self._next()
        self.objects[number] = bytearray(data)
        if constant:
            self.constant.add(number)
        return number

    def add_shared(self, size: int) -> int:
        """A new variable in shared memory: every block has its own, zero at first."""
        number = self._next()
        self.sizes[number] = size
        return number

    def space(self, number: int) -> Space | None:
        """The space of an object; None for constant memory."""
        if number in self.sizes:
            return Space.SHARED
        if number in self.objects:
            return None if number in self.constant else Space.GLOBAL
        raise UndefinedError("a pointer to nothing")

    def bytes(self, number: int, block: int) -> bytearray:
        size = self.sizes.get(number)
        if size is None:
            return self.objects[number]
        return self.shared.setdefault((number, block), bytearray(size))

    def _next(self) -> int:
        return len(self.objects) + len(self.sizes) + 1


def read(data: bytearray, offset: int, size: int) -> bytes:
    _check(data, offset, size)
    return bytes(data[offset : offset + size])


def write(data: bytearray, offset: int, new: bytes) -> None:
    _check(data, offset, len(new))
    data[offset : offset + len(new)] = new


def _check(data: bytearray, offset: int, size: int) -> None:
    if offset < 0 or offset + size > len(data):
        raise UndefinedError(f"bytes {offset} to {offset + size} of an object of {len(data)} bytes")
