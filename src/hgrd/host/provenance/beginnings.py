"""Beginnings: what objects of the device may hold when a kernel begins, as far as numbers or kernels say it.

Flags and counters are set to a number by the host, changed by kernels, and perhaps not set back before the next one.
What is done to an object is kept in the order in which the host code runs; a launch looks back to what comes before
it, on each way there.  The first of several iterations of a loop comes after what is before the loop, the others after
an iteration, which the run that looks ahead has shown before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.memory.array_contents import patterns_of
from hgrd.host.model import Beginning
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, IntType, Type
from hgrd.symbolic.array_patterns import Affine
from hgrd.symbolic.state import EMPTY, Condition, ConditionKind, State
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value, pointed_to
from hgrd.terms import Op, Origin, Term, as_int, const, negate, symbols_of

_BYTE: Final = 255
_MOST: Final = 64  # numbers of one object that are told apart
_MOST_CHANGES: Final = 200  # of one object that a launch looks back to
_END: Final = 1 << 62  # behind all bytes
_CHOSEN: Final = (ConditionKind.BRANCH, ConditionKind.GUARD)
_DEVICE: Final = (MemorySpace.GLOBAL, MemorySpace.HOST)


class Change(Struct, frozen=True):
    """A change of an object, at a time, on a path: `held` is what it may hold then, as far as that is known.

    It replaces the bytes from `first` to before `end` (None: to the end); `adds`: it may leave them as they are.
    `arguments` are those of a launch.
    """

    time: int
    path: tuple[Condition, ...]
    held: tuple[Beginning, ...]
    first: int = 0
    end: int | None = None
    adds: bool = False
    arguments: tuple[Value, ...] = ()


class OpenLoop(Struct, frozen=True):
    """A loop that the run is in: it was looked ahead from one time on, and its body is run since another."""

    ahead: int
    begun: int


class ObjectBeginnings(Struct):
    """Changes of objects so far, by their keys.

    `whole`: objects begin as they are declared (the run is that of `main`).  `ahead`: when the last loop began outside
    of runs that look ahead.
    """

    whole: bool = False
    time: int = 0
    ahead: int = 0
    loops: list[OpenLoop] = field(default_factory=list[OpenLoop])
    changes: dict[str, list[Change]] = field(default_factory=dict[str, list[Change]])

    # ------------------------------------------------------------ changes

    def record_fill(
        self, state: State, to: Value, value: Value | None, size: Term | None, span: Span, width: int = 1
    ) -> None:
        """`size` bytes were set to a number of `width` bytes, again and again."""
        for target in pointed_to(to):
            numbers = () if not isinstance(value, Term) else _numbers(as_int(value))
            mask = (1 << 8 * width) - 1
            held = tuple(Beginning(target.key, n & mask, width, span=span) for n in numbers)
            self._replaced(state, to, target, held, size)

    def record_copy(self, state: State, to: Value, source: Value | None, size: Term | None, span: Span) -> None:
        """`size` bytes were copied."""
        for target in pointed_to(to):
            held = () if not isinstance(source, Pointer) else tuple(self._copied(state, target.key, source, size, span))
            self._replaced(state, to, target, held, size)

    def record_store(self, state: State, address: Value, value: Value, span: Span) -> None:
        """A statement of the host stored a value."""
        for target in pointed_to(address):
            width = _width(target.element)
            if target.space in _DEVICE and width is None:
                self.record_anything(state, (target,))
            elif target.space in _DEVICE and width is not None:
                moves = isinstance(address, Pointer) and any(
                    s.origin in (Origin.LOOP, Origin.UNKNOWN) for s in symbols_of(address.offset)
                )
                size = target.size if moves else const(width)
                start = replace(address, offset=const(0)) if moves and isinstance(address, Pointer) else address
                self.record_fill(state, start, value, size, span, width)

    def record_anything(self, state: State, targets: Iterable[MemoryObject]) -> None:
        """Objects were changed by code that is not followed."""
        for target in targets:
            self._add(target.key, Change(self.time, state.path, ()))

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
        self, state: State, to: Value, target: MemoryObject, held: tuple[Beginning, ...], size: Term | None
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
        self._add(target.key, Change(self.time, state.path, moved, first, end, adds=not to.offset.is_const))

    def _add(self, key: str, change: Change) -> None:
        self.changes.setdefault(key, []).append(change)
        self.time += 1

    def _copied(self, state: State, key: str, source: Pointer, size: Term | None, span: Span) -> Iterator[Beginning]:
        """What bytes that are copied hold, at their places in the copy."""
        if not source.offset.is_const:
            return
        begin, target = source.offset.value, source.target
        if target.space is MemorySpace.GLOBAL:
            yield from (replace(b, key=key) for b, _ in self.at(target.key, state.path) if begin == 0)
            return
        region = state.store.get(target.key, EMPTY)
        cells = {at - begin: c for at, c in region.cells.items() if at >= begin}
        bytes_ = size.value if size is not None and size.is_const else None
        for at, cell in list(cells.items())[:_MOST]:
            for number in _numbers(as_int(cell.value)) if isinstance(cell.value, Term) else ():
                if bytes_ is None or at + cell.size <= bytes_:
                    yield Beginning(key, number, cell.size, span=span, first=at, end=at + cell.size)
        if region.zeroed:
            yield Beginning(key, 0, 1, span=span, besides=tuple((at, at + c.size) for at, c in cells.items()))
        for fill in patterns_of(state, target):
            match fill.pattern:
                case Affine(first=first, step=step) if (
                    step is const(0) and not fill.holes and fill.start is const(begin)
                ):
                    for number in _numbers(first):
                        yield Beginning(key, number, fill.size, span=span)
                case _:
                    pass

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

    # ------------------------------------------------------------ launches

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
            choices = frozenset(c.term for c in change.path if c.kind in _CHOSEN and not c.ended)
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


def _width(type_: Type | None) -> int | None:
    """The size of the integers in an object; None: it holds something else."""
    while isinstance(type_, ArrayType):
        type_ = type_.of
    return type_.bits // 8 if isinstance(type_, IntType) else None


def _numbers(value: Term) -> tuple[int, ...]:
    """The constants that a value may be, (): it may be anything."""
    if value.is_const:
        return (value.value,)
    if value.op is Op.ITE:
        return tuple(n for part in value.args[1:] for n in _numbers(part))
    if value.op is Op.WRAP:
        return _numbers(value.args[0])
    return ()
