"""Function pointers in device code: what they can point to.

Device code calls only device functions, and a pointer gets their addresses in device code or in the
initial values of device variables (CUDA Programming Guide, "Function Pointers"): an unknown pointer is
one of the functions whose address the program takes, or null.  Functions are numbered; null is 0.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.signatures import callable_as
from hgrd.program.types import FunctionType
from hgrd.symbolic.values import NULL, OPAQUE, Choice, FunctionValue, NullValue, PointerValue, Value
from hgrd.terms import Term, const, eq, ite

NUMBERS = (0, 0xFFFF)  # the range of an unknown number; one without a function is null
MAX_TARGETS = 16  # a pointer that may be one of more functions is not followed


class FunctionNumbers(Struct, frozen=True):
    """Pointers to functions as numbers, and numbers as pointers."""

    tables: Tables

    def targets(self, type_: FunctionType) -> tuple[Function, ...]:
        """Functions that a pointer of this type can point to."""
        known = self.tables.functions
        return tuple(f for key in self.tables.function_numbers if callable_as(f := known[key], type_))

    def number(self, value: Value) -> Term | None:
        """Number of the function that a pointer points to; None where it is no function of the program."""
        match value:
            case NullValue():
                return const(0)
            case FunctionValue(function=function):
                number = self.tables.function_numbers.get(function.key)
                return None if number is None else const(number)
            case Choice(condition=condition, then=a, otherwise=b):
                x, y = self.number(a), self.number(b)
                return None if x is None or y is None else ite(condition, x, y)
            case _:
                return None

    def numbered(self, number: Term, targets: Iterable[Function]) -> PointerValue:
        """Pointer that `number` stands for: one of the targets, else null."""
        value: PointerValue = NULL
        numbers = self.tables.function_numbers
        for target in reversed(tuple(targets)):
            value = Choice(eq(number, const(numbers[target.ref.key])), FunctionValue(target.ref), value)
        return value

    def one_of(self, number: Term, type_: FunctionType) -> PointerValue:
        """Pointer of unknown value; OPAQUE if it has no or too many targets."""
        targets = self.targets(type_)
        return self.numbered(number, targets) if 0 < len(targets) <= MAX_TARGETS else OPAQUE
