"""Memory images: all that a launch finds in memory, and what it is given, where no input decides about that."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

Extent3: TypeAlias = tuple[int, int, int]


class ObjectImage(Struct, frozen=True):
    """An object of `size` bytes that holds `data` from its first byte on, and behind that zeros, or what is not known.

    `known` has a 1 for each byte of the data that is known, `zero`: what is behind is zeros.  `pointers` are offsets of
    pointers, each with the number of the object in the image that it leads to, and the offset in that.
    """

    name: str
    size: int
    data: bytes
    known: bytes
    zero: bool
    pointers: tuple[tuple[int, int, int], ...]


class LaunchImage(Struct, frozen=True):
    """A launch with values: extents, bytes of dynamic shared memory, arguments, and the memory that they lead to.

    `variables` has the numbers of the objects that are variables on the device, by their keys.  `always`: the launch
    finds this each time that it is made, otherwise the first time.
    """

    grid: Extent3
    block: Extent3
    shared_bytes: int
    arguments: tuple[ObjectImage, ...]
    objects: tuple[ObjectImage, ...]
    variables: tuple[tuple[str, int], ...]
    always: bool
