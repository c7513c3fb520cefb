"""Launches that may run at the same time and share memory: on different streams, where nothing waits in between.

The log of the host is gone through with sets of what may be running.  Loops are gone through a few times, with the
iterations by number.  What counts as shared is an object to which both kernels get a pointer, and one of them stores
through it.  (CUDA Programming Guide, "Streams", "Events", "Implicit Synchronization".)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.stream_log import (
    NODE,
    Allocated,
    Awaits,
    Created,
    Either,
    Entry,
    Handle,
    HostWaits,
    Launched,
    NodesLinked,
    OnDevice,
    Recorded,
    chosen,
    valued,
)
from hgrd.host.model import Simultaneous
from hgrd.program.span import Span
from hgrd.symbolic.values import Choice, Composite, Pointer, Value
from hgrd.terms import FALSE, TRUE, Symbol, Term, const, negate, symbols_of

_ITERATIONS: Final = (6, 3, 2)  # of a loop, by its depth
_MOST_STEPS: Final = 1500
Key: TypeAlias = tuple[str, object]
Place: TypeAlias = tuple[str, object, Term]


class Together(Struct, frozen=True):
    """A launch of a kernel, by its key, and one that may run at the same time and shares the memory `name`.

    `same`: they get the same address in it.
    """

    span: Span
    kernel: str
    other: Span
    other_kernel: str
    name: str
    same: bool


class _Running(Struct, frozen=True):
    number: int
    stream: Key
    entry: Entry
    launch: Launched
    places: tuple[frozenset[Place], ...]
    names: Mapping[str, str]
    path: frozenset[Term]


def simultaneous(entries: Iterable[Entry]) -> Iterator[Together]:
    """Pairs of launches of a log that may run at the same time on memory that one of them changes."""
    done = {(e.span, type(e.deed)) for e in entries if not e.tried}
    log = [e for e in entries if not e.tried or (e.span, type(e.deed)) not in done]
    if any(isinstance(e.deed, NodesLinked) for e in log):
        log = [e for e in log if not (isinstance(e.deed, Launched) and _is_node(e.deed.stream))]
    if any(isinstance(e.deed, Created | OnDevice) for e in log):
        streams = _Streams()
        for count, (entry, values) in enumerate(_unfolded(log, 0, {})):
            if count == _MOST_STEPS:
                return
            yield from streams.do(entry, values)


def _is_node(stream: Handle | Either) -> bool:
    return isinstance(stream, Handle) and stream.name == NODE


def _unfolded(
    entries: Sequence[Entry], depth: int, values: Mapping[Symbol, Term]
) -> Iterator[tuple[Entry, Mapping[Symbol, Term]]]:
    """The entries in their order, those in loops once for each of the first iterations."""
    for binder, group in groupby(entries, lambda e: e.loops[depth] if depth < len(e.loops) else None):
        inside = list(group)
        if binder is None:
            yield from ((entry, values) for entry in inside)
            continue
        most = _ITERATIONS[min(depth, len(_ITERATIONS) - 1)]
        for number in range(min(binder.high + 1, most)):
            yield from _unfolded(inside, depth + 1, {**values, binder: const(number)})


class _Streams(Struct):
    """What may be running, and what each stream and event comes after, by the numbers of launches."""

    running: dict[int, _Running] = field(default_factory=dict[int, _Running])
    before: dict[Key, frozenset[int]] = field(default_factory=dict[Key, frozenset[int]])
    events: dict[Key, frozenset[int]] = field(default_factory=dict[Key, frozenset[int]])
    known: dict[str, bool] = field(default_factory=dict[str, bool])  # names of streams: whether they wait for default
    allocated: dict[str, int] = field(default_factory=dict[str, int])
    joined: frozenset[int] = frozenset()
    device: Term = const(0)
    count: int = 0

    def do(self, entry: Entry, values: Mapping[Symbol, Term]) -> Iterator[Together]:
        match entry.deed:
            case Launched(stream=given) as launch:
                stream = chosen(given, values)
                if stream is not None:
                    yield from self._launch(entry, launch, self._key(stream, values), values)
            case Created(stream=stream, waits=waits):
                self.known[stream.name] = waits and self.known.get(stream.name, True)
            case Recorded(event=given, stream=on) | Awaits(event=given, stream=on):
                event, stream = chosen(given, values), chosen(on, values)
                if event is None or stream is None:
                    self._wait(None, values)
                elif isinstance(entry.deed, Recorded):
                    key = self._key(stream, values)
                    self.events[_key(event, values)] = self._on(key) | self.before.get(key, frozenset())
                else:
                    key = self._key(stream, values)
                    self.before[key] = self.before.get(key, frozenset()) | self._recorded(event, values)
            case HostWaits(handle=handle):
                self._wait(chosen(handle, values), values)
            case OnDevice(device=device):
                self.device = valued(device, values)
            case Allocated(key=key):
                self.allocated[key] = self.allocated.get(key, 0) + 1
            case NodesLinked():
                pass

    def _wait(self, handle: Handle | None, values: Mapping[Symbol, Term]) -> None:
        """The host waits for a stream or an event; None: for everything."""
        if handle is None:
            self.running.clear()
            return
        key = self._key(handle, values)
        ended = self._recorded(handle, values) | self.before.get(key, frozenset())
        self.running = {n: r for n, r in self.running.items() if n not in ended and not self._waited(r, handle, key)}

    def _waited(self, running: _Running, handle: Handle, key: Key) -> bool:
        """Whether a launch has ended where the host has waited for a stream; of an unknown one, for all of its name."""
        if handle.name == "":
            return running.stream[0] == "" or self.known.get(running.stream[0], True)
        return running.stream == key or (handle.index is None and running.stream[0] == handle.name)

    def _recorded(self, event: Handle, values: Mapping[Symbol, Term]) -> frozenset[int]:
        """What an event comes after; of an unknown one, what all of its name do."""
        if event.index is not None:
            return self.events.get(_key(event, values), frozenset())
        return frozenset[int]().union(*(n for key, n in self.events.items() if key[0] == event.name))

    def _key(self, stream: Handle, values: Mapping[Symbol, Term]) -> Key:
        return ("", self.device) if stream.name == "" else _key(stream, values)

    def _on(self, stream: Key) -> frozenset[int]:
        return frozenset(n for n, r in self.running.items() if r.stream == stream)

    def _launch(self, entry: Entry, launch: Launched, key: Key, values: Mapping[Symbol, Term]) -> Iterator[Together]:
        places, names = self._places(launch, values)
        path = frozenset(valued(t, values) for t in entry.path)
        self.count += 1
        new = _Running(self.count, key, entry, launch, places, names, path)
        if FALSE in path:
            return
        after = self.before.get(key, frozenset()) | (self.joined if self.known.get(key[0], False) else frozenset[int]())
        for old in self.running.values():
            if old.number not in after and self._unordered(old.stream, key) and _both_happen(old.path, path):
                one, other = (entry.span, launch.kernel), (old.entry.span, old.launch.kernel)
                for name, same in _shared(old, new):
                    yield Together(*one, *other, name, same)
                    yield Together(*other, *one, name, same)
        if key[0] == "":  # what follows on streams that wait for the default stream comes after all that is on them now
            self.joined |= {n for n, r in self.running.items() if self.known.get(r.stream[0], r.stream == key)}
        self.running[self.count] = new

    def _unordered(self, one: Key, other: Key) -> bool:
        """Whether two streams are different ones that the program has made, and do not wait for each other."""
        if one == other or not all(key[0] == "" or key[0] in self.known for key in (one, other)):
            return False
        if (one[0] == NODE) != (other[0] == NODE):
            return False
        if one[0] == other[0] and (one[1] is None or other[1] is None):
            return False
        if one[0] == "" or other[0] == "":
            return one[0] == other[0] or not self.known.get(one[0] or other[0], True)
        return one[0] != other[0] or not (isinstance(one[1], Term) and one[1] is other[1])

    def _version(self, key: str, values: Mapping[Symbol, Term]) -> object:
        """What tells objects of one name apart: those that stand for several are the same in one iteration."""
        return tuple(values.items()) if "…" in key else self.allocated.get(key, 0)

    def _places(
        self, launch: Launched, values: Mapping[Symbol, Term]
    ) -> tuple[tuple[frozenset[Place], ...], Mapping[str, str]]:
        found = [list(_pointers(a, values)) for a in launch.arguments]
        places = tuple(
            frozenset((p.target.key, self._version(p.target.key, values), valued(p.offset, values)) for p in pointers)
            for pointers in found
        )
        return places, {p.target.key: p.target.name for pointers in found for p in pointers}


def _key(handle: Handle, values: Mapping[Symbol, Term]) -> Key:
    return handle.name, None if handle.index is None else valued(handle.index, values)


def _pointers(value: Value, values: Mapping[Symbol, Term]) -> Iterator[Pointer]:
    """The pointers that an argument surely is or holds, to objects that are known one by one."""
    match value:
        case Pointer():
            yield value
        case Composite(cells=cells):
            for cell in cells.values():
                yield from _pointers(cell.value, values)
        case Choice(condition=condition, then=a, otherwise=b):
            chosen = valued(condition, values)
            yield from _pointers(a, values) if chosen is TRUE else _pointers(b, values) if chosen is FALSE else ()
        case _:
            pass


def _both_happen(one: frozenset[Term], other: frozenset[Term]) -> bool:
    return all(negate(t) not in other for t in one)


def _shared(old: _Running, new: _Running) -> Iterator[tuple[str, bool]]:
    """The memory that both kernels get, and one stores to; whether they get the same address in it."""
    for i, mine in enumerate(new.places):
        for j, theirs in enumerate(old.places):
            if i in new.launch.stored or j in old.launch.stored:
                for key, version, offset in mine:
                    offsets = [o for k, v, o in theirs if (k, v) == (key, version)]
                    if offsets:
                        yield new.names[key], offset in offsets and not symbols_of(offset)


def note_simultaneous(run: HostRunState) -> None:
    """Notes with the launches of a run which others may run at the same time."""
    found: dict[tuple[Span, str], dict[Simultaneous, None]] = {}
    for pair in simultaneous(run.streams.entries):
        other = run.linked.functions.get(pair.other_kernel)
        name = pair.other_kernel if other is None else other.ref.name
        found.setdefault((pair.span, pair.kernel), {})[Simultaneous(name, pair.name, pair.other, pair.same)] = None
    for index, site in enumerate(run.launches.sites):
        beside = found.get((site.span, site.kernel.key))
        if beside is not None:
            run.launches.sites[index] = replace(site, beside=tuple(dict.fromkeys((*site.beside, *beside))))
