"""Memory of launches: made from the image of what a launch finds, with what is known of its bytes."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.host.memory_image import LaunchImage, ObjectImage
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.types import BoolType, FloatType, IntType, PointerType
from hgrd.simulate.lockstep.memory import SHIFT, Memory
from hgrd.simulate.trace import MemoryOrder, Touch

_MOST_SHARED: Final = 1 << 26  # bytes of shared memory of all blocks

Mask = NDArray[np.bool_]


class LaunchMemory(Struct, frozen=True):
    """Memory that a launch finds, what is known of it, its arguments, and the addresses of the image's objects."""

    memory: Memory
    data: KnownData
    arguments: tuple[int | float | bytes, ...]
    addresses: tuple[int, ...]


def launch_memory(kernel: Function, image: LaunchImage, *, guesses: Random | None = None) -> LaunchMemory:
    """Memory as an image has it; what that does not say is zeros, or what is drawn."""
    memory = Memory()
    data = KnownData(memory, prod(image.block), prod(image.grid))
    keys = {number: key for key, number in image.variables}
    addresses: list[int] = []
    for number, part in enumerate(image.objects):
        address = int(memory.allocate(part.name, part.size))
        if number in keys:
            memory.symbols[keys[number]] = address >> SHIFT
        known = np.full(part.size, part.zero)
        known[: len(part.known)] = np.frombuffer(part.known, np.bool_)
        data.given[address >> SHIFT, 0], data.exact[address >> SHIFT, 0] = known, known.copy()
        addresses.append(address)
    for address, part in zip(addresses, image.objects, strict=True):
        held = memory.objects[address >> SHIFT].data
        held[: len(part.data)] = np.frombuffer(_bytes(part, addresses), np.uint8)
        if guesses is not None:
            drawn = np.frombuffer(guesses.randbytes(part.size), np.uint8)
            np.copyto(held, drawn, where=~data.given[address >> SHIFT, 0])
    given = zip(kernel.parameters, image.arguments, strict=True)
    arguments = (_argument(p, _bytes(a, addresses).ljust(a.size, b"\0")) for p, a in given)
    return LaunchMemory(memory, data, tuple(arguments), tuple(addresses))


def _bytes(part: ObjectImage, addresses: list[int]) -> bytes:
    """The data of an object, with the pointers in it."""
    data = bytearray(part.data)
    for at, number, offset in part.pointers:
        data[at : at + 8] = (addresses[number] + offset).to_bytes(8, "little")
    return bytes(data)


def _argument(parameter: Variable, data: bytes) -> int | float | bytes:
    match parameter.type:
        case IntType() | BoolType() | PointerType():
            return int.from_bytes(data, "little")
        case FloatType(bits=bits):
            return float(np.frombuffer(data, f"<f{bits // 8}")[0])
        case _:
            return data


class KnownData(Struct):
    """What is known of memory, by object and block: bytes that were given contents, and those that have exact ones.

    Floating-point numbers and what atomic operations leave are not exact.  `guessed`: bytes were read that nobody had
    given contents (`guessed_floats`: as floating-point numbers); `vague`: bytes that are not exact were read as
    anything else, or accesses may be ordered by their outcome.  A shared variable goes by its number and size: another
    batch of blocks may give the number to another one, and each batch has blocks of its own.
    """

    memory: Memory
    threads_per_block: int
    blocks: int
    given: dict[tuple[int, int], Mask] = field(default_factory=dict["tuple[int, int]", Mask])
    exact: dict[tuple[int, int], Mask] = field(default_factory=dict["tuple[int, int]", Mask])
    guessed: bool = False
    guessed_floats: bool = False
    vague: bool = False

    def touch(self, event: Touch) -> None:
        """Notes an access."""
        float_ = event.values is not None and event.values.dtype.kind == "f"
        number = event.values is not None and event.values.dtype.kind in "iub"
        self.vague = self.vague or (event.order is not MemoryOrder.PLAIN and event.scope is None)
        given, exact, offsets = self._masks(event)
        places = (offsets[:, None] + np.arange(event.size)).reshape(-1)
        if event.kind is AccessKind.READ:
            missed = not given[places].all()
            self.guessed = self.guessed or (missed and not float_)
            self.guessed_floats = self.guessed_floats or (missed and float_)
            self.vague = self.vague or (not float_ and not exact[places].all())
        else:
            given[places] = True
            exact[places] = number and event.kind is AccessKind.WRITE

    def _masks(self, event: Touch) -> tuple[Mask, Mask, NDArray[np.int64]]:
        held = self.memory.objects[event.memory]
        if event.space is not Space.SHARED:
            key = event.memory, 0
            if key not in self.given:  # a variable that nobody has written yet
                self.given[key], self.exact[key] = np.ones(held.data.size, np.bool_), np.ones(held.data.size, np.bool_)
            return self.given[key], self.exact[key], event.offsets
        key = event.memory, 1 + held.size
        if key not in self.given:
            whole = held.size * self.blocks
            if whole > _MOST_SHARED:
                raise MemoryError
            self.given[key], self.exact[key] = np.zeros(whole, np.bool_), np.zeros(whole, np.bool_)
        blocks = event.threads // self.threads_per_block
        return self.given[key], self.exact[key], event.offsets + blocks * held.size
