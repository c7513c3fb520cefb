"""Memory as numbered objects of bytes.

An address is one 64-bit number: the object's number above 40 bits, and the offset in it, biased so that
pointers somewhat before or after an object still belong to it.  Null is 0.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.simulate.lockstep.arithmetic import DType, Value
from hgrd.terms.interval import wrapped

SHIFT = 40
BIAS = 1 << (SHIFT - 1)
_MASK = (1 << SHIFT) - 1
_PADDING = 16


class Home(Enum):
    """Sharing of an object: by all threads, by a block (a copy each), by no others than one thread (a copy each)."""

    GLOBAL = "global"
    CONSTANT = "constant"
    SHARED = "shared"
    LOCAL = "local"


class AccessError(Exception):
    """An undefined access; `position` is that of the first thread with one among those that access."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class Allocation(Struct, eq=False):
    """An object in memory: `data` holds its copies, in rows of `pitch` bytes, of which `size` are used."""

    number: int
    name: str
    home: Home
    size: int
    data: NDArray[np.uint8]
    pitch: int
    views: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])

    @property
    def address(self) -> np.int64:
        return np.int64((self.number << SHIFT) + BIAS)

    @property
    def rows(self) -> bool:
        return self.home is Home.SHARED or self.home is Home.LOCAL

    def view(self, dtype: DType) -> NDArray[Any]:
        """All copies in a row, as elements of `dtype`."""
        known = self.views.get(dtype.str)
        if known is None:
            whole = len(self.data) // dtype.itemsize * dtype.itemsize
            known = self.views[dtype.str] = self.data[:whole].view(dtype)
        return known


class At(Struct):
    """Location in one object: byte `base + index * stride`; `base` and `index` may be uniform or not.

    `index` None: `base` alone.
    """

    number: int
    base: Value
    index: Value = None
    stride: int = 0

    def moved(self, offset: int) -> At:
        return At(self.number, self.base + offset, self.index, self.stride) if offset else self

    def offsets(self) -> Value:
        """Offsets in bytes from the start of the object (or of the thread's or block's copy of it)."""
        return self.base if self.index is None else self.base + widened(self.index) * self.stride

    def address(self) -> Value:
        return self.offsets() + np.int64((self.number << SHIFT) + BIAS)

    def elements(self, width: int) -> Value:
        """The offsets in elements of `width` bytes; None if some are between two elements."""
        base, index, stride = self.base, self.index, self.stride
        if index is not None and stride % width == 0 and not isinstance(base, np.ndarray):
            if base % width:
                return None
            first, step = int(base) // width, stride // width
            if step == 1:
                if first == 0:
                    return widened(index) if index.dtype.itemsize == 8 else index
                return widened(index) + first
            return widened(index) * step + first
        offsets: Value = self.offsets()
        if width == 1:
            return offsets
        if np.any(offsets % width):
            return None
        return offsets // width


class Scattered(Struct):
    """Locations in several objects at once: the threads' pointers."""

    pointers: Value

    def moved(self, offset: int) -> Scattered:
        return Scattered(self.pointers + np.int64(offset))

    def address(self) -> Value:
        return self.pointers


def widened(index: Value) -> Value:
    """An index as a 64-bit number."""
    return index.view(np.int64) if index.dtype.itemsize == 8 else index.astype(np.int64)


def added(at: At | Scattered, index: Value, stride: int) -> At | Scattered:
    """The location `index * stride` bytes further; addresses are numbers of 64 bits, which wrap around."""
    if isinstance(at, Scattered):
        return Scattered(at.pointers + widened(index) * stride)
    if not isinstance(index, np.ndarray):
        step = np.int64(wrapped(int(index) * stride, 64, signed=True))
        return At(at.number, at.base + step, at.index, at.stride)
    if at.index is None:
        return At(at.number, at.base, index, stride)
    if at.stride % stride == 0:
        factor = at.stride // stride
        before = widened(at.index)
        return At(at.number, at.base, (before if factor == 1 else before * factor) + widened(index), stride)
    return At(at.number, at.offsets(), index, stride)


def decoded(pointer: Value) -> At | Scattered:
    """The location that pointers point to."""
    if not isinstance(pointer, np.ndarray):
        number = int(pointer) >> SHIFT
        return At(number, np.int64((int(pointer) & _MASK) - BIAS))
    numbers = pointer >> SHIFT
    first = int(numbers[0])
    if np.all(numbers == first):
        return At(first, pointer - np.int64((first << SHIFT) + BIAS))
    return Scattered(pointer)


def numbers_of(pointer: Value) -> NDArray[np.int64]:
    """The objects that pointers point into."""
    return pointer >> SHIFT


class Memory(Struct):
    """All objects; global ones stay from launch to launch.

    `symbols` are the numbers of `__device__`, `__constant__` and `__shared__` variables, and of surfaces, by key.
    `cells` are the contents of surfaces, by number and offset.
    """

    objects: dict[int, Allocation] = field(default_factory=dict[int, Allocation])
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    cells: dict[int, dict[int, bytes]] = field(default_factory=dict[int, dict[int, bytes]])
    free: list[int] = field(default_factory=list[int])
    last: int = 0

    def allocate(self, name: str, contents: NDArray[Any] | int, home: Home = Home.GLOBAL) -> np.int64:
        """The address of a new object: of `contents` zero bytes, or with the array `contents`, which is not copied."""
        if isinstance(contents, int):
            contents = np.zeros(contents, np.uint8)
        data = contents.reshape(-1).view(np.uint8)
        assert np.shares_memory(data, contents) or data.size == 0
        return self._add(name, home, data.size, data, data.size).address

    def define(self, key: str, name: str, contents: NDArray[Any], home: Home = Home.CONSTANT) -> None:
        """Gives a variable at namespace scope its contents before the first launch, as cudaMemcpyToSymbol does."""
        self.symbols[key] = int(self.allocate(name, contents, home)) >> SHIFT

    def without_bytes(self, key: str) -> Allocation:
        """The object of this key, that has `cells` in place of bytes; a new one, where there is none."""
        if key not in self.symbols:
            self.define(key, key, np.zeros(0, np.uint8), Home.GLOBAL)
        return self.objects[self.symbols[key]]

    def contents(self, name: str, dtype: DType | type) -> NDArray[Any]:
        """A view of the contents of a variable at namespace scope, by name or key; kernels see stores into it."""
        number = self.symbols.get(name)
        if number is None:
            number = next(n for n in self.symbols.values() if self.objects[n].name == name)
        return self.objects[number].data.view(dtype)

    def place_copies(self, name: str, home: Home, size: int, copies: int) -> Allocation:
        """A new object with a copy of its own for each block or thread of a batch."""
        pitch = -(-size // _PADDING) * _PADDING if size > 8 else size
        return self._add(name, home, size, np.zeros(pitch * copies, np.uint8), pitch)

    def _add(self, name: str, home: Home, size: int, data: NDArray[np.uint8], pitch: int) -> Allocation:
        if self.free:
            number = self.free.pop()
        else:
            self.last += 1
            number = self.last
        made = self.objects[number] = Allocation(number, name, home, size, data, pitch)
        return made

    def release(self, number: int) -> None:
        del self.objects[number]
        self.free.append(number)

    def forget_copies(self, standing: frozenset[int]) -> None:
        """Ends the objects of blocks and threads that have been made since `standing` were all there are."""
        for number in [n for n, o in self.objects.items() if o.rows and n not in standing]:
            self.release(number)

    def find(self, at: At) -> Allocation:
        found = self.objects.get(at.number)
        if found is None:
            raise AccessError("memory through a pointer to no object", 0)
        return found


def element_indexes(target: Allocation, at: At, dtype: DType, rows: NDArray[np.int64] | None) -> Value:
    """Indexes into `target.view(dtype)`; None if an access is not aligned to its size.

    `rows` are the threads' copies of the object; None if it has only one.  Raises AccessError outside of it.
    """
    width = dtype.itemsize
    elements = at.elements(width)
    if elements is None or target.pitch % width:
        return None
    limit = target.size // width
    _check(elements, limit, target, width)
    if rows is None:
        return elements
    return rows * (target.pitch // width) + elements


def byte_indexes(target: Allocation, at: At, width: int, rows: NDArray[np.int64] | None, count: int) -> Value:
    """For each thread the indexes of its `width` bytes."""
    offsets: Value = at.offsets()
    _check(offsets, target.size - width + 1, target, 1)
    first = np.broadcast_to(np.asarray(offsets, np.int64), (count,))
    if rows is not None:
        first = first + rows * target.pitch
    return first[:, None] + np.arange(width)


def _check(elements: Value, limit: int, target: Allocation, width: int) -> None:
    if not isinstance(elements, np.ndarray):
        if 0 <= elements < limit:
            return
        raise _outside(int(elements) * width, target, 0)
    if not _inside(elements, max(limit, 0)):
        bad = np.flatnonzero((elements < 0) | (elements >= limit))
        first = int(bad[0])
        raise _outside(int(cast("NDArray[np.int64]", elements)[first]) * width, target, first)


def _inside(elements: Value, limit: int) -> bool:
    """Whether all numbers of a vector are in [0, limit), in one pass."""
    if elements.dtype.kind == "i":
        if limit > np.iinfo(elements.dtype).max:
            return bool(elements.min() >= 0)
        elements = elements.view(f"u{elements.dtype.itemsize}")
    return bool(elements.max() < limit)


def _outside(offset: int, target: Allocation, position: int) -> AccessError:
    name = target.name.rpartition("::")[2]  # of a function's own object, without the function
    return AccessError(f"byte {offset} of {name}, which has {target.size}", position)
