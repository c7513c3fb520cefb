"""What a run over host code knows and takes down, and the call at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from hgrd.host.execution.surviving_iterations import Around
from hgrd.host.linking.kernel_effects import Writes, writes_when_destroyed
from hgrd.host.linking.link import LaunchPlace, Linked
from hgrd.host.linking.stream_flags import makes_independent_streams
from hgrd.host.memory.unknowns import fresh_name, unknown
from hgrd.host.model import FactKind, HostNote, LaunchSite
from hgrd.host.provenance.by_name import Members
from hgrd.host.provenance.by_object import Makers
from hgrd.host.wording import place_name
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.statements import Statement
from hgrd.program.types import IntType, PointerType, Type
from hgrd.program.walk import nodes
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import Generation, Region, State
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Term, as_int, const

NOTE_LIMIT = 100


@dataclass(slots=True)
class Record:
    """What one program's host code has been found to do so far.

    Launches of kernels that nobody `wants` are not taken down.  `kinds` says of which class conditions of
    the path are, where that is not plain from their own kind; `cut`, by its key, why a kernel may have further
    launches; `foreign` are variables of libraries, which change behind the program's back; `hints` names the
    result of a call after the variable it is stored in first.  `around` are the loops that the run is in, outermost
    first.  `overlooked` are launches that constants rule out; to find them, arms of an `if` are entered all the same.
    `entered` are the keys of functions, `deeper` of those that call themselves once more than is followed, `handed` of
    those that launch and that code which is not followed may call.
    `driven`: launches by the driver API, and whether their kernels are known.
    `kept` are, by their keys, objects that functions write which such code has got.
    `private` are local variables to which no pointer leads; None: nobody has asked yet.
    `lent` are, by their keys, objects of the host to which containers of the library hold pointers.
    `writes` says what kernels may write, and `page_locked` are the keys of objects that copies may read later.
    `postponed`: launches may be for a graph, made when memory holds something else; `destroys`: destructors write.
    `streams_apart`: some streams do not wait for what is on no stream.
    `makers`: who makes what arrays hold; `members`: the same by name, for what the run has not seen made.
    `copies` are the last copies to variables of constant memory, `used` such variables by the kernel that uses them.
    """

    linked: Linked
    asserts: bool
    wants: Callable[[str], bool]
    members: Members
    launches: list[LaunchSite] = field(default_factory=list[LaunchSite])
    notes: dict[HostNote, None] = field(default_factory=dict[HostNote, None])
    kinds: dict[Term, FactKind] = field(default_factory=dict[Term, FactKind])
    cut: dict[str, HostNote] = field(default_factory=dict[str, HostNote])
    foreign: set[str] = field(default_factory=set[str])
    entered: set[str] = field(default_factory=set[str])
    handed: set[str] = field(default_factory=set[str])
    private: frozenset[str] | None = None
    lent: dict[str, MemoryObject] = field(default_factory=dict[str, MemoryObject])
    kept: dict[str, MemoryObject] = field(default_factory=dict[str, MemoryObject])
    driven: dict[Span, bool] = field(default_factory=dict[Span, bool])
    deeper: set[str] = field(default_factory=set[str])
    overlooked: frozenset[LaunchPlace] = frozenset()
    around: list[Around] = field(default_factory=list[Around])
    launchers: frozenset[str] = field(init=False)
    writes: Writes = field(init=False)
    hints: dict[str, dict[Span, str]] = field(default_factory=dict[str, dict[Span, str]])
    page_locked: set[str] = field(default_factory=set[str])
    copies: dict[str, Span] = field(default_factory=dict[str, Span])
    used: dict[str, Mapping[str, Variable]] = field(default_factory=dict[str, "Mapping[str, Variable]"])
    makers: Makers = field(default_factory=Makers)
    postponed: bool = False
    destroys: bool = field(init=False)
    streams_apart: bool = field(init=False)

    def __post_init__(self) -> None:
        self.destroys = writes_when_destroyed(self.linked.functions.values())
        self.streams_apart = makes_independent_streams(self.linked.functions.values())
        self.launchers = self.linked.launchers()
        self.writes = Writes(self.linked.functions, self.linked.records)

    def note(self, machine: Machine, text: str, span: Span) -> None:
        if not machine.speculative and len(self.notes) < NOTE_LIMIT:
            self.notes[HostNote(span, text)] = None

    def cut_short(self, entry: Function, text: str, left: Iterable[Statement | None]) -> None:
        """An entry point has not been followed to its end; `left` are the statements that were still to come."""
        note = HostNote(entry.span, text)
        self.notes[note] = None
        for key in self.linked.kernels_in(statement for statement in left if statement is not None):
            self.cut.setdefault(key, note)

    def left_out(self, function: Function, why: str) -> None:
        """A function is called once more, which is not followed."""
        if self.linked.launches_below(function.ref.key):
            self.cut_short(function, f"{function.ref.name} {why}", (function.body,))

    def hint(self, machine: Machine, span: Span) -> str | None:
        """The variable that the result of the call at `span` is stored in first."""
        if not machine.frames:
            return None
        key = machine.frame.function.key
        if key not in self.hints:
            function = self.linked.functions.get(key)
            self.hints[key] = {} if function is None else receivers(function.body)
        return self.hints[key].get(span)


def receivers(root: object) -> dict[Span, str]:
    """Calls whose result goes, through nothing but conversions and choices, into a variable or member."""
    found: dict[Span, str] = {}
    for node in nodes(root):
        match node:
            case st.Declare(variable=variable, initial=initial) if initial is not None:
                found |= dict.fromkeys(_sources(initial), variable.name)
            case ir.Assign(place=ir.VariablePlace(variable=variable), value=value):
                found |= dict.fromkeys(_sources(value), variable.name)
            case ir.Assign(place=ir.FieldPlace(field=member), value=value) if member.name:
                found |= dict.fromkeys(_sources(value), member.name)
            case _:
                pass
    return found


def _sources(expression: ir.Expression) -> Iterator[Span]:
    match expression:
        case ir.Convert(operand=operand):
            yield from _sources(operand)
        case ir.Conditional(then=a, otherwise=b):
            yield from _sources(a)
            yield from _sources(b)
        case ir.Call(span=span):
            yield span
        case _:
            pass


class Invocation(Struct, frozen=True):
    """A call of a function that is known by its name."""

    record: Record
    machine: Machine
    state: State
    call: ir.Call
    arguments: tuple[Value, ...]

    @property
    def name(self) -> str:
        return self.call.function.name

    @property
    def span(self) -> Span:
        return self.call.span

    def argument(self, index: int) -> Value | None:
        """The value of an argument, references followed."""
        if index >= len(self.arguments):
            return None
        value, type_ = self.arguments[index], self.type_of(index)
        if isinstance(type_, PointerType) and type_.reference:
            return load(self.machine, self.state, value, type_.to, self.span)
        return value

    def type_of(self, index: int) -> Type | None:
        return self.call.arguments[index].type if index < len(self.call.arguments) else None

    def number(self, index: int) -> Term | None:
        """An argument as an integer; None where it is none."""
        value = self.argument(index)
        return as_int(value) if isinstance(value, Term) else None

    def give(self, value: Value) -> Value:
        """A result: functions that return a reference give the address of a temporary."""
        if not (isinstance(self.call.type, PointerType) and self.call.type.reference):
            return value
        pointer = Pointer(self.machine.temporary(self.name, self.call.type.to, self.span), const(0))
        store(self.machine, self.state, pointer, value, self.call.type.to, self.span)
        return pointer

    def unknown(self) -> Value:
        """A result of which only the type is known, named after the variable that receives it."""
        name = self.record.hint(self.machine, self.span) or f"{self.name}()"
        return unknown(self.machine, name, self.call.type, self.span)

    def allocate(
        self, name: str, element: Type | None, space: MemorySpace, size: Term | None, *, zeroed: bool = False
    ) -> Pointer:
        """A new object."""
        unique = fresh_name(self.machine, name)
        target = MemoryObject(unique, unique, space, element, size, self.span)
        if space is MemorySpace.HOST:
            self.state.store[target.key] = Region({}, Generation(), zeroed)
        return Pointer(target, const(0))

    def copies(self, index: int) -> None:
        """The function copies what is behind an argument to where the first one points."""
        elsewhere = partial(self.record.members.made, self.call.arguments[index])
        self.record.makers.copies(self.arguments[0], self.arguments[index], elsewhere)

    def replaces(self, index: int) -> None:
        """As `copies`, and what has been there before is gone."""
        elsewhere = partial(self.record.members.made, self.call.arguments[index])
        self.record.makers.replaces(self.arguments[0], self.arguments[index], elsewhere)

    def put(self, address: Value | None, value: Value, type_: Type) -> None:
        """Stores through an argument, if it points somewhere."""
        if isinstance(address, Pointer):
            store(self.machine, self.state, address, value, type_, self.span)

    def receiver(self, index: int) -> tuple[str, Type | None]:
        """The name and type of the variable that an argument points to."""
        address = self.arguments[index] if index < len(self.arguments) else None
        if isinstance(address, Pointer) and address.offset.is_const:
            return place_name(address.target, address.offset.value, self.machine.records)
        return (address.target.name if isinstance(address, Pointer) else self.name), None


Meaning: TypeAlias = Callable[[Invocation], Value | None]
"""What a known function does; None: its arguments are not what was expected."""

SIZE = IntType(64, False)
