"""Recorder: collects protocol items in program order while the machine runs a kernel."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.span import Span
from hgrd.protocol.cluster_memory import RemoteCopy
from hgrd.protocol.copies.followed import OWN_COPY
from hgrd.protocol.copies.own import meets
from hgrd.protocol.inference.early_exits import ended, knowing, stayed
from hgrd.protocol.model import Access, Arrival, Barrier, CopyStep, Exchange, Gap, Item, ProtocolLoop, accesses
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import Pointer
from hgrd.terms import Origin, Symbol, Term, add, as_int, conj, const, disj, eq, lt, mul, ne, symbols_of, var

SOMETIMES = "an asynchronous copy that is not waited for under the conditions under which it is made"
THROUGH_LOOP = "an asynchronous copy that goes on at the border of a loop"
_LOST = ne(var(Symbol("a long condition", 0, 1, Origin.UNKNOWN)), const(0))
_BESIDES = frozenset({ConditionKind.BOUNDS, ConditionKind.ENDED, ConditionKind.FIRST})


class _OpenLoop(Struct):
    binder: Symbol
    guards: tuple[Term, ...]
    entry: tuple[Term, ...]
    span: Span
    untold: bool
    tests: tuple[Term, ...] | None = None

    def conditions(self, states: Iterable[State], *, whole: bool = False) -> tuple[Term, ...]:
        """Conditions that lead from the start of an iteration to each of the states.

        `whole`: including those that only threads that have ended fail.
        """
        known = {*self.entry, *(self.tests or ())}
        of_state = guards_of if whole else barrier_guards
        chosen = (conj(*(g for g in of_state(s) if g not in known)) for s in states if s.alive)
        return tuple(dict.fromkeys(chosen))


class PendingCopy(Struct):
    """Copy that a barrier in memory counts, and that has not ended: its accesses, and the place of the barrier.

    The accesses may be made at any time until then, so they stand in each phase that begins before.
    """

    accesses: tuple[Access, ...]
    counted: str

    @property
    def guards(self) -> tuple[Term, ...]:
        return self.accesses[0].guards


class Recorder(Struct):
    """Recorder of items; `open` is a stack of item lists, that of the innermost loop last.

    `expected`: by object with barriers, for how many threads all of these are made; `barrier_places`: the first of the
    numbers that they go by; `arriving`: by place, the accesses of copies counted with the last arrival.
    `pipelines`: by place, how many threads commit and how many release.  `copies`: by key, shared variables of other
    blocks.
    """

    open: list[list[Item]] = field(default_factory=lambda: [[]])
    loops: list[_OpenLoop] = field(default_factory=list[_OpenLoop])
    gaps: list[Gap] = field(default_factory=list[Gap])
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    count: int = 0
    pending: list[PendingCopy] = field(default_factory=list[PendingCopy])
    expected: dict[str, int] = field(default_factory=dict[str, int])
    barrier_places: dict[str, int] = field(default_factory=dict[str, int])
    pipelines: dict[str, tuple[Term, Term]] = field(default_factory=dict[str, tuple[Term, Term]])
    copies: dict[str, RemoteCopy] = field(default_factory=dict[str, RemoteCopy])
    arriving: dict[str, tuple[Access, ...]] = field(default_factory=dict[str, tuple[Access, ...]])

    def add(self, machine: Machine, item: Item) -> None:
        if machine.speculative:
            return
        if isinstance(item, Access):
            item = replace(item, number=self.count)
            self.count += 1
            if any(meets(item, access) for copy in self.pending for access in copy.accesses):
                self._lose(Gap(OWN_COPY, item.guards, item.span, may_order=False))
        self.open[-1].append(item)
        if isinstance(item, Barrier):
            self._again(self.pending)

    # ------------------------------------------------------------ asynchronous copies

    def begins(self, machine: Machine, made: tuple[Access, ...], counted: str = "", queue: str = "") -> None:
        """The accesses, recorded last, are those of a copy that goes on."""
        if not made or machine.speculative:
            return
        if counted:
            self.pending.append(PendingCopy(made, counted))
        else:
            self.add(machine, CopyStep(made[0].guards, made[0].span, queue, begun=tuple(a.number for a in made)))

    def end_counted(self, machine: Machine, place: str, guards: tuple[Term, ...], span: Span) -> tuple[Access, ...]:
        """The copies that a barrier in memory counts end here at the latest; their accesses."""
        done = [] if machine.speculative else [c for c in self.pending if c.counted == place]
        self._end(done, guards, span)
        return tuple(a for c in done for a in c.accesses)

    def _end(self, done: list[PendingCopy], guards: tuple[Term, ...], span: Span) -> None:
        self._again(done)
        self.pending = [c for c in self.pending if c not in done]
        for copy in done:
            self._unless_always(copy, guards, span)

    def _again(self, copies: Iterable[PendingCopy]) -> None:
        for copy in copies:
            for access in copy.accesses:
                self.open[-1].append(replace(access, number=self.count))
                self.count += 1

    def _unless_always(self, copy: PendingCopy, guards: tuple[Term, ...], span: Span) -> None:
        """Whoever has made the copy comes here, or it is not known what has ended."""
        if not set(guards) <= set(copy.guards):
            self._lose(Gap(SOMETIMES, guards, span))

    def _lose(self, gap: Gap) -> None:
        if gap.may_order:
            self.open[-1].append(gap)
        if not any(g.span == gap.span and g.reason == gap.reason for g in self.gaps):
            self.gaps.append(gap)

    # ------------------------------------------------------------ what was recorded

    def place(self, pointer: Pointer) -> Term:
        """What threads of a block have in common that read one place of an object: its offset, and its block."""
        copy = self.copies.get(pointer.target.key)
        return pointer.offset if copy is None else add(pointer.offset, mul(copy.rank, const(1 << 32)))

    def exchange(self, machine: Machine, name: str, span: Span) -> None:
        """Records that lanes of a warp exchange values here."""
        if not machine.speculative:
            self.exchanges.append(Exchange(name, self.count, span))

    def gap(
        self,
        machine: Machine,
        state: State,
        reason: str,
        span: Span,
        *,
        may_order: bool = True,
        reach: Scope = Scope.BLOCK,
    ) -> None:
        if machine.speculative:
            return
        self._lose(Gap(reason, barrier_guards(state), span, may_order, reach))

    def arrived(self, name: str, guards: tuple[Term, ...]) -> bool:
        """Whether one arrival at a barrier, under these conditions, has not been waited for in this iteration."""
        last: list[Arrival] = []
        for item in reversed(self.open[-1]):
            match item:
                case Barrier(arrival=known) if known == name:
                    break
                case Arrival(name=known) if known == name:
                    last.append(item)
                case ProtocolLoop(items=items) if _mentions(items, name):
                    return False
                case _:
                    pass
        return len(last) == 1 and set(last[0].guards) == set(guards)

    def disturbed(self, name: str) -> bool:
        """Whether threads access, since their last arrival at a barrier, what copies counted there may still use."""
        copied = self.arriving.get(name, ())
        for item in reversed(self.open[-1] if copied else []):
            if isinstance(item, Arrival) and item.name == name:
                return False
            if any(_may_meet(a, c) for a in accesses((item,)) for c in copied):
                return True
        return bool(copied)

    def just_stored(self, pointer: Pointer, size: int, state: State, left: Symbol | None) -> Term | None:
        """Value that the thread in `state` has just stored at this place; None if it did more than read since.

        A loop that ended after `left` iterations is passed over.
        """
        items = self.open[-1]
        if items and isinstance(loop := items[-1], ProtocolLoop) and loop.count == left:
            items = items[:-1]
        last = next((i for i in reversed(items) if not _only_reads(i)), None)
        if not isinstance(last, Access) or last.kind is not AccessKind.WRITE or last.volatile:
            return None
        same = last.target.key == pointer.target.key and last.offset is pointer.offset and last.size == size
        return last.value if same and set(last.guards) <= set(guards_of(state)) else None

    def enter(self, machine: Machine, binder: Symbol, state: State, span: Span, *, untold: bool) -> None:
        if not machine.speculative:
            if self.pending:
                self._lose(Gap(THROUGH_LOOP, (), span))
            self.open.append([])
            entry = tuple(g for g in barrier_guards(state) if binder not in symbols_of(g))
            self.loops.append(_OpenLoop(binder, guards_of(state), entry, span, untold))

    def begin_body(self, machine: Machine, state: State) -> None:
        if not machine.speculative and self.loops and self.loops[-1].tests is None:
            self.loops[-1].tests = tuple(g for g in barrier_guards(state) if g not in self.loops[-1].entry)

    def leave(self, machine: Machine, binder: Symbol, count: Symbol, ends: IterationExits) -> tuple[Term, ...]:
        """Closes a loop and gives the conditions known after it."""
        if machine.speculative:
            return ()
        if self.pending:
            self._lose(Gap(THROUGH_LOOP, (), self.loops[-1].span))
            self.pending = []
        items = self.open.pop()
        opened = self.loops.pop()
        assert opened.binder == binder
        leaving = [*ends.breaks, *(ends.returned if len(machine.frames) > 1 else ())]
        left, exits = opened.conditions(leaving), opened.conditions((*ends.breaks, *ends.returned))
        index, first = machine.names.index, machine.names.index[binder.name]
        local = frozenset(n for n, i in index.items() if i > first) - {count.name}
        tests = opened.tests or ()
        if items:
            known = knowing(items, stayed(exits, binder, local, var(binder)))
            self.open[-1].append(
                ProtocolLoop(
                    binder, count, opened.guards, opened.entry, tests, known, opened.span, left, local, opened.untold
                )
            )
        behind = stayed(exits, binder, local, var(count))
        if not left or len(machine.frames) > 1:
            return behind
        breaks = opened.conditions(ends.breaks, whole=True)
        return (*behind, *ended(tests, breaks, binder, local, var(count)))


def _may_meet(access: Access, copied: Access) -> bool:
    """Whether threads may make an access to what the copy of any of them reads or writes meanwhile."""
    return access.target.key == copied.target.key and AccessKind.WRITE in (access.kind, copied.kind)


def _mentions(items: tuple[Item, ...], name: str) -> bool:
    """Whether half of the barrier is among the items."""
    return any(
        (isinstance(i, Arrival) and i.name == name)
        or (isinstance(i, Barrier) and i.arrival == name)
        or (isinstance(i, ProtocolLoop) and _mentions(i.items, name))
        for i in items
    )


def _only_reads(item: Item) -> bool:
    return isinstance(item, Access) and item.kind is AccessKind.READ and not item.volatile


def finds(read: Symbol, stored: Term) -> Term:
    """Condition that a read gets the stored number, if the type of the read can represent it.

    Through a pointer to another type, or another member of a union, -1 is 255.
    """
    value = as_int(stored)
    return disj(lt(value, const(read.low)), lt(const(read.high), value), eq(var(read), value))


def guards_of(state: State) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(c.term for c in state.path if c.kind not in _BESIDES))


def conditions_of(state: State, kind: ConditionKind) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(c.term for c in state.path if c.kind is kind))


def choices_of(state: State) -> tuple[Term, ...]:
    """Conditions that the program has chosen on the way."""
    return tuple(dict.fromkeys(c.term for c in state.path if not c.incidental))


def barrier_guards(state: State) -> tuple[Term, ...]:
    """Conditions under which a barrier is reached, as far as the program chose them.

    Conditions that only threads that have ended fail are left out: a barrier does not wait for these (CUDA
    Programming Guide, "Independent Thread Scheduling").
    """
    chosen = (c.term for c in state.path if not (c.incidental or c.ended or c.kind is ConditionKind.ASSERT))
    lost = (_LOST,) if any(c.lost for c in state.path) else ()
    return (*dict.fromkeys(chosen), *lost)
