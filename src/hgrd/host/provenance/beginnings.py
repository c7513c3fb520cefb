"""Beginnings: what objects of the device may hold when a kernel begins, as far as numbers or kernels say it.

Flags and counters are set to a number by the host, changed by kernels, and perhaps not set back before the next one.
What is done to an object is kept in the order in which the host code runs; a launch looks back to what comes before
it, on each way there.  The first of several iterations of a loop comes after what is before the loop, the others after
an iteration, which the run that looks ahead has shown before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.memory.array_contents import BEGUN_WITH, ELEMENTS, key_of_elements, patterns_of
from hgrd.host.memory.pointers_in_values import pointers_in
from hgrd.host.model import Beginning
from hgrd.host.provenance.changes import Change, choices_of
from hgrd.host.provenance.recordings import Entered, Recorded, RecordedLaunch, Recording
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, IntType, OpaqueType, Type
from hgrd.symbolic.array_patterns import Affine
from hgrd.symbolic.state import EMPTY, Condition, State
from hgrd.symbolic.values import OPAQUE, Composite, MemoryObject, MemorySpace, Pointer, Value, pointed_to, terms_in
from hgrd.terms import Op, Origin, Term, as_int, const, negate, symbols_of
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import arrays_of

_BYTE: Final = 255
_MOST: Final = 64  # numbers of one object that are told apart
_MOST_CHANGES: Final = 200  # of one object that a launch looks back to
_END: Final = 1 << 62  # behind all bytes
_DEVICE: Final = (MemorySpace.GLOBAL, MemorySpace.HOST)


class OpenLoop(Struct, frozen=True):
    """A loop that the run is in: it was looked ahead from one time on, and its body is run since another."""

    ahead: int
    begun: int


class ObjectBeginnings(Struct):
    """Changes of objects so far, by their keys.

    `whole`: objects begin as they are declared (the run is that of `main`).  `ahead`: when the last loop began outside
    of runs that look ahead.  `graphs` are what has been recorded, by the keys of their handles, and `recording` what is
    being recorded now.
    """

    whole: bool = False
    time: int = 0
    ahead: int = 0
    loops: list[OpenLoop] = field(default_factory=list[OpenLoop])
    changes: dict[str, list[Change]] = field(default_factory=dict[str, list[Change]])
    graphs: dict[str, Recording] = field(default_factory=dict[str, Recording])
    recording: Recording | None = None

    # ------------------------------------------------------------ changes

    def record_fill(
        self,
        state: State,
        to: Value,
        value: Value | None,
        size: Term | None,
        span: Span,
        width: int = 1,
        *,
        adds: bool = False,
    ) -> None:
        """`size` bytes were set to a number of `width` bytes, again and again; `adds`: or some of them."""
        for target in pointed_to(to):
            self._replaced(state, to, target, _held(target.key, value, width, span), size, adds=adds)

    def record_copy(self, state: State, to: Value, source: Value | None, size: Term | None, span: Span) -> None:
        """`size` bytes were copied."""
        for target in pointed_to(to):
            held = () if not isinstance(source, Pointer) else tuple(self._copied(state, target.key, source, size, span))
            self._replaced(state, to, target, held, size)

    def record_store(self, state: State, address: Value, value: Value, type_: Type, span: Span) -> None:
        """A statement of the host stored a value; a container that it stores begins with what it is made with."""
        width = type_.bits // 8 if isinstance(type_, IntType) else None
        for place in pointers_in(address):
            target, begun = place.target, value.cells.get(BEGUN_WITH) if isinstance(value, Composite) else None
            if begun is not None and isinstance(type_, OpaqueType):
                key = key_of_elements(place)
                self._add(key, Change(self.time, state.path, _held(key, begun.value, begun.size, span)))
            elif target.space not in _DEVICE and not isinstance(target.element, ArrayType):
                continue
            elif width is None:
                self.record_anything(state, (target,))
            else:
                self._store(state, address, target, _held(target.key, value, width, span), width)

    def _store(
        self, state: State, address: Value, target: MemoryObject, held: tuple[Beginning, ...], width: int
    ) -> None:
        """A number was stored; by a loop that goes from element to element, in all from the first one on."""
        moves = isinstance(address, Pointer) and any(
            s.origin in (Origin.LOOP, Origin.UNKNOWN) for s in symbols_of(address.offset)
        )
        if not moves or not isinstance(address, Pointer):
            self._replaced(state, address, target, held, const(width))
        else:
            _, steps = linear(address.offset)
            adds = list(steps.values()) != [width] or address.offset.low < 0
            self._add(target.key, Change(self.time, state.path, held, max(0, address.offset.low), adds=adds))

    def record_anything(self, state: State, targets: Iterable[MemoryObject]) -> None:
        """Objects were changed by code that is not followed."""
        for target in targets:
            self._add(target.key, Change(self.time, state.path, ()))

    def record_computed(self, state: State, targets: Iterable[MemoryObject]) -> None:
        """Objects, or the elements of containers, hold numbers that the program has computed."""
        for key in (k for t in targets for k in (t.key, f"{t.key}{ELEMENTS}")):
            self._add(key, Change(self.time, state.path, (Beginning(key, None, 0, anything=True),)))

    def record_possible(self, state: State, targets: Iterable[MemoryObject]) -> None:
        """Functions of the program that may have run now store numbers in objects, if they have."""
        for target in targets:
            changes = self.changes.get(target.key)
            if changes and changes[-1].is_possible and changes[-1].path == state.path and not self.loops:
                continue
            held = (Beginning(target.key, None, 0, anything=True),)
            self._add(target.key, Change(self.time, state.path, held, adds=True))

    def record_launch(
        self,
        state: State,
        targets: Iterable[MemoryObject],
        kernel: str,
        numbers: frozenset[int],
        arguments: tuple[Value, ...],
        span: Span,
    ) -> None:
        """A kernel that may change objects was launched; `numbers` are some that it stores."""
        for target in dict.fromkeys(targets):
            held = (Beginning(target.key, None, 0, kernel, span, numbers=numbers),)
            self._add(target.key, Change(self.time, state.path, held, adds=True, arguments=arguments))

    def _replaced(
        self,
        state: State,
        to: Value,
        target: MemoryObject,
        held: tuple[Beginning, ...],
        size: Term | None,
        *,
        adds: bool = False,
    ) -> None:
        """Bytes of an object, as many as `size`, hold something else."""
        if not isinstance(to, Pointer):
            self._add(target.key, Change(self.time, state.path, held, adds=True))
            return
        first = to.offset.value if to.offset.is_const else 0
        known = size is not None and size.is_const and to.offset.is_const
        whole = first == 0 and (size is target.size or not known)
        end = None if whole or size is None or not known else first + size.value
        moved = tuple(replace(b, first=b.first + first, end=_least(b.end, first, end)) for b in held)
        self._add(target.key, Change(self.time, state.path, moved, first, end, adds=adds or not to.offset.is_const))

    def _add(self, key: str, change: Change) -> None:
        if self.recording is not None:
            self.recording.entries.append(Recorded(key, change))
            if self.recording.is_on(change.path):
                return
            change = replace(change, path=(*change.path, self.recording.is_off()))
        self.changes.setdefault(key, []).append(change)
        self.time += 1

    def _copied(self, state: State, key: str, source: Pointer, size: Term | None, span: Span) -> Iterator[Beginning]:
        """What bytes that are copied hold, at their places in the copy."""
        begin, target = source.offset.value if source.offset.is_const else 0, source.target
        bytes_ = size.value if size is not None and size.is_const else None
        region = EMPTY if target.space is MemorySpace.GLOBAL else state.store.get(target.key, EMPTY)
        for at, cell in list(region.cells.items())[:_MOST]:
            for known in _held(key, cell.value, cell.size, span):
                if begin <= at and (bytes_ is None or at - begin + cell.size <= bytes_):
                    yield replace(known, first=at - begin, end=at - begin + cell.size)
        cells = tuple((at - begin, at - begin + c.size) for at, c in region.cells.items())
        if region.zeroed:
            yield Beginning(key, 0, 1, span=span, besides=cells)
            return
        for fill in patterns_of(state, target):
            match fill.pattern:
                case Affine(first=first, step=step) if (
                    step is const(0) and not fill.holes and fill.start is const(begin)
                ):
                    yield from _held(key, first, fill.size, span)
                case _:
                    pass
        for before, _ in self.at(target.key, state.path):
            declared = before.number is None and not before.kernel and not before.anything
            if not declared or target.space is MemorySpace.GLOBAL:
                end = None if before.end is None else before.end - begin
                besides = (*((a - begin, b - begin) for a, b in before.besides), *cells)
                if end is None or end > 0:
                    yield replace(before, key=key, first=max(0, before.first - begin), end=end, besides=besides)

    def common(self, key: str, path: Sequence[Condition]) -> tuple[Value, int] | None:
        """The number that all words of an object hold, unknown if they differ, and their size; None: none is known."""
        found = dict.fromkeys((b.number, b.size) for b, _ in self.at(key, path) if b.number is not None or b.anything)
        if not found:
            return None
        number, size = next(iter(found))
        return (const(number), size) if len(found) == 1 and number is not None else (OPAQUE, 1)

    # ------------------------------------------------------------ loops

    def look_ahead(self) -> None:
        """A loop begins, which is looked ahead first."""
        self.ahead = self.time

    def enter_loop(self) -> None:
        """The loop that was looked ahead last is run, as one iteration for all."""
        self.loops.append(OpenLoop(self.ahead, self.time))

    def leave_loop(self) -> None:
        """The loop that was entered last is over."""
        self.loops.pop()

    # ------------------------------------------------------------ graphs

    def launch_graphs(self, keys: Iterable[str], path: tuple[Condition, ...]) -> Iterator[RecordedLaunch]:
        """One of several graphs is launched: what it changes, up to each launch in it, has been changed then."""
        launched = [self.graphs[key] for key in keys]
        for recording in launched:
            for entry in recording.entries:
                match entry:
                    case Recorded(key=key, change=change):
                        adds = change.adds or len(launched) > 1 or not recording.is_certain(change)
                        self._add(key, replace(change, time=self.time, path=path, adds=adds))
                    case RecordedLaunch():
                        yield entry

    # ------------------------------------------------------------ launches

    def begins(self, entered: Entered, path: Sequence[Condition]) -> tuple[Beginning, ...]:
        """What is known of the objects that a kernel gets, or knows by name, where it begins."""
        found: list[Beginning] = []
        for beginning, before in (b for key in dict.fromkeys(entered.keys) for b in self.at(key, path)):
            own = beginning.kernel == entered.kernel
            pairs = zip_longest(entered.arguments, before)
            others = (a for a, b in pairs if a is not None and a != b) if own else ()
            varying = frozenset(s.name for a in others for t in terms_in(a) for s in symbols_of(entered.seen(t)))
            found.append(replace(beginning, own=own, varying=varying))
        return tuple(dict.fromkeys(found))

    def at(self, key: str, path: Sequence[Condition]) -> Iterator[tuple[Beginning, tuple[Value, ...]]]:
        """What an object may hold now, on a path, and the arguments of the kernel that has left it so, if one has."""
        walk = _Walk(self.changes.get(key, [])[-_MOST_CHANGES:], path)
        later: tuple[Later, ...] | None = ()
        after = self.time
        for loop in reversed(self.loops):
            later = walk.back(loop.begun, after, later)
            if later is not None:
                walk.back(loop.ahead, loop.begun, later)
            after = loop.ahead
        later = walk.back(0, after, later)
        yield from walk.found.items()
        if later is not None and self.whole:
            yield Beginning(key, None, 0, besides=walk.replaced(later)), ()


class Later(Struct, frozen=True):
    """Bytes that a later change replaces, from `first` to before `end`, where the conditions `choices` hold."""

    choices: frozenset[Term]
    first: int
    end: int


class _Walk:
    """Way back from a launch through the changes of one object; `found` is what it may hold, with arguments."""

    def __init__(self, changes: Sequence[Change], path: Sequence[Condition]) -> None:
        self._changes = changes
        self._here = frozenset(c.term for c in path)
        self._excluded = frozenset(negate(c.term) for c in path)
        self.found: dict[Beginning, tuple[Value, ...]] = {}

    def back(self, start: int, end: int, later: tuple[Later, ...] | None) -> tuple[Later, ...] | None:
        """Goes back from one time to another; what has been replaced since, all of it: None."""
        for change in reversed(self._changes):
            if later is None:
                return None
            if not start <= change.time < end or any(c.term in self._excluded for c in change.path):
                continue
            choices = choices_of(change.path)
            replaced = self.replaced(later, choices)
            if (0, _END) not in replaced:
                for beginning in change.held:
                    known = replace(beginning, besides=(*beginning.besides, *replaced))
                    self.found.setdefault(known, change.arguments)
            if not change.adds:
                one = Later(choices, change.first, _END if change.end is None else change.end)
                whole = (one.first, one.end) == (0, _END)
                later = None if whole and choices <= self._here else (*later, one)
        return later

    def replaced(self, later: Iterable[Later], choices: frozenset[Term] = frozenset()) -> tuple[tuple[int, int], ...]:
        """The bytes that later changes replace wherever a change is made under these conditions."""
        known = choices | self._here
        return tuple(dict.fromkeys((x.first, x.end) for x in later if x.choices <= known))


def _least(end: int | None, first: int, limit: int | None) -> int | None:
    """The end of some bytes after they are moved by `first`, within a limit."""
    moved = None if end is None else end + first
    return moved if limit is None or (moved is not None and moved <= limit) else limit


def _held(key: str, value: Value | None, width: int, span: Span) -> tuple[Beginning, ...]:
    """What words hold that a value was stored in: its numbers, or anything, if it is computed; (): it may be input."""
    if value == OPAQUE:
        return (Beginning(key, None, 0, span=span, anything=True),)
    if not isinstance(value, Term):
        return ()
    mask = (1 << 8 * width) - 1
    numbers = tuple(Beginning(key, n & mask, width, span=span) for n in _numbers(as_int(value)))
    given = any(s.origin is Origin.INPUT for s in symbols_of(value)) or any(arrays_of(value))
    return numbers if numbers or given else (Beginning(key, None, 0, span=span, anything=True),)


def _numbers(value: Term) -> tuple[int, ...]:
    """The constants that a value may be, (): it may be anything."""
    if value.is_const:
        return (value.value,)
    if value.op is Op.ITE:
        return tuple(n for part in value.args[1:] for n in _numbers(part))
    if value.op is Op.WRAP:
        return _numbers(value.args[0])
    return ()
