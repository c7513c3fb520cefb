"""The symbolic machine: one run over a function, all paths joined."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from time import perf_counter
from typing import Final

from msgspec import Struct, field

from hgrd.program.analysis.effects import EffectTable
from hgrd.program.expressions import FunctionRef, Variable
from hgrd.program.layout import size_of
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.statements import Statement
from hgrd.program.types import BoolType, FloatType, IntType, Record, Type
from hgrd.symbolic.names import Names, hidden
from hgrd.symbolic.semantics import Semantics
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, FloatValue, MemoryObject, MemorySpace, Value
from hgrd.terms import Origin, Term, const, ne, var
from hgrd.terms.interval import of_type


class Frame(Struct):
    """One activation of a function; `returns` collects the states that leave it."""

    number: int
    function: FunctionRef
    call_site: Span | None
    returns: list[tuple[State, Value | None]] = field(default_factory=list[tuple[State, Value | None]])


class Exits(Struct):
    """Where `break` and `continue` go."""

    breaks: list[State] = field(default_factory=list[State])
    continues: list[State] = field(default_factory=list[State])


class StepLimitError(Exception):
    """The run took too many steps.

    `left` are statements with all that would still have been executed in them; `noted`: those of the innermost
    sequence are among them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.left: list[Statement] = []
        self.noted = False


class TimeLimitError(StepLimitError):
    """The run took too long."""


_CLOCK_STEPS: Final = 256  # from one look at the clock to the next


class Machine(Struct):
    """Program tables, the semantics in force, and what a run needs to know about itself.

    `probing` > 0: this is a trial run of a loop body; semantics must not record anything.  `since` is the index
    of the first name of the outermost loop that is being tried (0: none is).
    `deadline` is a value of perf_counter().  `entered` are the keys of the functions that were run.
    """

    functions: Mapping[str, Function]
    records: Mapping[str, Record]
    semantics: Semantics
    names: Names = field(default_factory=Names)
    frames: list[Frame] = field(default_factory=list[Frame])
    activations: int = 0
    probing: int = 0
    since: int = 0
    steps: int = 0
    step_limit: int = 400_000
    deadline: float = inf
    max_depth: int = 48
    entered: set[str] = field(default_factory=set[str])
    subscripts: dict[int, Term] = field(default_factory=dict[int, Term])  # last index by PointerAdd node
    effects: EffectTable = field(default_factory=lambda: EffectTable({}, {}))

    def __post_init__(self) -> None:
        self.effects = EffectTable(self.functions, {})

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def step(self) -> None:
        self.steps += 1
        if self.steps > self.step_limit:
            raise StepLimitError
        if self.steps % _CLOCK_STEPS == 0 and perf_counter() > self.deadline:
            raise TimeLimitError

    def size(self, type_: Type) -> int | None:
        return size_of(type_, self.records)

    def local_object(self, variable: Variable) -> MemoryObject:
        """The object of a local variable in the current activation."""
        return MemoryObject(
            f"{variable.key}@{self.frame.number}", variable.name, MemorySpace.LOCAL, variable.type, None, variable.span
        )

    def temporary(self, name: str, type_: Type, span: Span) -> MemoryObject:
        """A new object that ends with the current activation."""
        key = f"{self.names.unique(name)}@{self.frame.number}"
        return MemoryObject(key, name, MemorySpace.LOCAL, type_, None, span)

    def object_of(self, variable: Variable) -> MemoryObject:
        return self.semantics.variable_object(self, variable) or self.local_object(variable)

    def unknown(self, base: str, type_: Type, origin: Origin, within: tuple[int, int] | None = None) -> Value:
        """A value of which only the type is known, and `within` which bounds a whole number is."""
        if isinstance(type_, BoolType):
            return self.unknown_truth(base, origin)
        base = hidden(base) if self.probing else base
        match type_:
            case IntType():
                return var(self.names.fresh(base, *(within or type_.range), origin))
            case FloatType():
                return FloatValue(var(self.names.fresh(base, *of_type(64, True), origin)))
            case _:
                return OPAQUE

    def unknown_truth(self, base: str, origin: Origin = Origin.UNKNOWN) -> Term:
        return ne(var(self.names.fresh(hidden(base) if self.probing else base, 0, 1, origin)), const(0))
