"""Memory as host code uses it: copies and fills of bytes, and what has never been given contents."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind
from hgrd.simulate.lockstep.memory import BIAS, SHIFT, Memory
from hgrd.simulate.trace import Touch

_MOST = 1 << 28  # bytes that one call may allocate, copy or fill


class HostMemoryError(Exception):
    """Memory that host code uses and that is not there, or is too large for a run."""


class FirstContents(Struct):
    """What a launch has given contents of the objects that had none; `missed`: it has read some before that."""

    given: dict[int, NDArray[np.bool_]]
    missed: bool = False

    def touch(self, event: Touch) -> None:
        """Notes an access."""
        given = self.given.get(event.memory)
        if given is None:
            return
        for part in range(event.size):
            at = event.offsets + part
            if event.kind is not AccessKind.WRITE and not self.missed:
                self.missed = not given[at].all()
            if event.kind is not AccessKind.READ:
                given[at] = True


class HostMemory(Struct):
    """All memory of a program.  `bare` are the objects on the device that no copy and no fill has given contents."""

    memory: Memory = field(default_factory=Memory)
    bare: set[int] = field(default_factory=set[int])

    def allocate(self, name: str, size: int, *, bare: bool = False) -> int:
        """The address of a new object."""
        if not 0 <= size <= _MOST:
            raise HostMemoryError(f"{size} bytes of memory")
        address = int(self.memory.allocate(name, size))
        if bare:
            self.bare.add(address >> SHIFT)
        return address

    def bytes_at(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes from an address on, as a view."""
        found = self.memory.objects.get(address >> SHIFT)
        first = (address & ((1 << SHIFT) - 1)) - BIAS
        if found is None or not 0 <= size <= _MOST or first < 0 or first + size > found.size:
            raise HostMemoryError(f"{size} bytes outside of an object")
        return found.data[first : first + size]

    def put(self, address: int, data: bytes) -> None:
        """Stores bytes."""
        self.bytes_at(address, len(data))[:] = np.frombuffer(data, np.uint8)

    def copy(self, to: int, source: int, size: int) -> None:
        """Copies bytes; contents that were never given stay so."""
        if size == 0:
            return
        self.bytes_at(to, size)[:] = self.bytes_at(source, size).copy()
        if source >> SHIFT not in self.bare:
            self.bare.discard(to >> SHIFT)

    def fill(self, to: int, byte: int, size: int) -> None:
        """Sets bytes."""
        if size == 0:
            return
        self.bytes_at(to, size)[:] = byte & 255
        self.bare.discard(to >> SHIFT)

    def size(self) -> int:
        """The bytes of all objects."""
        return sum(target.data.nbytes for target in self.memory.objects.values())

    def saved(self) -> dict[int, NDArray[np.uint8]]:
        """The contents of all objects."""
        return {number: target.data.copy() for number, target in self.memory.objects.items()}

    def restore(self, saved: dict[int, NDArray[np.uint8]]) -> None:
        """Gives objects the contents that they had."""
        for number, data in saved.items():
            self.memory.objects[number].data[:] = data

    def first_contents(self) -> FirstContents:
        """What a launch gives contents that begins now."""
        sizes = {number: self.memory.objects[number].size for number in self.bare}
        return FirstContents({number: np.zeros(size, np.bool_) for number, size in sizes.items()})

    def settle(self) -> None:
        """After a kernel: what it has left in an object is given contents, unless that is all zeros."""
        self.bare -= {number for number in self.bare if self.memory.objects[number].data.any()}
