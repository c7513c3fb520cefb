"""What a pointer to a function in device code can be.

Device code calls only device functions, and a pointer gets their addresses in device code or in the
initial values of device variables (CUDA Programming Guide, "Function Pointers"): an unknown pointer is
one of the functions whose address the program takes, or null.  Functions are numbered; null is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import nodes
from hgrd.program.program import Function, Global, Side
from hgrd.program.signatures import callable_as
from hgrd.program.types import FunctionType
from hgrd.symbolic.values import NULL, OPAQUE, Choice, FunctionValue, NullValue, PointerValue, Value
from hgrd.terms import Term, const, eq, ite

NUMBERS = (0, 0xFFFF)  # the range of a number that is not known; what has no function there is null
MAX_TARGETS = 16  # a pointer to one of more functions is not followed


class FunctionNumbers(Struct):
    """The device functions whose address a program takes, by key; found when first asked for."""

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    _numbers: dict[str, int] | None = field(default=None)

    @property
    def numbers(self) -> dict[str, int]:
        if self._numbers is None:
            taken = sorted(set(_addresses(self.functions.values(), self.globals.values())))
            self._numbers = {key: i for i, key in enumerate(taken, 1)}
        return self._numbers

    def targets(self, type_: FunctionType) -> tuple[Function, ...]:
        """The functions that a pointer of this type can point to."""
        return tuple(f for key in self.numbers if callable_as(f := self.functions[key], type_))

    def number(self, value: Value) -> Term | None:
        """The number of what a pointer points to; None where it is no function of the program."""
        match value:
            case NullValue():
                return const(0)
            case FunctionValue(function=function):
                number = self.numbers.get(function.key)
                return None if number is None else const(number)
            case Choice(condition=condition, then=a, otherwise=b):
                x, y = self.number(a), self.number(b)
                return None if x is None or y is None else ite(condition, x, y)
            case _:
                return None

    def numbered(self, number: Term, targets: Iterable[Function]) -> PointerValue:
        """The pointer that `number` stands for: one of the targets, else null."""
        value: PointerValue = NULL
        for target in reversed(tuple(targets)):
            value = Choice(eq(number, const(self.numbers[target.ref.key])), FunctionValue(target.ref), value)
        return value

    def one_of(self, number: Term, type_: FunctionType) -> PointerValue:
        """A pointer of unknown value; OPAQUE where it could be anything, or too much."""
        targets = self.targets(type_)
        return self.numbered(number, targets) if 0 < len(targets) <= MAX_TARGETS else OPAQUE


def _addresses(functions: Iterable[Function], globals_: Iterable[Global]) -> Iterator[str]:
    """Keys of the device functions whose address is taken (a call by name takes none)."""
    known = {f.ref.key: f for f in functions}
    for root in (*(f.body for f in known.values()), *(g.initial for g in globals_)):
        for node in nodes(root):
            if isinstance(node, ir.FunctionAddress) and not node.virtual:
                function = known.get(node.function.key)
                if function is not None and function.side in (Side.DEVICE, Side.BOTH):
                    yield function.ref.key
