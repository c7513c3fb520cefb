"""Log of what a host run does with streams, in its order: launches, events, waits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import locate
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Choice, NullValue, Pointer, Value
from hgrd.terms import FALSE, TRUE, Symbol, Term, const, substitute

_WHICH: Final = re.compile(r"\[([^\]]*)\]|'\d+|~|#")
_POINTER: Final = 8
_MOST: Final = 2000  # entries


class Handle(Struct, frozen=True):
    """A stream or an event, by where the program keeps it; `name` "" is the default stream.

    `index`: the place among several that are kept together; None: it is not known.
    """

    name: str
    index: Term | None = None


class Either(Struct, frozen=True):
    """One of two streams or events."""

    condition: Term
    then: Handle | Either | None
    otherwise: Handle | Either | None


DEFAULT: Final = Handle("", const(0))
NODE: Final = "node of a graph"  # each is a stream of its own


class Launched(Struct, frozen=True):
    """A kernel, by its key, is launched; `stored` are the indexes of the arguments through which it stores plainly."""

    kernel: str
    stream: Handle | Either
    arguments: tuple[Value, ...]
    stored: frozenset[int]


class Created(Struct, frozen=True):
    """A stream is made; `waits`: it and the default stream wait for each other."""

    stream: Handle
    waits: bool


class Recorded(Struct, frozen=True):
    event: Handle | Either
    stream: Handle | Either


class Awaits(Struct, frozen=True):
    """What follows on a stream waits for an event."""

    stream: Handle | Either
    event: Handle | Either


class HostWaits(Struct, frozen=True):
    """The host waits for a stream or an event (with `default`, for all streams that the default stream waits for).

    None: for everything.
    """

    handle: Handle | Either | None


class OnDevice(Struct, frozen=True):
    device: Term


class NodesLinked(Struct, frozen=True):
    """Nodes of graphs get an order otherwise than where they are made."""


class Allocated(Struct, frozen=True):
    """The object with this key is another one from now on."""

    key: str


Deed: TypeAlias = Launched | Created | Recorded | Awaits | HostWaits | OnDevice | NodesLinked | Allocated


class Entry(Struct, frozen=True):
    """A deed of the host; `loops` are the iteration numbers of the loops around it, outermost first.

    `path` are the conditions under which it is done.  `tried`: seen only while a loop was tried out.
    """

    deed: Deed
    span: Span
    loops: tuple[Symbol, ...]
    path: tuple[Term, ...]
    tried: bool


class StreamLog(Struct):
    """The entries of the run from one entry point."""

    entries: list[Entry] = field(default_factory=list[Entry])

    def add(self, machine: Machine, state: State, deed: Deed, span: Span, loops: tuple[Symbol, ...]) -> None:
        """Adds a deed; of those only tried out what loops without launches may do, which are not run otherwise."""
        if (
            state.alive
            and len(self.entries) < _MOST
            and (not machine.speculative or isinstance(deed, HostWaits | Created))
        ):
            path = tuple(c.term for c in state.path if not c.incidental)
            self.entries.append(Entry(deed, span, loops, path, machine.speculative > 0))


def handle_of(
    machine: Machine, state: State, expression: ir.Expression | None, value: Value | None = None
) -> Handle | Either | None:
    """The stream or event that an expression, or a value, is; without both the default stream.  None: not known."""
    if value is None and expression is not None:
        value = machine.evaluate(state, expression)
    match value:
        case None | NullValue() | Term(is_const=True):
            return DEFAULT
        case Pointer(target=target):
            name = plain_name(target.key)
            return Handle(name, _index(machine, state, expression, name, target.key))
        case Choice(condition=condition, then=a, otherwise=b):
            return Either(condition, handle_of(machine, state, None, a), handle_of(machine, state, None, b))
        case _:
            return None


def chosen(handle: Handle | Either | None, values: Mapping[Symbol, Term]) -> Handle | None:
    """The stream or event for these values of symbols; None: it is not known."""
    while isinstance(handle, Either):
        condition = valued(handle.condition, values)
        handle = handle.then if condition is TRUE else handle.otherwise if condition is FALSE else None
    return handle


def valued(term: Term, values: Mapping[Symbol, Term]) -> Term:
    """A term with values in place of symbols."""
    return substitute((term,), values)[0] if values else term


def plain_name(key: str) -> str:
    """The name of a handle's place, without what tells several apart."""
    return _WHICH.sub("", key)


def _index(machine: Machine, state: State, expression: ir.Expression | None, name: str, key: str) -> Term | None:
    if "[" not in key:
        return const(0)
    while isinstance(expression, ir.Convert):
        expression = expression.operand
    if isinstance(expression, ir.Load):
        machine.speculative += 1
        try:
            place = locate(machine, state.copy(), expression.place)
        finally:
            machine.speculative -= 1
        if isinstance(place, Pointer) and name.startswith(plain_name(place.target.name)):
            return place.offset
    found = _WHICH.search(key)
    return const(_POINTER * int(found[1])) if found is not None and (found[1] or "").isdigit() else None
