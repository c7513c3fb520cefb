"""Provenance of values, by their expressions alone: elements of arrays, computed by the program, or input."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from msgspec import Struct

from hgrd.host.linking.library_names import LIBC_NAMES, of_container
from hgrd.host.linking.link import type_of
from hgrd.host.provenance.array_names import Array, ArrayNames, ReturnValue, is_pointer
from hgrd.program import expressions as ir
from hgrd.program.expressions import BinaryOp, UnaryOp
from hgrd.program.types import BoolType, FloatType, IntType, Type

_RANDOM: Final = frozenset(("rand", "random", "lrand48", "drand48"))
_READ: Final = frozenset(
    ("atoi", "atol", "atoll", "atof", "strtoull", "strtof", "stoi", "stol", "stoul", "stof", "stod")
)
_COUNTING: Final = frozenset(
    ("size", "length", "capacity", "count", "count_if", "distance", "accumulate", "reduce", "operator-")
)
PASSING: Final = frozenset(("make_pair", "make_tuple", "tie", "get", "move", "forward", "min", "max"))
_TESTS: Final = (BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)


class Source(IntEnum):
    """Where a value comes from; the greatest one prevails where several are combined."""

    COPIED = 0
    COMPUTED = 1
    INPUT = 2


class Provenance(Struct, frozen=True):
    """The provenance of a value; `arrays`: it is an element of one of them, or computed from their elements."""

    source: Source = Source.COPIED
    arrays: frozenset[Array] = frozenset()

    def __or__(self, other: Provenance) -> Provenance:
        return Provenance(max(self.source, other.source), self.arrays | other.arrays)

    def computed(self) -> Provenance:
        """The provenance of what is computed from such a value."""
        return self if self == NOTHING else Provenance(max(self.source, Source.COMPUTED), self.arrays)


NOTHING: Final = Provenance()  # a constant, a flag, a number that is the same throughout, an unknown number


class ValueProvenance(Struct, frozen=True):
    """Provenance of values inside an outermost loop, or outside all loops; `varying` are the names that the loop sets.

    A number that is the same throughout the loop does not tell elements apart, wherever it comes from.
    """

    names: ArrayNames
    varying: frozenset[Array] = frozenset()

    def of(self, value: ir.Expression) -> Provenance:
        """The provenance of a value that is no pointer; conditions and indexes in the expression do not count."""
        match value:
            case ir.Load(place=place) if not is_pointer(value.type):
                return NOTHING if self._is_same(place, value.type) else Provenance(arrays=self.names.at(place))
            case ir.Convert(operand=inner) | ir.Comma(right=inner) | ir.Assign(value=inner):
                return NOTHING if is_pointer(inner.type) else self.of(inner)
            case ir.Unary(op=op, operand=operand):
                return NOTHING if op is UnaryOp.NOT else self.of(operand)
            case ir.Binary(op=op, left=left, right=right):
                return NOTHING if op in _TESTS else (self.of(left) | self.of(right)).computed()
            case ir.Conditional(then=a, otherwise=b):
                return self.of(a) | self.of(b)
            case ir.Update() | ir.PointerDifference():
                return Provenance(Source.COMPUTED)
            case ir.Call():
                return self._returned(value)
            case ir.Construct(arguments=arguments):
                return self._constructed(arguments)
            case ir.Aggregate(parts=parts):
                return self.of_all(part for _, part in parts)
            case _:
                return NOTHING

    def of_all(self, arguments: Iterable[ir.Expression]) -> Provenance:
        """The provenance of arguments together; of a pointer or reference, that of what it leads to."""
        found = NOTHING
        for argument in arguments:
            found |= self._passed(argument)
        return found

    def _passed(self, argument: ir.Expression) -> Provenance:
        match argument:
            case ir.AddressOf(place=ir.TemporaryPlace(value=value)) if not is_pointer(value.type):
                return self.of(value)
            case ir.AddressOf(place=place) if self._is_same(place, type_of(place)):
                return NOTHING
            case _ if is_pointer(argument.type):
                return Provenance(arrays=self.names.targets_of(argument))
            case _:
                return self.of(argument)

    def _is_same(self, place: ir.Place, type_: Type | None) -> bool:
        is_number = isinstance(type_, BoolType | IntType | FloatType)
        return is_number and not _is_element(place) and self.varying.isdisjoint(self.names.around(place))

    def _returned(self, call: ir.Call) -> Provenance:
        name = call.function.name
        if call.function.key in self.names.functions:
            numbers = (a for a in call.arguments if not is_pointer(a.type))
            return Provenance(arrays=frozenset((ReturnValue(call.function.key),))) | self.of_all(numbers)
        if name in _COUNTING:
            return Provenance(Source.COMPUTED)
        if of_container(call.function.qualified):
            return Provenance(arrays=self.names.targets_of(call))
        if name in _RANDOM | _READ or name not in PASSING | LIBC_NAMES:
            return Provenance(Source.INPUT)
        return self.of_all(call.arguments)

    def _constructed(self, arguments: tuple[ir.Expression, ...]) -> Provenance:
        """The provenance of a container made from a range, from another container, or from a count and a value."""
        if arguments and is_pointer(arguments[0].type):
            return self.of_all(a for a in arguments if is_pointer(a.type))
        return self.of_all(arguments[1:])


def _is_element(place: ir.Place) -> bool:
    """Whether a place is an element of an array, going by its expression."""
    match place:
        case ir.VariablePlace():
            return False
        case ir.FieldPlace(base=inner) | ir.AfterPlace(place=inner) | ir.Deref(pointer=ir.Load(place=inner)):
            return _is_element(inner)
        case _:
            return True
