"""The symbolic machine: one run over a function, all paths joined; and what the rooms that use it must tell it.

Machine, Semantics and Interpreter know each other, so they stand together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from math import inf
from time import perf_counter
from typing import Final

from msgspec import Struct, field

from hgrd.program.analysis.effects import Effects, EffectTable
from hgrd.program.expressions import Call, Expression, FunctionRef, Launch, Variable
from hgrd.program.layout import size_of
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Statement
from hgrd.program.types import BoolType, FloatType, FunctionType, IntType, Record, Type
from hgrd.symbolic.arithmetic import truth_of
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.names import Names, hidden
from hgrd.symbolic.state import ConditionKind, Generation, State
from hgrd.symbolic.values import OPAQUE, FloatValue, MemoryObject, MemorySpace, Pointer, PointerValue, Value
from hgrd.terms import FALSE, Origin, Symbol, Term, as_bool, const, ne, var
from hgrd.terms.build import read_between
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


class Semantics(ABC):
    """Host code and device code differ in these.  Methods may add conditions to the state."""

    @abstractmethod
    def variable_object(self, machine: Machine, variable: Variable) -> MemoryObject | None:
        """The object of a variable that is not local (global, shared, static …); None: a plain local."""

    @abstractmethod
    def builtin(self, machine: Machine, variable: Variable) -> Value:
        """threadIdx and its like."""

    @abstractmethod
    def contents(
        self, machine: Machine, target: MemoryObject, generation: Generation, offset: Term, type_: Type
    ) -> Value:
        """What an object holds where nothing is known to have been stored (the same each time)."""

    @abstractmethod
    def load(self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool) -> Value:
        """A read of memory that threads share (spaces GLOBAL, SHARED, CONSTANT)."""

    @abstractmethod
    def store(
        self, machine: Machine, state: State, pointer: Pointer, value: Value, type_: Type, span: Span, volatile: bool
    ) -> None:
        """A write of memory that threads share."""

    def before_store(self, machine: Machine, state: State, address: Value, value: Value, span: Span) -> None:
        """A store is about to be made; what is there may also be known by another name."""
        return

    def note_pointer_targets(self, state: State, values: tuple[Value, ...]) -> None:
        """An iteration before may have written to what these pointers lead to, as it has set them."""
        return

    def wants_patterns(self, effects: Effects) -> bool:
        """Whether it matters what a loop of these effects fills objects with."""
        return False

    def note_patterns(self, state: State, target: MemoryObject, fills: tuple[ArrayPattern, ...]) -> None:
        """A loop that is over has filled an object."""
        return

    def subscript(self, state: State, inside: Term, span: Span) -> None:
        """An access stands in an array of known length if `inside` holds."""
        if inside is not FALSE:
            state.assume(inside, ConditionKind.BOUNDS, span)

    def is_annotation(self, call: Call) -> bool:
        """Whether a call only says something of the program: its arguments are not computed when that runs."""
        return False

    @abstractmethod
    def call(self, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value | None:
        """A function that has no body, or whose meaning is known anyway; None: not known."""

    def pointer_to_function(
        self, machine: Machine, number: Term, name: str, type_: FunctionType, span: Span
    ) -> PointerValue:
        """The pointer that has this number among all pointers to functions; OPAQUE where nobody numbers them."""
        return OPAQUE

    @abstractmethod
    def launch(self, machine: Machine, state: State, launch: Launch) -> Value:
        """A kernel launch."""

    def skips_dead_arm(self, arm: Statement) -> bool:
        """Whether an arm of an `if` whose test never lets anybody in is left out."""
        return True

    def is_uniform(self, value: Value, besides: frozenset[str] = frozenset()) -> bool:
        """Whether all who run this code together, in the same iterations of loops, have the same value here.

        `besides` are names of symbols of which that is to be taken for granted.
        """
        return False

    def mark_uniform(self, symbol: Symbol, iteration: Term | None = None) -> None:
        """A symbol of which that is so; `iteration` is that of a loop which the run is about to enter."""
        return

    def derived(self, machine: Machine, state: State, value: Value, given: FloatValue, span: Span) -> None:
        """A value has been made of another one alone: all who have the same of this one have the same of that."""
        return

    def unrolls_array(self, array: Variable) -> bool:
        """Whether a loop that fills this local array is run iteration by iteration."""
        return True

    def runs_concretely(self, effects: Effects) -> bool:
        """Whether a loop in which constants decide all that happens is run iteration by iteration."""
        return False

    def must_record(self, effects: Effects) -> bool:
        """Whether there is anything to take down in a loop of these effects."""
        return True

    def loop_test(
        self, machine: Machine, test: Expression, count: Symbol | None = None
    ) -> AbstractContextManager[None]:
        """Around a test that is run in silence, to know what leads into a loop, or out of it: after `count` iterations.

        That of none is then its first one.
        """
        return nullcontext()

    @abstractmethod
    def enter_loop(self, machine: Machine, state: State, binder: Symbol, span: Span, *, untold: bool) -> None:
        """The body of a loop follows, once, for all values of `binder`.

        `untold`: nothing is known of what it tests between two iterations.
        """

    @abstractmethod
    def begin_body(self, machine: Machine, state: State) -> None:
        """The loop's test has been made: what `state` assumes now holds in the whole iteration."""

    @abstractmethod
    def leave_loop(self, machine: Machine, binder: Symbol, count: Symbol, ends: IterationExits) -> tuple[Term, ...]:
        """The end of that body, and what is known behind the loop, where `count` is the number of iterations."""

    @abstractmethod
    def leave_function(self, machine: Machine, state: State, span: Span) -> None:
        """A return statement in the current function."""

    @abstractmethod
    def abort(self, machine: Machine, state: State, span: Span) -> None:
        """A call that does not return."""

    @abstractmethod
    def assembly(self, machine: Machine, state: State, statement: Assembly, arguments: tuple[Value, ...]) -> None:
        """Inline assembly; outputs have been made unknown already."""

    @abstractmethod
    def unsupported(self, machine: Machine, state: State, reason: str, span: Span) -> None:
        """A construct was skipped: whatever it does is not in the result."""


class Interpreter(Struct, frozen=True):
    """The functions that run code: memory, loops and calls reach them through the machine."""

    evaluate: Callable[[Machine, State, Expression], Value]
    execute: Callable[[Machine, State, Statement, Exits], State]


class Machine(Struct):
    """Program tables, the semantics in force, and what a run needs to know about itself.

    `speculative` > 0: this is a trial run of a loop body; semantics must not record anything.  `since` is the index
    of the first name of the outermost loop that is being tried (0: none is).
    `deadline` is a value of perf_counter().  `entered` are the keys of the functions that were run.
    """

    functions: Mapping[str, Function]
    records: Mapping[str, Record]
    semantics: Semantics
    interpreter: Interpreter
    names: Names = field(default_factory=Names)
    frames: list[Frame] = field(default_factory=list[Frame])
    activations: int = 0
    speculative: int = 0
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

    def evaluate(self, state: State, e: Expression) -> Value:
        """The value of `e`; its side effects go into `state`."""
        return self.interpreter.evaluate(self, state, e)

    def condition(self, state: State, e: Expression) -> Term:
        """`e` as a condition."""
        return self.truth(self.evaluate(state, e))

    def execute(self, state: State, statement: Statement, exits: Exits) -> State:
        """The state after `statement`; states that leave it otherwise go into `exits` or the frame."""
        return self.interpreter.execute(self, state, statement, exits)

    def truth(self, value: Value) -> Term:
        """A value as a condition, an unknown one where nothing is known of it."""
        term = truth_of(value)
        if term is not None:
            return term
        if isinstance(value, FloatValue):
            return as_bool(read_between("float truth", (value.key,), 0, 1))
        return self.unknown_truth("condition")

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
        base = hidden(base) if self.speculative else base
        match type_:
            case IntType():
                return var(self.names.fresh(base, *(within or type_.range), origin))
            case FloatType():
                return FloatValue(var(self.names.fresh(base, *of_type(64, True), origin)))
            case _:
                return OPAQUE

    def unknown_truth(self, base: str, origin: Origin = Origin.UNKNOWN) -> Term:
        return ne(var(self.names.fresh(hidden(base) if self.speculative else base, 0, 1, origin)), const(0))
