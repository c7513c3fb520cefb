"""Witness memory: an object for each that the analysis knows of, with the contents of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind
from hgrd.program.expressions import Variable
from hgrd.program.layout import size_of
from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, PointerType, Record, RecordType, Type
from hgrd.protocol.model import accesses
from hgrd.protocol.phases.phases import Side
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.replay.model_values import Valuation
from hgrd.simulate.replay.sparse_memory import sparse_bytes
from hgrd.symbolic.values import MemoryObject, MemorySpace
from hgrd.terms import Origin, symbols_of

_FILLED = 1 << 16  # elements on each side of an object's start that get other contents than 0
_READ_AS = re.compile(r"(?P<name>.*?)(?:\.(?P<letter>[a-z?]+)(?P<size>\d+))?(?P<bytes>\.bytes)?")

Fill = Callable[[int, Type], NDArray[np.generic]]
"""Gives a number of elements of a scalar type: the contents of memory that the model leaves open."""


class WitnessMemory(Struct):
    """Global memory of one run.  `starts` are the addresses of objects by key; `fill` None: open contents are zeros."""

    memory: Memory
    records: Mapping[str, Record]
    fill: Fill | None
    starts: dict[str, int] = field(default_factory=dict[str, int])
    _objects: dict[str, MemoryObject] = field(default_factory=dict[str, MemoryObject])

    def start_of(self, target: MemoryObject) -> int:
        """The address of the first byte of an object."""
        known = self.starts.get(target.key)
        if known is not None:
            return known
        number = self.memory.symbols.get(target.key)
        if number is not None:
            start = int(self.memory.objects[number].address)
        else:
            data = sparse_bytes()
            start = int(self.memory.allocate(target.name, data)) + len(data) // 2
        self.starts[target.key] = start
        self._objects[target.key] = target
        if self.fill is not None and number is None:
            self._fill(target, start)
        return start

    def _fill(self, target: MemoryObject, start: int) -> None:
        assert self.fill is not None
        type_ = scalar_of(target.element)
        if type_ is None or isinstance(type_, PointerType):
            return
        values = np.ascontiguousarray(self.fill(2 * _FILLED, type_))
        self.put(start - values.nbytes // 2, values.tobytes())

    def put(self, address: int, data: bytes) -> None:
        """Stores bytes; those outside of the object are dropped."""
        target = self.memory.objects.get(address >> 40)
        if target is None:
            return
        first = address - int(target.address)
        if first >= 0 and first + len(data) <= target.size:
            target.data[first : first + len(data)] = np.frombuffer(data, np.uint8)

    # ------------------------------------------------------------ contents of the model

    def settle(self, valuation: Valuation, variables: Iterable[Variable]) -> None:
        """Makes all objects that the kernel is known to access, with the contents of the model.

        `variables` are those at namespace scope that memory has.
        """
        for v in variables:
            self.start_of(MemoryObject(v.key, v.name, MemorySpace.CONSTANT, v.type, None, v.span))
        targets = {a.target.key: a.target for a in accesses(valuation.evidence.protocol.items)}
        for target in targets.values():
            if target.space is not MemorySpace.SHARED:
                self.start_of(target)
        for target in targets.values():
            if target.key.startswith("**") and target.key[2:] in targets:
                self._point(targets[target.key[2:]], self.starts[target.key])
        for (array, index), value in valuation.model.reads.items():
            self._element(array, index, value)
        first: dict[int, bytes] = {}
        for side in Side:
            for address, data in self._found(valuation, side):
                first.setdefault(address, data)
        for address, data in first.items():
            self.put(address, data)

    def count(self, valuation: Valuation, number: int) -> None:
        """Makes a number what counters are: integers that all threads which come there change by atomic operations."""
        for access in accesses(valuation.evidence.protocol.items):
            type_, start = scalar_of(access.target.element), self.starts.get(access.target.key)
            one = all(s.origin in (Origin.INPUT, Origin.DIMENSION) for s in symbols_of(access.offset))
            at = valuation.at(access.offset, Side.FIRST) if one and access.kind is AccessKind.ATOMIC else None
            if isinstance(type_, IntType) and start is not None and at is not None:
                self.put(start + at, packed(number, access.size, floating=False))

    def _point(self, owner: MemoryObject, start: int) -> None:
        """Sets the pointers in an object, all of them to one other object."""
        if owner.space is MemorySpace.SHARED:
            return
        size, places = self._pointers(owner.element)
        count = _FILLED * 8 // size
        data = np.zeros(count * size, np.uint8)
        pointer = np.frombuffer(start.to_bytes(8, "little"), np.uint8)
        for at in places:
            data.reshape(count, size)[:, at : at + 8] = pointer
        self.put(self.starts[owner.key], data.tobytes())

    def _pointers(self, type_: Type | None) -> tuple[int, list[int]]:
        """The size of an element of an object, and the offsets of pointers in it."""
        while isinstance(type_, ArrayType):
            type_ = type_.of
        size = None if type_ is None else size_of(type_, self.records)
        if type_ is None or size is None:
            return 8, [0]
        return size, [at for at, t in members(type_, self.records) if isinstance(t, PointerType)]

    def _element(self, array: str, index: tuple[int, ...], value: int) -> None:
        """Stores an element of an array that is only read."""
        match = _READ_AS.fullmatch(array)
        if match is None or len(index) != 1:
            return
        for target in [t for t in self._objects.values() if t.name in (match["name"], array)]:
            type_ = scalar_of(target.element)
            size = int(match["size"]) if match["size"] else (type_ and size_of(type_, self.records)) or 4
            floating = match["letter"] == "f" if match["letter"] else isinstance(type_, FloatType)
            pointer = match["letter"] == "p" if match["letter"] else isinstance(type_, PointerType)
            if pointer:
                value += self.starts.get(f"**{target.key}", 0)
            at = index[0] if match["bytes"] else index[0] * size
            self.put(self.starts[target.key] + at, packed(value, size, floating=floating))

    def _found(self, valuation: Valuation, side: Side) -> Iterator[tuple[int, bytes]]:
        """Values that a thread reads in memory that the kernel also writes: (address, contents), in program order."""
        model, threads = valuation.model, valuation.evidence.encoded.threads
        for access in accesses(valuation.evidence.protocol.items):
            target = access.target
            if access.result is None or target.space is MemorySpace.SHARED:
                continue
            value = model.values.get(threads.rename(access.result, side))
            offset = valuation.at(access.offset, side)
            if value is None or offset is None:
                continue
            type_ = scalar_of(target.element)
            if isinstance(type_, PointerType):
                value += self.starts.get(f"**{target.key}", 0)
            data = packed(value, access.size, floating=isinstance(type_, FloatType))
            yield self.starts[target.key] + offset, data


def packed(value: int, size: int, *, floating: bool) -> bytes:
    """An integer as bytes; for floating point, where integers stand for different values, as that number."""
    if floating and size in (2, 4, 8):
        return np.array([value]).astype(f"f{size}").tobytes()
    return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def scalar_of(type_: Type | None) -> Type | None:
    """The type of the elements of an array, if they are scalars; else None."""
    while isinstance(type_, ArrayType):
        type_ = type_.of
    return type_ if isinstance(type_, BoolType | IntType | FloatType | PointerType) else None


def members(type_: Type, records: Mapping[str, Record]) -> Iterator[tuple[int, Type]]:
    """The scalars of a type, with their offsets."""
    match type_:
        case RecordType(key=key) if key in records:
            for part in records[key].fields:
                yield from ((part.offset + at, t) for at, t in members(part.type, records))
        case ArrayType(of=element, count=count):
            size = size_of(element, records) or 0
            for i in range(count or 0):
                yield from ((i * size + at, t) for at, t in members(element, records))
        case _:
            yield 0, type_
