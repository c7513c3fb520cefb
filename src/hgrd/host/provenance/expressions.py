"""What a value is made of, by its expression alone: elements of arrays, something computed or something given."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from msgspec import Struct

from hgrd.host.linking.library_names import LIBC_NAMES, of_container
from hgrd.host.linking.link import type_of
from hgrd.host.provenance.array_names import Array, Names, Returned, leads
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


class How(IntEnum):
    """The greater ones prevail where a value is made of several."""

    COPIED = 0
    COMPUTED = 1
    GIVEN = 2


class Held(Struct, frozen=True):
    """`arrays`: those of which it is a copy of elements, or from the elements of which it is computed."""

    how: How = How.COPIED
    arrays: frozenset[Array] = frozenset()

    def __or__(self, other: Held) -> Held:
        return Held(max(self.how, other.how), self.arrays | other.arrays)

    def computed(self) -> Held:
        """What is computed from such a value."""
        return self if self == NOTHING else Held(max(self.how, How.COMPUTED), self.arrays)


NOTHING: Final = Held()  # a constant, a flag, the same number throughout, a number that nobody says anything of


class Values(Struct, frozen=True):
    """What the values in a loop are made of (or those in no loop); `varying`: what the loop sets, outermost as it is.

    A number that is the same throughout tells no element from another one, wherever it comes from.
    """

    names: Names
    varying: frozenset[Array] = frozenset()

    def of(self, value: ir.Expression) -> Held:
        """Of what is no pointer; how it is chosen and looked up does not count."""
        match value:
            case ir.Load(place=place) if not leads(value.type):
                return NOTHING if self._is_same(place, value.type) else Held(arrays=self.names.at(place))
            case ir.Convert(operand=inner) | ir.Comma(right=inner) | ir.Assign(value=inner):
                return NOTHING if leads(inner.type) else self.of(inner)
            case ir.Unary(op=op, operand=operand):
                return NOTHING if op is UnaryOp.NOT else self.of(operand)
            case ir.Binary(op=op, left=left, right=right):
                return NOTHING if op in _TESTS else (self.of(left) | self.of(right)).computed()
            case ir.Conditional(then=a, otherwise=b):
                return self.of(a) | self.of(b)
            case ir.Update() | ir.PointerDifference():
                return Held(How.COMPUTED)
            case ir.Call():
                return self._returned(value)
            case ir.Construct(arguments=arguments):
                return self._constructed(arguments)
            case ir.Aggregate(parts=parts):
                return self.of_all(part for _, part in parts)
            case _:
                return NOTHING

    def of_all(self, arguments: Iterable[ir.Expression]) -> Held:
        """Of what a function is given; where that is a pointer or a reference, of what it leads to."""
        found = NOTHING
        for argument in arguments:
            found |= self._passed(argument)
        return found

    def _passed(self, argument: ir.Expression) -> Held:
        match argument:
            case ir.AddressOf(place=ir.TemporaryPlace(value=value)) if not leads(value.type):
                return self.of(value)
            case ir.AddressOf(place=place) if self._is_same(place, type_of(place)):
                return NOTHING
            case _ if leads(argument.type):
                return Held(arrays=self.names.behind(argument))
            case _:
                return self.of(argument)

    def _is_same(self, place: ir.Place, type_: Type | None) -> bool:
        is_number = isinstance(type_, BoolType | IntType | FloatType)
        return is_number and not _is_element(place) and self.varying.isdisjoint(self.names.around(place))

    def _returned(self, call: ir.Call) -> Held:
        name = call.function.name
        if call.function.key in self.names.functions:
            numbers = (a for a in call.arguments if not leads(a.type))
            return Held(arrays=frozenset((Returned(call.function.key),))) | self.of_all(numbers)
        if name in _COUNTING:
            return Held(How.COMPUTED)
        if of_container(call.function.qualified):
            return Held(arrays=self.names.behind(call))
        if name in _RANDOM | _READ or name not in PASSING | LIBC_NAMES:
            return Held(How.GIVEN)
        return self.of_all(call.arguments)

    def _constructed(self, arguments: tuple[ir.Expression, ...]) -> Held:
        """A container of what is in a range or in another one, or of copies of a value after their number."""
        if arguments and leads(arguments[0].type):
            return self.of_all(a for a in arguments if leads(a.type))
        return self.of_all(arguments[1:])


def _is_element(place: ir.Place) -> bool:
    """Whether a place is one of many, as far as it says."""
    match place:
        case ir.VariablePlace():
            return False
        case ir.FieldPlace(base=inner) | ir.AfterPlace(place=inner) | ir.Deref(pointer=ir.Load(place=inner)):
            return _is_element(inner)
        case _:
            return True
