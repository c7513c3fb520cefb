"""Memory of one thread of the interleaving semantics.

Its variables are private objects of bytes.  Reads and writes of memory that other threads can access are steps.
"""

from __future__ import annotations

from collections.abc import Mapping

from hgrd.cuda.memory_model import AccessKind
from hgrd.program.expressions import Expression, Place
from hgrd.program.layout import size_of
from hgrd.program.span import Span
from hgrd.program.types import Record, Type
from hgrd.simulate import scalars
from hgrd.simulate.interleaving import heap
from hgrd.simulate.interleaving.bit_fields import bit_field, bits_in, size_of_unit, with_bits
from hgrd.simulate.interleaving.heap import Heap, address_of, number_of, offset_of
from hgrd.simulate.interleaving.steps import Running, ThreadAccess
from hgrd.simulate.scalars import Scalar, UndefinedError
from hgrd.simulate.trace import MemoryOrder


class ThreadMemory:
    """The local objects of a thread of block `block`, and its accesses to objects that threads share."""

    def __init__(self, shared: Heap, block: int, records: Mapping[str, Record]) -> None:
        self.block = block
        self._heap = shared
        self._records = records
        self._locals: dict[int, bytearray] = {}
        self._next = heap.FIRST_LOCAL

    def size(self, type_: Type) -> int:
        size = size_of(type_, self._records)
        if size is None:
            raise UndefinedError(f"the size of {type_}")
        return size

    def pack(self, value: Scalar, type_: Type) -> bytes:
        return scalars.pack(value, type_, self._records)

    def new(self, data: bytes) -> int:
        number, self._next = self._next, self._next + 1
        self._locals[number] = bytearray(data)
        return address_of(number)

    def temporary(self, type_: Type) -> int:
        size = size_of(type_, self._records)
        return self.new(bytes(16 if size is None else size))

    def private(self, address: int) -> bytearray | None:
        """The bytes of an object in local or constant memory; None for memory that threads share."""
        number = number_of(address)
        if number >= heap.FIRST_LOCAL:
            if number not in self._locals:
                raise UndefinedError("a pointer to a variable that has ended")
            return self._locals[number]
        return self._heap.bytes(number, self.block) if self._heap.space(number) is None else None

    def load(
        self, address: int, type_: Type, span: Span, node: Place | Expression, order: MemoryOrder = MemoryOrder.PLAIN
    ) -> Running[Scalar]:
        field = bit_field(node)
        size = self.size(type_) if field is None else size_of_unit(field)
        data = self.private(address)
        if data is not None:
            read = heap.read(data, offset_of(address), size)
        else:
            there = number_of(address), offset_of(address), size, type_
            read: bytes = yield ThreadAccess(AccessKind.READ, *there, None, span, node, order)
        return scalars.unpack(read, type_) if field is None else bits_in(read, field)

    def store(
        self,
        address: int,
        value: Scalar,
        type_: Type,
        span: Span,
        node: Place | Expression,
        order: MemoryOrder = MemoryOrder.PLAIN,
    ) -> Running[None]:
        field = bit_field(node)
        new = self.pack(value, type_) if field is None else bytes(size_of_unit(field))

        def stored(old: bytes) -> bytes:
            return new if field is None else with_bits(old, value, field)

        data = self.private(address)
        if data is not None:
            heap.write(data, offset_of(address), stored(heap.read(data, offset_of(address), len(new))))
            return
        there = number_of(address), offset_of(address), len(new), type_
        yield ThreadAccess(AccessKind.WRITE, *there, stored, span, node, order)

    def clear(self, address: int) -> None:
        """Zeroes a local object."""
        data = self._locals[number_of(address)]
        data[:] = bytes(len(data))

    def mark(self) -> int:
        """A mark for `end_since`."""
        return self._next

    def end_since(self, mark: int) -> None:
        """Ends the local objects made since the mark."""
        for number in range(mark, self._next):
            del self._locals[number]
        self._next = mark
