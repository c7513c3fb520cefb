"""Trace of the host code: what it puts on the device, what orders that and what it waits for, as it comes.

A loop has one body for all of its iterations, as the run has; what is done in it names the loop's iteration number.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.host.concurrency.addresses import DEFAULT, UNKNOWN, Address, Either, Lookup, Place, Result
from hgrd.host.concurrency.rows import Rectangle, Row
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.symbolic.state import INITIAL, ConditionKind, Generation, State
from hgrd.symbolic.values import Choice, Composite, NullValue, Pointer, Value, pointed_to
from hgrd.terms import Symbol, Term, as_int, const

_CHOSEN: Final = (ConditionKind.BRANCH, ConditionKind.GUARD)
_LOCAL: Final = re.compile(r"@(\d+)$")  # ends the keys of variables: the number of the activation of a function
_LEGACY: Final = 1  # cudaStreamLegacy, as a number
_PER_THREAD: Final = 2  # cudaStreamPerThread
CALLBACK: Final = "the callback"
THREAD_NUMBER: Final = "omp_get_thread_num()"  # begins the names of symbols for it


class Step(Struct, frozen=True):
    """An iteration of a loop, by its number.  `whole`: no iteration leaves the loop otherwise than by its test."""

    loop: Symbol
    number: Term
    whole: bool


class Touch(Struct, frozen=True):
    """Memory that work on the device gets by a pointer, and what it may do there.

    `writes`: it may write there.  `reads`, `stores`: it surely does so, by accesses
    that are not atomic.  `rows` are the elements that it surely uses so, `whole`: these are all there are, `covered`:
    and it uses no other bytes.  `kinds` are those of the numbers that it uses (of a kernel: writes), None: any.
    `found`: it uses this, or what pointers lead to that are found there, by a pointer that it finds in memory.
    `follows`: these pointers stand in such bytes from the address on, None: anywhere.
    `early`: a kernel does so before it waits for those before it.  `locked`: it is memory of the host that a copy or a
    library uses while the host goes on.  `extent`: the bytes of the object, None: unknown.  `rectangle`: it uses these
    alone.
    """

    at: Address
    writes: bool
    reads: bool = False
    stores: bool = False
    rows: tuple[Row, ...] = ()
    whole: bool = False
    covered: bool = False
    kinds: frozenset[tuple[str, int]] | None = None
    found: bool = False
    follows: frozenset[tuple[int, int]] | None = None
    early: bool = False
    locked: bool = False
    extent: Term | None = None
    rectangle: Rectangle | None = None


class Grid(Struct, frozen=True):
    """The extents of a launch, and what its kernel is given, by the number of a parameter and the offset in it."""

    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    given: tuple[tuple[int, int, Term | Address], ...]


class Work(Struct, frozen=True):
    """A grid, a copy or a fill on a stream of a device.

    `what` says it in words, `kernel` is a key ("": no kernel).  `numbers` are the integers that it gets.  `choices`
    are the conditions under which it is made.  `waits`: the host waits until it is complete.  `captured`: it does not
    run here, but when a graph is launched, the number of which is `graph`.  `by_host`: it is no work for the device,
    but an access of the host itself.  `early`: it may begin before the kernel before it in the stream has ended.
    `told` are conditions that hold where it is made, and `sure`: it surely is, where its choices hold.  `grid`: how it
    is launched, None: it is no kernel.  `within` are the iterations that it is made in.
    """

    what: str
    kernel: str
    span: Span
    stream: Address
    device: Term
    touches: tuple[Touch, ...]
    numbers: tuple[Term | None, ...]
    choices: frozenset[Term]
    waits: bool = False
    captured: bool = False
    graph: int = 0
    by_host: bool = False
    early: bool = False
    told: frozenset[Term] = frozenset()
    sure: bool = False
    grid: Grid | None = None
    within: tuple[Step, ...] = ()

    @property
    def extents(self) -> tuple[Term, Term] | None:
        """The extents of the grid and its blocks along x; None: it is no kernel."""
        return None if self.grid is None else (self.grid.grid[0], self.grid.block[0])


class Use(Struct, frozen=True):
    """The host reads or writes memory itself, at a place that may depend on the iterations of loops.

    `bounds` are conditions on these iterations; `told`, `sure` and `within` are as those of work.
    """

    touch: Touch
    span: Span
    choices: frozenset[Term]
    bounds: frozenset[Term]
    told: frozenset[Term] = frozenset()
    sure: bool = False
    within: tuple[Step, ...] = ()


class Wait(Struct, frozen=True):
    """The host waits for an event, for a stream, or (both None) for all that a device does.

    `sure` False: it may do so, for all that is known.  `every`: for all that the address may be.  `looks`: it looks
    once whether work is complete, as a loop that is not seen may do again and again.
    """

    stream: Address | None
    event: Address | None
    device: Term
    choices: frozenset[Term]
    sure: bool = True
    every: bool = False
    looks: bool = False

    @property
    def polls(self) -> bool:
        """Whether it is a look at a stream or an event, which may be done until work is complete."""
        return not self.sure and (self.stream is not None or self.event is not None)


class Mark(Struct, frozen=True):
    """An event is recorded in a stream; `every`, `every_stream`: in all iterations of a loop, each with its own."""

    event: Address
    stream: Address
    device: Term
    choices: frozenset[Term]
    every: bool = False
    every_stream: bool = False


class Follow(Struct, frozen=True):
    """What comes next in a stream waits for an event; `every` and `every_stream` as of marks."""

    stream: Address
    event: Address
    device: Term
    choices: frozenset[Term]
    every: bool = False
    every_stream: bool = False


class Replay(Struct, frozen=True):
    """A graph is launched in a stream."""

    stream: Address
    device: Term
    choices: frozenset[Term]


class Begin(Struct, frozen=True):
    """A thread of the host begins; up to its End comes what it does.

    `shared`: threads that do the same share the iterations of the loop around it.
    """

    thread: str
    shared: bool = False


class End(Struct, frozen=True):
    """What a thread of the host does is complete."""

    thread: str


class Join(Struct, frozen=True):
    """The host waits for one of its threads; "": it is not known for which one, or whether it does.

    `every`: for all threads of this name, which begin in the iterations of loops.
    """

    thread: str
    every: bool = False


class Loop(Struct):
    """The iterations of a loop; `mark`: names made in the body have an index above it.

    `overwritten`: what objects hold that the loop changes is of other values in each iteration; and so is what none
    held when it began (`before`).  `threads`: its iterations are threads that all do the same.  `whole`: no iteration
    leaves it otherwise than by its test.  Variables of activations of functions above `activation` begin in its body;
    None: that is not known.
    """

    binder: Symbol
    mark: int
    body: list[Event]
    overwritten: frozenset[Generation] = frozenset()
    before: frozenset[Generation] = frozenset()
    threads: bool = False
    whole: bool = False
    activation: int | None = None

    def makes(self, key: str, made: int) -> bool:
        """Whether each iteration has an object of its own with this key, which has the place `made` among the names."""
        return made > self.mark or self.makes_local(key)

    def makes_local(self, key: str) -> bool:
        """Whether it is the key of a variable of a function that is called in the body."""
        local = _LOCAL.search(key)
        return local is not None and self.activation is not None and int(local[1]) > self.activation


Event: TypeAlias = Work | Use | Wait | Mark | Follow | Replay | Begin | End | Join | Loop


class Held(Struct, frozen=True):
    """A function that is given to an object of the library, and the object that it belongs to.

    `bound` are the arguments that it gets, or the numbers, from 1, of those that the object is called with; None: it
    gets all of these.  `rest`: it gets all of these after the bound ones.
    """

    receiver: str
    function: Function
    object: tuple[Value, ...]
    bound: tuple[Value | int, ...] | None = None
    rest: bool = False


class Team(Struct):
    """Threads of OpenMP that have begun: all that do the same (`loop`), or one (None).

    `outer` are the thread and the device of the thread that has begun them.
    """

    loop: Loop | None
    outer: tuple[str, Term]


class Policy(Struct, frozen=True):
    """Where algorithms of a library run: in a stream; `waits`: the host waits for them."""

    stream: Value
    waits: bool


class HandleStream(Struct, frozen=True):
    """The stream that a handle of a library was given last, under choices of the program and in the bodies of loops."""

    stream: Value | None
    choices: frozenset[Term]
    loops: tuple[Symbol, ...]


class Trace(Struct):
    """What the run from one entry point has come by.

    `names` are those of objects, by their keys; the run has made those in `allocated`.  `made` says of streams, by
    their keys, whether they wait for the default stream.  `device` is the current one.  `capturing`: into a graph.
    `graphs` have begun so far, `nested`: one may be a part of another one.
    `linked`: nodes of graphs get an order otherwise than where they are made.  `unknown` counts the addresses that are
    not known.  `thread` is the thread of the host, "": the first one; `threads` are those that have begun, by the
    handles that stand for them.
    `used` are the uses of the host, and its waits, since something else has happened.  `teams` are the threads of
    OpenMP that the run is in, outermost first, `begun` those that nobody has waited for.  `born` says when handles were
    made, by what the objects hold since then: after so many names.  `lookups` say how pointers were got from code that
    is not followed, by the keys of what these lead to, `results` what that was given.  `policies` say where algorithms
    run, by the keys of policies that the program has made, `handles` have the streams of handles of libraries;
    variables in `made_handles` hold new ones.  `held` are functions that objects hold.  `common` has the keys of memory
    that the program has made for the host and for kernels, `once` those of memory made outside of loops, `again` those
    of other memory that it makes.
    """

    events: list[Event] = field(default_factory=list["Event"])
    inside: list[Loop] = field(default_factory=list[Loop])
    names: dict[str, str] = field(default_factory=dict[str, str])
    allocated: set[str] = field(default_factory=set[str])
    made: dict[str, bool] = field(default_factory=dict[str, bool])
    device: Term = const(0)
    capturing: bool = False
    graphs: int = 0
    nested: bool = False
    linked: bool = False
    unknown: int = 0
    thread: str = ""
    threads: dict[str, str] = field(default_factory=dict[str, str])
    used: set[Use | Wait] = field(default_factory=set["Use | Wait"])
    teams: list[Team] = field(default_factory=list[Team])
    begun: dict[str, None] = field(default_factory=dict[str, None])
    born: dict[Generation, int] = field(default_factory=dict[Generation, int])
    lookups: dict[str, Lookup] = field(default_factory=dict[str, Lookup])
    results: dict[str, Result] = field(default_factory=dict[str, Result])
    policies: dict[str, Policy] = field(default_factory=dict[str, Policy])
    handles: dict[Address, HandleStream] = field(default_factory=dict[Address, HandleStream])
    made_handles: set[str] = field(default_factory=set[str])
    held: list[Held] = field(default_factory=list[Held])
    common: set[str] = field(default_factory=set[str])
    once: set[str] = field(default_factory=set[str])
    again: set[str] = field(default_factory=set[str])

    def address_of(self, value: Value | None) -> Address:
        """The address that a value is; of a value that is not known, one that no other is equal to."""
        match value:
            case Pointer(target=target, offset=offset):
                return Place(target.key, offset)
            case Choice(condition=test, then=a, otherwise=b):
                return Either(test, self.address_of(a), self.address_of(b))
            case NullValue() | None:
                return DEFAULT
            case Term():
                number = as_int(value)
                if number == const(_PER_THREAD):
                    own = Place(self.thread or "main thread", const(0))
                    self.made[own.key] = True
                    return own
                default = number.is_const and number.value in (0, _LEGACY)
                return DEFAULT if default else Place("number", number)
            case _:
                self.unknown += 1
                return Place(f"{UNKNOWN} {self.unknown}", const(0))

    def name(self, pointer: Value) -> None:
        """Keeps the names of the objects that a pointer leads to, and which of them this run has allocated."""
        self.names |= {t.key: t.name for t in pointed_to(pointer)}
        self.allocated |= {t.key for t in pointed_to(pointer) if not t.external}

    def add(self, event: Event) -> None:
        """Adds an event; a use of the host, or a wait, only once before anything else happens."""
        if isinstance(event, Use | Wait):
            if event in self.used:
                return
            self.used.add(event)
        else:
            self.used.clear()
        (self.inside[-1].body if self.inside else self.events).append(event)

    def enter(self, binder: Symbol, mark: int, state: State, changed: Set[str], activation: int) -> None:
        """Enters a loop that changes what these objects hold, after so many activations of functions."""
        overwritten = frozenset(state.store[key].generation for key in changed & state.store.keys())
        before = frozenset(region.generation for region in state.store.values())
        self.open(Loop(binder, mark, [], overwritten, before, activation=activation))

    def look(self, generation: Generation) -> None:
        """What an object holds is looked at: if a loop has put it there, each iteration has."""
        inside = (loop for loop in self.inside if generation not in loop.before and generation is not INITIAL)
        if (loop := next(inside, None)) is not None:
            self.born.setdefault(generation, loop.mark + 1)

    def open(self, loop: Loop) -> None:
        """Enters a loop."""
        self.add(loop)
        self.inside.append(loop)

    def leave(self, binder: Symbol, *, whole: bool = False) -> None:
        self.used.clear()
        while self.inside:
            left = self.inside.pop()
            if left.binder == binder:
                left.whole = whole
                break

    def is_sure(self, state: State) -> bool:
        """Whether what comes now is surely done, where the choices of the program lead to this state."""
        return not self.thread and not self.teams and not any(c.lost for c in state.path)


def choices_of(state: State) -> frozenset[Term]:
    """The choices of the program that have led to a state."""
    return frozenset(c.term for c in state.path if c.kind in _CHOSEN and not c.ended)


def told_of(state: State) -> frozenset[Term]:
    """The conditions that hold in a state."""
    return frozenset(c.term for c in state.path)


def pointers_of(value: Value) -> list[Value]:
    """The pointers in a value, which may be a record."""
    inside = [cell.value for _, cell in sorted(value.cells.items())] if isinstance(value, Composite) else [value]
    return [v for v in inside if any(True for _ in pointed_to(v))]
