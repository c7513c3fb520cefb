"""Symbolic arguments of a launch as the values that a kernel is given."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from msgspec import Struct

from hgrd.host.model import ConstantMemory
from hgrd.program.layout import size_of
from hgrd.program.types import FloatType, PointerType, Record, RecordType, Type
from hgrd.simulate.replay.model_values import Valuation, ValuationError
from hgrd.simulate.replay.witness_memory import WitnessMemory, members
from hgrd.symbolic.values import (
    Choice,
    Composite,
    FloatValue,
    FunctionValue,
    NullValue,
    OpaqueValue,
    Pointer,
    PointerValue,
    Value,
)
from hgrd.terms import Term

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class ArgumentBuilder(Struct, frozen=True):
    """Builder of arguments; `number` is the value of floating-point arguments that are unknown."""

    valuation: Valuation
    memory_of_witness: WitnessMemory
    records: Mapping[str, Record]
    functions: tuple[str, ...]  # those with a taken address, by key
    number: float

    def argument(self, value: Value, type_: Type) -> int | float | bytes:
        """A concrete argument.  Raises ValuationError for a value that has none."""
        match value:
            case Term():
                return self.valuation.of(value)
            case FloatValue():
                return self._real(value)
            case Composite():
                return self._record(value, type_)
            case OpaqueValue() if isinstance(type_, RecordType):
                return bytes(self._size(type_))
            case _:
                return self._pointer(value, type_)

    def constant(self, held: ConstantMemory) -> None:
        """Stores the contents that the host has put into a variable of constant memory."""
        number = self.memory_of_witness.memory.symbols.get(held.target.key)
        type_ = held.target.element
        if number is None or type_ is None:
            return
        start = self.memory_of_witness.start_of(held.target)
        types = dict(members(type_, self.records))
        for offset, cell in held.value.cells.items():
            part = bytearray(cell.size)
            self._fill(part, -offset, Composite({offset: cell}, cell.size), {0: types.get(offset, type_)})
            self.memory_of_witness.put(start + offset, bytes(part))

    def _real(self, value: FloatValue) -> float:
        if value.exact is None:
            return self.number
        numerator, denominator = value.exact
        return self.valuation.of(numerator) / denominator

    def _pointer(self, value: PointerValue, type_: Type) -> int:
        match value:
            case Pointer(target=target, offset=offset):
                return self.memory_of_witness.start_of(target) + self.valuation.of(offset)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                return self._pointer(then if self.valuation.of(condition) else otherwise, type_)
            case NullValue():
                return 0
            case FunctionValue(function=function) if function.key in self.functions:
                return self.functions.index(function.key) + 1
            case FunctionValue(function=function):
                raise ValuationError(f"a pointer to {function.name} is passed")
            case OpaqueValue():
                return 0

    def _size(self, type_: Type) -> int:
        size = size_of(type_, self.records)
        if size is None:
            raise ValuationError("an argument of unknown size")
        return size

    def _record(self, value: Composite, type_: Type) -> bytes:
        data = bytearray(self._size(type_))
        self._fill(data, 0, value, dict(members(type_, self.records)))
        return bytes(data)

    def _fill(self, data: bytearray, first: int, value: Composite, types: Mapping[int, Type]) -> None:
        for offset, cell in value.cells.items():
            at = first + offset
            if isinstance(cell.value, Composite):
                self._fill(data, at, cell.value, types)
                continue
            type_ = types.get(at, PointerType(FloatType(32)))
            part = self.argument(cell.value, type_)
            match part:
                case bytes():
                    new = part
                case float():
                    new = struct.pack(_FLOATS[cell.size], part)
                case int():
                    new = (part & ((1 << 8 * cell.size) - 1)).to_bytes(cell.size, "little")
            data[at : at + len(new)] = new
