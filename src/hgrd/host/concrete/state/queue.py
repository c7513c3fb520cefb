"""Queue of the work that a concrete run puts on the device: what uses which memory, and what is done before it.

Programming Guide, "Streams", "Events" and "Default stream": work of a stream is done in order, the legacy default
stream and others wait for each other unless these are non-blocking, an event is complete when what its stream had by
then is.  Sets of work are numbers with a bit for each piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Final

from msgspec import Struct, field

from hgrd.host.concrete.state.graphs import Graph
from hgrd.host.concrete.state.values import Null, Object, Pointer, Value
from hgrd.program.span import Span
from hgrd.program.types import OpaqueType, PointerType, Record, RecordType, Type

FILL: Final = "the fill"
THREAD: Final = "the thread"
_MOST_WORK: Final = 1 << 12
_MOST_USES: Final = 1 << 16
_LEGACY: Final = 1  # cudaStreamLegacy


class Used(Struct, frozen=True):
    """Bytes of an object that something reads, or stores into, at a place of the program."""

    target: Object
    low: int
    high: int
    stores: bool
    span: Span


class Work(Struct, eq=False):
    """A piece of work: a kernel (by its key), a copy, a fill, a function of the host that a stream calls, or a thread.

    `before` is what surely is done when it begins.  `uses` are those of all but kernels.
    """

    number: int
    what: str
    span: Span
    kernel: str
    before: int
    uses: list[Used] = field(default_factory=list[Used])

    @property
    def bit(self) -> int:
        return 1 << self.number


class HostUse(Struct, frozen=True):
    """What the host uses while pieces of work are `pending`."""

    used: Used
    pending: int


class Queue(Struct):
    """The work so far.  `done` is what the host knows to be done, `calling` the work whose function it runs.

    `users` is the work that uses an object, by its identity; `lost`: of some work the order is not known.
    `waiting` finds the names of classes whose destructors wait; the library destroys objects when that is not seen.
    `polled` are the places of calls that loops make until work is done, `asked` is what was asked otherwise.
    `graphs` are those of the program, and `nodes` the numbers of their nodes, by the identity of their objects.
    `threads` has what is done when a thread of the host, by the identity of its object, has ended.
    `captured` is the graph that streams put work into now, `placed` what is done before the node that is run now.
    `supposed` is work that the host counts as done, though the runtime does not promise it.  `used` are the lines where
    the host has used memory that work uses, and `unsure` says why the order, or what is used, may be another one.
    """

    works: list[Work] = field(default_factory=list[Work])
    done: int = 0
    tails: dict[int, int] = field(default_factory=dict[int, int])
    apart: set[int] = field(default_factory=set[int])
    marks: dict[int, int] = field(default_factory=dict[int, int])
    users: dict[int, int] = field(default_factory=dict[int, int])
    held: dict[int, Object] = field(default_factory=dict[int, Object])
    by_host: list[HostUse] = field(default_factory=list[HostUse])
    calling: Work | None = None
    lost: bool = False
    polled: frozenset[Span] = frozenset()
    waiting: re.Pattern[str] | None = None
    asked: int = 0
    graphs: dict[int, Graph] = field(default_factory=dict[int, Graph])
    nodes: dict[int, int] = field(default_factory=dict[int, int])
    threads: dict[int, tuple[Object, int]] = field(default_factory=dict[int, tuple[Object, int]])
    captured: Graph | None = None
    placed: int | None = None
    supposed: int = 0
    used: set[tuple[str, int]] = field(default_factory=set["tuple[str, int]"])
    unsure: str = ""

    # ------------------------------------------------------------ what the program does

    def put(self, what: str, span: Span, stream: Value, kernel: str = "") -> Work:
        """Puts work into a stream."""
        number = self._number(stream)
        before = self.done | (self._tail(number) if self.placed is None else self.placed)
        self.lost = self.lost or len(self.works) >= _MOST_WORK
        if self.supposed & ~(self._tail(number) if self.placed is None else self.placed):
            self.doubt("what the runtime does not promise to be done")
        work = Work(len(self.works), what, span, kernel, before)
        self.works.append(work)
        if self.placed is None:
            self.tails[number] = before | work.bit
        return work

    def capturing(self, stream: Value) -> Graph | None:
        """The graph that work put into a stream belongs to; None: it is for the device."""
        captured = self.captured
        return captured if captured is not None and self._number(stream) in captured.tails else None

    def capture(self, stream: Value, run: Callable[[], object]) -> bool:
        """Makes work a node of a graph, if its stream is captured; whether it is."""
        graph = self.capturing(stream)
        if graph is not None:
            graph.capture(self._number(stream), run)
        return graph is not None

    def begin_capture(self, stream: Value) -> None:
        """From now on what is put into a stream makes a graph."""
        self.captured = Graph(tails={self._number(stream): 0})

    def launch_graph(self, graph: Graph, stream: Value) -> None:
        """Puts all nodes of a graph into the queue."""
        number = self._number(stream)
        before = self._tail(number)
        done: dict[int, int] = {}
        for index in graph.in_order():
            first = len(self.works)
            needed = (bits for other, bits in done.items() if graph.nodes[index].before >> other & 1)
            self.placed = reduce(int.__or__, needed, before)
            graph.nodes[index].run()
            done[index] = self.placed | (1 << len(self.works)) - (1 << first)
            self.placed = None
        self.tails[number] = reduce(int.__or__, done.values(), before)

    def use(self, work: Work, used: Used) -> None:
        """Work uses bytes."""
        work.uses.append(used)
        self.lead_to(work, used.target)

    def lead_to(self, work: Work, target: Object) -> None:
        """Work may use an object."""
        self.held[id(target)] = target
        self.users[id(target)] = self.users.get(id(target), 0) | work.bit

    def touch(self, place: Pointer, size: int | None, span: Span, *, stores: bool) -> None:
        """The host uses bytes, or a function that a stream calls does."""
        if place.offset is None or size is None:
            self.doubt("an access of the host")
            return
        used = Used(place.target, place.offset, place.offset + size, stores, span)
        if self.calling is not None:
            if self.calling.what == THREAD and (self.works[-1] is not self.calling or self.done & ~self._known()):
                self.calling = self.begin_thread(self.calling.span)
            if len(self.calling.uses) < _MOST_USES:
                self.use(self.calling, used)
            else:
                self.doubt("many accesses of a function that a stream calls")
            return
        users = self.users.get(id(place.target), 0)
        pending = users & ~self.done
        self.used.add((span.file, span.line))
        if users & self.supposed:
            self.doubt("an access of the host after what the runtime does not promise to be done")
        if pending and len(self.by_host) < _MOST_USES:
            self.by_host.append(HostUse(used, pending))
        elif pending:
            self.doubt("many accesses of the host")

    def _known(self) -> int:
        """What the thread that runs now knew to be done when its piece of work began, that included."""
        return 0 if self.calling is None else self.calling.before | self.calling.bit

    def begin_thread(self, span: Span) -> Work:
        """Puts work for what a thread does from now on, up to where it puts or waits for other work."""
        self.doubt("threads of the host")
        work = Work(len(self.works), THREAD, span, "", self.done)
        self.works.append(work)
        self.done |= work.bit
        return work

    def make_stream(self, stream: Object, *, blocking: bool) -> None:
        """A new stream, which is `blocking` unless it is made not to wait for the legacy default stream."""
        self.held[id(stream)] = stream
        if not blocking:
            self.apart.add(id(stream))

    def mark(self, event: Value, stream: Value) -> None:
        """Records an event in a stream."""
        graph = self.capturing(stream)
        if isinstance(event, Pointer) and graph is not None:
            self.held[id(event.target)] = event.target
            graph.marks[id(event.target)] = graph.tails[self._number(stream)]
        elif isinstance(event, Pointer):
            self.held[id(event.target)] = event.target
            self.marks[id(event.target)] = self._tail(self._number(stream))
        else:
            self.lost = True

    def follow(self, stream: Value, event: Value) -> None:
        """A stream waits for an event."""
        number, graph = self._number(stream), self.captured
        marks = {} if graph is None else graph.marks
        if graph is not None and isinstance(event, Pointer) and id(event.target) in marks:
            graph.tails[number] = graph.tails.get(number, 0) | marks[id(event.target)]
        else:
            self.tails[number] = self.tails.get(number, 0) | self._marked(event)

    def wait_for_stream(self, stream: Value) -> None:
        self._wait_for(self._tail(self._number(stream)))

    def wait_for_event(self, event: Value) -> None:
        self._wait_for(self._marked(event))

    def _wait_for(self, bits: int) -> None:
        self.done |= bits
        self.supposed &= ~bits

    def ask(self, what: Value, *, of_event: bool) -> None:
        """Asks whether a stream, or an event, is complete: it is not known yet what the answer is."""
        self.doubt("whether work is complete")
        self.asked |= self._marked(what) if of_event else self._tail(self._number(what))

    def answer(self) -> None:
        """The program goes on only after answers that may be that all is complete."""
        self.done |= self.asked

    def may_destroy(self, type_: Type, records: Mapping[str, Record]) -> None:
        """The library may destroy objects that an object of a type holds."""
        if self.waiting is not None and any(self.waiting.search(name) for name in _names(type_, records)):
            self.may_wait_for_all("objects that the library may destroy")

    def wait_for_all(self) -> None:
        self._wait_for((1 << len(self.works)) - 1)

    def may_wait_for_all(self, why: str) -> None:
        """Counts all work as done, since a function may wait for it."""
        if (1 << len(self.works)) - 1 & ~self.done or self.supposed:
            self.doubt(why)
        self.wait_for_all()

    def suppose(self, work: Work) -> None:
        """Counts work as done for the host, though the runtime does not promise it."""
        self.done |= work.before | work.bit
        self.supposed |= work.bit

    def is_pending(self, key: int) -> bool:
        """Whether work that uses an object, by its identity, may not be done."""
        return bool(self.users.get(key, 0) & (~self.done | self.supposed))

    def pass_over(self, lines: Iterable[tuple[str, int]]) -> None:
        """The host does what is not followed in these lines."""
        if self.calling is not None or any(self.is_pending(key) for key in self.users):
            self.doubt("a long loop")
        self.used.update(lines)

    def may_use(self, arguments: Iterable[Value], name: str) -> None:
        """A function of the library, which may use what its arguments lead to, is called."""
        targets = (a.target for a in arguments if isinstance(a, Pointer))
        if any(self.calling is not None or self.is_pending(id(target)) for target in targets):
            self.doubt(f"a call of {name}")

    def doubt(self, why: str) -> None:
        """From now on the order, or what is used, may be another one than the queue has."""
        self.unsure = self.unsure or why

    # ------------------------------------------------------------ what is asked

    def pieces(self, bits: int) -> Iterator[Work]:
        """The work of a set."""
        while bits:
            lowest = bits & -bits
            yield self.works[lowest.bit_length() - 1]
            bits ^= lowest

    def _number(self, stream: Value) -> int:
        """The number of a stream; 0: the legacy default stream."""
        match stream:
            case Pointer(target=target):
                self.held[id(target)] = target
                return id(target)
            case Null() | 0:
                return 0
            case int(number) if number == _LEGACY:
                return 0
            case _:
                self.lost = True
                return 0

    def _tail(self, stream: int) -> int:
        """What is done before the next work in a stream."""
        own = self.tails.get(stream, 0)
        if stream in self.apart:
            return own
        if stream:
            return own | self.tails.get(0, 0)
        blocking = (bits for number, bits in self.tails.items() if number not in self.apart)
        for bits in blocking:
            own |= bits
        return own

    def _marked(self, event: Value) -> int:
        if not isinstance(event, Pointer):
            self.lost = True
            return 0
        return self.marks.get(id(event.target), 0)


def _names(type_: Type, records: Mapping[str, Record]) -> Iterator[str]:
    """The names of classes of the library that an object holds, or is."""
    match type_:
        case OpaqueType(name=name):
            yield name
        case PointerType(to=to):
            yield from _names(to, records)
        case RecordType(key=key) if key in records:
            for member in records[key].fields:
                if isinstance(member.type, OpaqueType | RecordType):
                    yield from _names(member.type, records)
        case _:
            pass
