"""Values and objects of the concrete run: numbers, pointers, records and containers, and what is not known."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.host.concrete.state.numbers import ABSENT, KNOWN, Numbers
from hgrd.program.expressions import FunctionRef
from hgrd.program.span import NOWHERE, Span
from hgrd.program.types import Type


class Unknown(Enum):
    """What the run does not know: it comes from the input, a kernel, or a function without a model."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


class StoppedError(Exception):
    """The run cannot go on: what comes next depends on what is not known, or takes too long."""


class Cell(Struct, frozen=True):
    """A value that an object holds, and the type by which it was stored."""

    value: Value
    type: Type
    size: int


class Object(Struct, eq=False):
    """An object in memory: cells by their offsets in bytes, or `numbers`.

    `held` has the cells where there are no numbers; `cells` has them in either case.
    `size` in bytes (None: not known).  `zero`: where there is no cell there are zeros.  `pinned`: it is page-locked
    memory of the host.  `written` is the place of the last store.  `moved`: its value has become that of another
    object, which a pointer to it may lead to instead, as where a function returns what its constructor has registered
    (C++ [class.copy.elision]).
    """

    name: str
    size: int | None = None
    held: dict[int, Cell] = field(default_factory=dict[int, Cell])
    zero: bool = False
    on_device: bool = False
    pinned: bool = False
    written: Span = NOWHERE
    moved: bool = False
    numbers: Numbers | None = None

    def must_be_here(self) -> None:
        """Raises StoppedError where another object may stand for this one."""
        if self.moved:
            raise StoppedError

    @property
    def cells(self) -> dict[int, Cell]:
        """The cells, which may be changed: there are no numbers any more."""
        numbers = self.numbers
        if numbers is not None:
            self.numbers = None
            self.held = cells_of(numbers, 0, len(numbers.states))
        return self.held

    def take_over(self, other: Object) -> None:
        """From now on it holds what the other one held, which is not used any more."""
        self.held, self.numbers, self.zero = other.held, other.numbers, other.zero


class Text(Object, eq=False):
    """A text in memory that nothing changes; its name is what it says."""


def cells_of(numbers: Numbers, low: int, high: int) -> dict[int, Cell]:
    """The cells of the elements from one to before another one, by their offsets from the first of them."""
    size, type_ = numbers.size, numbers.type
    values, states = numbers.values[low:high], numbers.states[low:high]
    return {
        k * size: Cell(values[k] if state == KNOWN else UNKNOWN, type_, size)
        for k, state in enumerate(states)
        if state != ABSENT
    }


class Pointer(Struct, frozen=True):
    """The address of a byte of an object; `offset` None: of some byte, it is not known which."""

    target: Object
    offset: int | None


class Null(Struct, frozen=True):
    """The null pointer."""


class Parts(Struct, frozen=True):
    """The value of a record or array: its cells; `zero` as for objects."""

    cells: dict[int, Cell]
    zero: bool = False


class Container(Struct, eq=False):
    """The value of a vector or the like: its elements, and how many there are (None: not known).

    `width` is the size of an element, None before it is known.  `fill`: what the elements without cells are copies of.
    """

    elements: Object
    count: int | None
    width: int | None = None
    fill: Value = UNKNOWN
    fill_type: Type | None = None


class Generator(Struct, eq=False):
    """A Mersenne twister (C++ [rand.eng.mers]): `state` as Python keeps it, None: not known."""

    state: tuple[int, tuple[int, ...], None] | None


class Callee(Struct, frozen=True):
    """The address of a function."""

    function: FunctionRef


class Closure(Struct, frozen=True):
    """What a `std::function` holds: an object of the record with a key, which can be called."""

    target: Object
    record: str


Value: TypeAlias = int | float | Pointer | Null | Parts | Container | Generator | Callee | Closure | Unknown
NULL: Final = Null()
