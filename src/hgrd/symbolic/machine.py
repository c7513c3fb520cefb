"""The symbolic machine: one run over a function, all paths joined, with the semantics of host or device code.

Machine, Semantics and Interpreter refer to each other, so they stand in one module.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from math import inf
from time import perf_counter
from typing import ClassVar, Final

from msgspec import Struct, field

from hgrd.program.analysis.effects import Effects, EffectTable
from hgrd.program.expressions import Call, Expression, FunctionRef, IndirectCall, Launch, Variable
from hgrd.program.layout import size_of
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Statement
from hgrd.program.types import BoolType, FloatType, FunctionType, IntType, Record, Type
from hgrd.symbolic.addresses import address_of, pointer_at, symbol_of_address
from hgrd.symbolic.arithmetic import truth_of
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.limits import StepLimitError, TimeLimitError
from hgrd.symbolic.names import Names, hidden
from hgrd.symbolic.state import ConditionKind, Generation, State
from hgrd.symbolic.values import (
    OPAQUE,
    FloatValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    PointerValue,
    Value,
    pointed_to,
)
from hgrd.terms import FALSE, Origin, Symbol, Term, as_bool, as_int, const, ne, var
from hgrd.terms.build import read_between
from hgrd.terms.interval import of_type


class Frame(Struct):
    """One activation of a function; `returns` collects the states that leave it."""

    number: int
    function: FunctionRef
    call_site: Span | None
    arguments: tuple[Value, ...] = ()
    returns: list[tuple[State, Value | None]] = field(default_factory=list[tuple[State, Value | None]])


class Exits(Struct):
    """The states that `break` and `continue` leave a statement with."""

    breaks: list[State] = field(default_factory=list[State])
    continues: list[State] = field(default_factory=list[State])


_CLOCK_STEPS: Final = 256  # from one look at the clock to the next


class Semantics(ABC):
    """The hooks in which host and device code differ.  Methods may add conditions to the state.

    `class_origin`: what the class of an object counts as where it is not known.
    """

    class_origin: ClassVar[Origin] = Origin.DATA

    @abstractmethod
    def variable_object(self, machine: Machine, variable: Variable) -> MemoryObject | None:
        """The object of a variable that is not local (global, shared, static …); None for a plain local."""

    @abstractmethod
    def builtin(self, machine: Machine, variable: Variable) -> Value:
        """The value of a built-in variable: threadIdx and others."""

    @abstractmethod
    def contents(
        self, machine: Machine, target: MemoryObject, generation: Generation, offset: Term, type_: Type
    ) -> Value:
        """The contents of an object where no store is known (the same value each time)."""

    @abstractmethod
    def load(self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool) -> Value:
        """A read of memory that threads share (spaces GLOBAL, SHARED, CONSTANT)."""

    @abstractmethod
    def store(
        self, machine: Machine, state: State, pointer: Pointer, value: Value, type_: Type, span: Span, volatile: bool
    ) -> None:
        """A write of memory that threads share."""

    def before_load(
        self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool
    ) -> None:
        """Called before a load from any memory."""
        return

    def before_store(
        self, machine: Machine, state: State, address: Value, value: Value, type_: Type, span: Span
    ) -> None:
        """Called before a store: the same memory may also be known by another name."""
        return

    def note_pointer_targets(self, state: State, values: tuple[Value, ...]) -> None:
        """Earlier iterations may have written through these pointers."""
        return

    def note_computed(self, made: Symbol, given: frozenset[Symbol]) -> None:
        """Called for a number that a loop has computed from others, by steps that are not followed."""
        return

    def note_unknown_stores(self, state: State, targets: Iterable[MemoryObject], given: Iterable[Value]) -> None:
        """Code that is not followed, and was given these values, may store anything in these objects."""
        return

    def origin_of_unsupported(self) -> Origin:
        """What the value of an expression that is not understood counts as."""
        return Origin.UNKNOWN

    def wants_patterns(self, effects: Effects) -> bool:
        """Whether the patterns that a loop of these effects fills objects with are needed."""
        return False

    def note_patterns(self, state: State, target: MemoryObject, fills: tuple[ArrayPattern, ...]) -> None:
        """Called after a loop that has filled an object with these patterns."""
        return

    def subscript(self, state: State, inside: Term, span: Span) -> None:
        """Called before an access to an array of known length; `inside`: the subscript is within it."""
        if inside is not FALSE:
            state.assume(inside, ConditionKind.BOUNDS, span)

    def is_annotation(self, call: Call) -> bool:
        """Whether a call is an annotation: its arguments are not computed when the program runs."""
        return False

    @abstractmethod
    def call(self, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value | None:
        """The value of a call without a body to run, or of known meaning; None: the meaning is unknown."""

    def through_pointer(self, machine: Machine, state: State, call: IndirectCall, arguments: tuple[Value, ...]) -> None:
        """Called at a call through a pointer of unknown value, which is not followed."""
        return

    def pointer_to_function(
        self, machine: Machine, number: Term, name: str, type_: FunctionType, span: Span
    ) -> PointerValue:
        """The pointer that has this number among all pointers to functions; OPAQUE where they are not numbered."""
        return OPAQUE

    def take_address(self, target: MemoryObject, symbol: Symbol) -> bool:
        """Called where the address of an object, which a symbol stands for, becomes a number; whether it may."""
        return False

    @abstractmethod
    def launch(self, machine: Machine, state: State, launch: Launch) -> Value:
        """The value of a kernel launch."""

    def skips_dead_arm(self, machine: Machine, state: State, arm: Statement) -> bool:
        """Whether an arm of an `if`, or a case, that is never entered in `state` is left out."""
        return True

    def ends_program(self, arm: Statement) -> bool:
        """Whether an arm of an `if` does nothing that matters, and ends the program: it is not run."""
        return False

    def uniform_given(self, value: Value) -> frozenset[str] | None:
        """Names of the symbols that must be uniform for a value to be; None: it may differ even so.

        Uniform: all threads that run this code together, in the same iterations of loops, have the same value here.
        """
        return None

    def mark_uniform(self, symbol: Symbol, iteration: Term | None = None, given: frozenset[str] = frozenset()) -> None:
        """Marks a symbol as uniform if those of the names `given` are.

        `iteration` is that of a loop which the run is about to enter (None: any).
        """
        return

    def derived(self, machine: Machine, state: State, value: Value, given: FloatValue, span: Span) -> None:
        """`value` is a function of `given`: equal inputs give equal values."""
        return

    def unrolls_array(self, array: Variable) -> bool:
        """Whether loops that fill this local array are run iteration by iteration."""
        return True

    def list_length(self, state: State, place: Pointer, type_: Type | None) -> int | None:
        """The length of a list of pointers or records of this type at a place, or with the elements at the place.

        None: it is unknown, or there is none.
        """
        return None

    def runs_concretely(self, effects: Effects) -> bool:
        """Whether loops of these effects, in which constants decide every branch, are run iteration by iteration."""
        return False

    def made_by_loop(self, target: MemoryObject) -> Origin:
        """What a value counts as that a loop without unknown calls has made, where it is not known which."""
        return Origin.UNKNOWN

    def must_record(self, effects: Effects) -> bool:
        """Whether a loop of these effects does anything that is recorded."""
        return True

    def loop_test(
        self, machine: Machine, test: Expression, count: Symbol | None = None
    ) -> AbstractContextManager[None]:
        """A context for a speculative run of a loop test: the first (`count` None), or that after `count` iterations.

        That after 0 iterations is the first one.
        """
        return nullcontext()

    def look_ahead(self, machine: Machine) -> None:
        """Called before a loop: speculative runs of its parts come first."""
        return

    @abstractmethod
    def enter_loop(
        self, machine: Machine, state: State, binder: Symbol, span: Span, *, untold: bool, changed: frozenset[str]
    ) -> None:
        """Called before the body of a loop, which is run once for all values of `binder`.

        `untold`: its test between two iterations is unknown.  `changed` are the keys of objects of which each iteration
        may change more than `state` says.
        """

    @abstractmethod
    def begin_body(self, machine: Machine, state: State) -> None:
        """Called after the loop's test: what `state` assumes now holds in the whole iteration."""

    @abstractmethod
    def leave_loop(self, machine: Machine, binder: Symbol, count: Symbol, ends: IterationExits) -> tuple[Term, ...]:
        """Called after that body; the result is known after the loop, where `count` is the number of iterations."""

    @abstractmethod
    def leave_function(self, machine: Machine, state: State, span: Span) -> None:
        """Called at a return statement of the current function."""

    @abstractmethod
    def abort(self, machine: Machine, state: State, span: Span) -> None:
        """Called at a call that does not return."""

    @abstractmethod
    def assembly(self, machine: Machine, state: State, statement: Assembly, arguments: tuple[Value, ...]) -> None:
        """Called at inline assembly; its outputs are unknown already."""

    def through_unknown(self, machine: Machine, state: State, type_: Type, span: Span, *, writes: bool) -> None:
        """Called where a value is read or written through a pointer of which nothing is known."""
        what = "a write" if writes else "a read"
        self.unsupported(machine, state, f"{what} through a pointer of unknown target", span)

    @abstractmethod
    def unsupported(self, machine: Machine, state: State, reason: str, span: Span) -> None:
        """Called at a construct that is skipped: its effects are not in the result."""


class Interpreter(Struct, frozen=True):
    """The functions that run code: memory, loops and calls reach them through the machine."""

    evaluate: Callable[[Machine, State, Expression], Value]
    execute: Callable[[Machine, State, Statement, Exits], State]


class Machine(Struct):
    """A run: program tables, the semantics in force, its call stack and its limits.

    `speculative` > 0: this run only looks ahead, and semantics must not record anything.  `since` is the index of the
    first name of the outermost loop that is run speculatively (0: none is).  `deadline` is a value of perf_counter().
    `entered` are the keys of the functions that were run; `counted_down`: activations entered as arguments count them.
    """

    functions: Mapping[str, Function]
    records: Mapping[str, Record]
    semantics: Semantics
    interpreter: Interpreter
    names: Names = field(default_factory=Names)
    frames: list[Frame] = field(default_factory=list[Frame])
    activations: int = 0
    counted_down: int = 0
    speculative: int = 0
    since: int = 0
    steps: int = 0
    step_limit: int = 400_000
    deadline: float = inf
    max_depth: int = 48
    entered: set[str] = field(default_factory=set[str])
    subscripts: dict[int, Term] = field(default_factory=dict[int, Term])  # last index by PointerAdd node
    addressed: dict[Symbol, MemoryObject] = field(default_factory=dict[Symbol, MemoryObject])  # by their addresses
    effects: EffectTable = field(default_factory=lambda: EffectTable({}, {}))
    changed_besides: dict[Span, frozenset[str]] = field(
        default_factory=dict[Span, frozenset[str]]
    )  # unnumbered keys, by loops

    def __post_init__(self) -> None:
        self.effects = EffectTable(self.functions, {})

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def step(self) -> None:
        """Counts a step; raises StepLimitError or TimeLimitError at the limits."""
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
        """The size of a type in bytes; None if unknown."""
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
        """The object of any variable."""
        return self.semantics.variable_object(self, variable) or self.local_object(variable)

    def address_of(self, pointer: Value) -> Term | None:
        """A pointer as a number; None where it leads to memory that has no known address."""
        found = {symbol: t for t in pointed_to(pointer) if (symbol := symbol_of_address(t)) is not None}
        if not all(self.semantics.take_address(target, symbol) for symbol, target in found.items()):
            return None
        self.addressed.update(found)
        return address_of(pointer)

    def pointer_at(self, address: Term) -> PointerValue | None:
        """The pointer that a number was made from; None of other numbers."""
        return pointer_at(as_int(address), self.addressed) if self.addressed else None

    def unknown(self, base: str, type_: Type, origin: Origin, within: tuple[int, int] | None = None) -> Value:
        """A value of which only the type is known, and for an integer its bounds `within` (None: those of the type)."""
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
        """An unknown Boolean."""
        return ne(var(self.names.fresh(hidden(base) if self.speculative else base, 0, 1, origin)), const(0))
