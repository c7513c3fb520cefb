"""What a symbolic run leaves to the room that uses it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from hgrd.program.analysis.effects import Effects
from hgrd.program.expressions import Call, Expression, Launch, Variable
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Statement
from hgrd.program.types import FunctionType, Type
from hgrd.symbolic.array_patterns import Fill
from hgrd.symbolic.state import ConditionKind, Generation, State
from hgrd.symbolic.values import OPAQUE, FloatValue, MemoryObject, Pointer, PointerValue, Value
from hgrd.terms import FALSE, Symbol, Term

if TYPE_CHECKING:
    from hgrd.symbolic.exits import Ends
    from hgrd.symbolic.machine import Machine


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

    def storing(self, machine: Machine, state: State, address: Value, value: Value, span: Span) -> None:
        """A store is about to be made; what is there may also be known by another name."""
        return

    def led(self, state: State, values: tuple[Value, ...]) -> None:
        """An iteration before may have written to what these pointers lead to, as it has set them."""
        return

    def keeps_fills(self, effects: Effects) -> bool:
        """Whether it matters what a loop of these effects fills objects with."""
        return False

    def filled(self, state: State, target: MemoryObject, fills: tuple[Fill, ...]) -> None:
        """A loop that is over has filled an object."""
        return

    def subscript(self, state: State, inside: Term, span: Span) -> None:
        """An access stands in an array of known length if `inside` holds."""
        if inside is not FALSE:
            state.assume(inside, ConditionKind.BOUNDS, span)

    def specifies(self, call: Call) -> bool:
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

    def passes_over(self, arm: Statement) -> bool:
        """Whether an arm of an `if` whose test never lets anybody in is left out."""
        return True

    def agrees(self, value: Value, besides: frozenset[str] = frozenset()) -> bool:
        """Whether all who run this code together, in the same iterations of loops, have the same value here.

        `besides` are names of symbols of which that is to be taken for granted.
        """
        return False

    def agree(self, symbol: Symbol, iteration: Term | None = None) -> None:
        """A symbol of which that is so; `iteration` is that of a loop which the run is about to enter."""
        return

    def made_of(self, machine: Machine, state: State, value: Value, given: FloatValue, span: Span) -> None:
        """A value has been made of another one alone: all who have the same of this one have the same of that."""
        return

    def unrolls(self, array: Variable) -> bool:
        """Whether a loop that fills this local array is run iteration by iteration."""
        return True

    def settles(self, effects: Effects) -> bool:
        """Whether a loop in which constants decide all that happens is run iteration by iteration."""
        return False

    def watches(self, effects: Effects) -> bool:
        """Whether there is anything to take down in a loop of these effects."""
        return True

    def first_test(
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
    def leave_loop(self, machine: Machine, binder: Symbol, count: Symbol, ends: Ends) -> tuple[Term, ...]:
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
