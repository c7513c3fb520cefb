"""Numbers of one type side by side, kept as the machine keeps them: large arrays take little room and time."""

from __future__ import annotations

from array import array
from typing import Any, Final

from msgspec import Struct

from hgrd.program.types import BoolType, FloatType, IntType, Type

ABSENT, KNOWN, LOST = 0, 1, 2
"""States of an element: nothing was stored there, its number is known, it is not known."""
_MOST: Final = 1 << 25  # elements
_INTEGERS: Final = {(8, True): "b", (8, False): "B", (16, True): "h", (16, False): "H", (32, True): "i",
                    (32, False): "I", (64, True): "q", (64, False): "Q"}  # fmt: skip
_FLOATS: Final = {32: "f", 64: "d"}
_IS_KNOWN: Final = bytes(state == KNOWN for state in range(256))


class Numbers(Struct, eq=False):
    """Elements of a type, from an object's first byte on; `states` has one of the states for each."""

    type: Type
    size: int
    values: array[Any]
    states: bytearray

    def index_of(self, offset: int, size: int) -> int | None:
        """The element at an offset; None: no element is just there."""
        index, rest = divmod(offset, self.size)
        return index if rest == 0 and size == self.size and index >= 0 else None

    def get(self, index: int) -> int | float | None:
        """The number of an element; None: it is not known."""
        return self.values[index] if index < len(self.states) and self.states[index] == KNOWN else None

    def state(self, index: int) -> int:
        return self.states[index] if index < len(self.states) else ABSENT

    def put(self, index: int, value: object) -> bool:
        """Stores a value, a number or what is not known; False: it cannot stand among these."""
        if index >= len(self.states) and not self.reach(index + 1):
            return False
        if type(value) is not (float if isinstance(self.type, FloatType) else int):
            self.states[index] = LOST
            return not isinstance(value, int | float)
        try:
            self.values[index] = value
        except OverflowError:
            return False
        self.states[index] = KNOWN
        return True

    def reach(self, count: int) -> bool:
        """Makes room for so many elements; False: these are too many."""
        more = count - len(self.states)
        if count > _MOST:
            return False
        if more > 0:
            self.values.frombytes(bytes(more * self.size))
            self.states.extend(bytes(more))
        return True

    def shorten(self, count: int) -> None:
        """From now on there are no more elements than that."""
        del self.values[count:], self.states[count:]

    def part(self, low: int, high: int) -> Numbers:
        """A copy of the elements from one to before another one."""
        return Numbers(self.type, self.size, self.values[low:high], self.states[low:high])

    def copy(self) -> Numbers:
        return self.part(0, len(self.states))

    def take(self, at: int, other: Numbers, count: int) -> bool:
        """Stores the first elements of others, of the same type; False: these are too many."""
        if not self.reach(at + count) or not other.reach(count):
            return False
        self.values[at : at + count] = other.values[:count]
        self.states[at : at + count] = other.states[:count]
        return True

    def drop(self, low: int, high: int) -> None:
        """From now on nothing stands in the elements from one to before another one."""
        high = min(high, len(self.states))
        if low < high:
            self.states[low:high] = bytes(high - low)
            self.values[low:high] = array(self.values.typecode, bytes((high - low) * self.size))

    def known_bytes(self) -> bytearray:
        """For each byte, whether it is known."""
        flags, known = self.states.translate(_IS_KNOWN), bytearray(len(self.states) * self.size)
        for byte in range(self.size):
            known[byte :: self.size] = flags
        return known

    def has_lost(self) -> bool:
        """Whether some element has a value that is not known."""
        return LOST in self.states


def numbers_of(type_: Type, size: int) -> Numbers | None:
    """No numbers yet, of a type with a size in bytes; None: it is no type of such numbers."""
    match type_:
        case IntType(bits=bits, signed=signed):
            code = _INTEGERS.get((bits, signed))
        case FloatType(bits=bits):
            code = _FLOATS.get(bits)
        case BoolType():
            code = "B"
        case _:
            code = None
    if code is None or array(code).itemsize != size:
        return None
    return Numbers(type_, size, array(code), bytearray())
