"""Paths on which one thread misses a barrier that another one of its participants performs.

A barrier instance is a barrier in the source at one iteration of each loop around it (OpenCL and GPUVerify
call it *barrier divergence* if threads do not meet at one).  The first thread performs the instance, the
second one does not, because

- a condition in the same iterations is false for it,
- it has left a loop around the barrier in an earlier iteration, or
- it has left the kernel.

In some iteration the threads part for the first time; until then they have been together.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from hgrd.cuda.memory_model import Scope
from hgrd.program.span import Span
from hgrd.protocol.model import Barrier, Exit, Item, Protocol, ProtocolLoop
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.barriers.participants import Participants, participants_of
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import TRUE, Origin, Symbol, Term, conj, const, disj, eq, lt, negate, substitute, symbols_of, var

_INDEXES = frozenset({Origin.THREAD, Origin.BLOCK})
_CHOICES = frozenset({ConditionKind.BRANCH, ConditionKind.GUARD, ConditionKind.LOOP})
_KNOWN = frozenset({ConditionKind.VALUE, ConditionKind.ENDED, ConditionKind.FIRST, ConditionKind.ASSERT})


class MissKind(Enum):
    """Reason why the second thread misses the barrier."""

    BRANCH = "branch"  # a condition on the way to it is false
    LOOP = "loop"  # it has left a loop in an earlier iteration
    EXIT = "exit"  # it has left the kernel
    MASK = "mask"  # it is there, but the mask is wrong


class ControlPoint(Struct, frozen=True):
    """Barrier or exit, with the loops around it (outermost first) and its number in program order."""

    item: Barrier | Exit
    loops: tuple[ProtocolLoop, ...]
    number: int

    @property
    def binders(self) -> tuple[Symbol, ...]:
        """The numbers of the iterations of the loops around it, outermost first."""
        return tuple(loop.binder for loop in self.loops)


class DivergencePath(Struct, frozen=True):
    """Path past a barrier: conditions over two participants under which the second one misses it.

    `leaves` is where it leaves the way to the barrier; None: at one of the conditions on that way.
    `earliest` are equations under which this happens in the first iteration in which it can.
    `unsure`: threads may have left the kernel here before, which the conditions leave open; None: they do not.
    `alone`: the first thread alone breaks the rule, whatever the second one does.
    """

    miss: MissKind
    participants: Participants
    first: tuple[Term, ...]
    second: tuple[Term, ...]
    between: tuple[Term, ...]
    earliest: tuple[Term, ...]
    leaves: Span | None = None
    unsure: Span | None = None
    alone: bool = False


def control_points(protocol: Protocol) -> tuple[ControlPoint, ...]:
    """All barriers and exits in program order."""
    found: list[ControlPoint] = []

    def visit(items: tuple[Item, ...], loops: tuple[ProtocolLoop, ...]) -> None:
        for item in items:
            match item:
                case Barrier() | Exit():
                    found.append(ControlPoint(item, loops, len(found)))
                case ProtocolLoop(items=inner):
                    visit(inner, (*loops, item))
                case _:
                    pass

    visit(protocol.items, ())
    return tuple(found)


def choices(path: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The choices of the program among the conditions of a path."""
    return tuple(c for c in path if c.kind in _CHOICES)


def stay_conditions(loop: ProtocolLoop, barrier: Barrier) -> tuple[Term, ...]:
    """The conditions for an iteration in which the body of the loop runs and the loop goes on after it."""
    chosen = {c.term for c in choices(barrier.path)}
    at_end = tuple(g for g in loop.guards if loop.binder in symbols_of(g))  # of a do-while
    tests = tuple(t for t in (*at_end, *loop.tests) if t in chosen)
    return (*tests, *map(negate, loop.breaks))


class DivergencePaths(Struct, frozen=True):
    """All paths past one barrier; `points` are all barriers and exits of the protocol."""

    protocol: Protocol
    point: ControlPoint
    barrier: Barrier
    points: tuple[ControlPoint, ...]

    def participants(self) -> Participants:
        """The participants of the barrier in the same iterations of all loops around it."""
        return participants_of(self.protocol, self.barrier, self.point.binders)

    def all(self) -> Iterator[DivergencePath]:
        """The paths past the barrier: by a branch, by the end of a loop, by an exit."""
        yield from self._by_branch()
        for depth in range(len(self.point.loops)):
            yield from self._by_loop(depth)
        for other in self.points:
            if isinstance(other.item, Exit) and not other.item.aborts:
                yield from self._by_exit(other, other.item)

    # ------------------------------------------------------------ the barrier itself

    def performs(
        self, participants: Participants, core: frozenset[Symbol], side: Side = Side.FIRST
    ) -> tuple[Term, ...]:
        """The conditions under which a thread performs the barrier, with what is known of the symbols in `core`."""
        known = _relevant(self.barrier.path, core)
        chosen = choices(self.barrier.path)
        return participants.threads.of(tuple(c.term for c in (*chosen, *known)), side)

    def _by_branch(self) -> Iterator[DivergencePath]:
        participants = self.participants()
        open_ = [c.term for c in choices(self.barrier.path) if not participants.uniform(c.term)]
        if not open_:
            return
        core = symbols_of(*open_)
        misses = [disj(*map(negate, open_)), *self._known_on_the_way(participants, core)]
        misses += self._misses_others(open_)
        remains, unsure = self._remains(participants)
        second = participants.threads.of((*misses, *remains), Side.SECOND)
        earliest = tuple(eq(var(b), const(0)) for b in self.point.binders)
        yield DivergencePath(
            MissKind.BRANCH,
            participants,
            self.performs(participants, core),
            second,
            participants.distinct(),
            earliest,
            unsure=unsure,
        )

    def _misses_others(self, conditions: list[Term]) -> Iterator[Term]:
        """The second thread is at no other warp barrier, in the other branch of the same conditions.

        Threads of a warp may meet at different barriers of one mask.
        """
        if self.barrier.scope is not Scope.WARP:
            return
        opposite = set(map(negate, conditions))
        for other in self.points:
            item = other.item
            if isinstance(item, Exit) or item.scope is not Scope.WARP or other.binders != self.point.binders:
                continue
            if not opposite.isdisjoint(item.guards):
                yield negate(conj(*item.guards))

    def _known_on_the_way(self, participants: Participants, core: frozenset[Symbol]) -> Iterator[Term]:
        """Conditions on the second thread's values on the part of the path that it takes."""
        bearing = _relevant(self.barrier.path, core)
        so_far: list[Term] = []
        for c in self.barrier.path:
            if c.kind in _CHOICES and not participants.uniform(c.term):
                so_far.append(c.term)
            elif c in bearing:
                yield disj(*map(negate, so_far), c.term)

    def _remains(self, participants: Participants) -> tuple[tuple[Term, ...], Span | None]:
        """The conditions under which the second thread has not left the kernel before, in the same iterations.

        And where it may have left in other iterations of further loops; None: nowhere.
        """
        terms: list[Term] = []
        unsure: Span | None = None
        for other in self.points:
            if not isinstance(other.item, Exit) or other.number > self.point.number:
                continue
            if other.binders == self.point.binders[: len(other.loops)]:
                terms.append(negate(conj(*other.item.guards)))
            elif not all(map(participants.uniform, other.item.guards)):
                unsure = unsure or other.item.span
        return tuple(terms), unsure

    # ------------------------------------------------------------ loops that the second thread has left

    def _by_loop(self, depth: int) -> Iterator[DivergencePath]:
        """The second thread leaves a loop around the barrier in an earlier iteration."""
        loop = self.point.loops[depth]
        conditions = stay_conditions(loop, self.barrier)
        if all(map(self.participants().uniform, conditions)):
            return
        participants, earlier, then = self._earlier(depth)
        together = conj(*then(conditions))
        core = symbols_of(*conditions)
        yield DivergencePath(
            MissKind.LOOP,
            participants,
            (*self.performs(participants, core), *participants.threads.of((together,), Side.FIRST)),
            participants.threads.of((negate(together), *then(self._exits_of(depth))), Side.SECOND),
            (*participants.distinct(), lt(var(earlier), var(loop.binder))),
            self._next(depth, earlier),
            loop.span,
        )

    def _exits_of(self, depth: int) -> tuple[Term, ...]:
        """The conditions under which a thread leaves the kernel nowhere in an iteration."""
        binders = self.point.binders[: depth + 1]
        return tuple(
            negate(conj(*p.item.guards)) for p in self.points if isinstance(p.item, Exit) and p.binders == binders
        )

    def _earlier(self, depth: int) -> tuple[Participants, Symbol, Renaming]:
        """The participants, the number of an earlier iteration, and the renaming of the loop body's terms to it."""
        binder = self.point.binders[depth]
        outer = {b.name for b in self.point.binders[:depth]}
        protocol = self.protocol
        moved = {
            s: var(s.renamed("'"))
            for p in self.points
            for s in symbols_of(*_guards(p), *(c for loop in p.loops for c in stay_conditions(loop, self.barrier)))
            if s.name in protocol.symbols.private and s.name not in outer
        }
        moved[binder] = var(binder.renamed("'"))
        agreed = self.participants().uniform
        own = {t.symbol.name for s, t in moved.items() if s is not binder and not agreed(var(s))}
        shared = (*self.point.binders, binder.renamed("'"))
        found = participants_of(protocol, self.barrier, shared, own)
        return found, binder.renamed("'"), Renaming(moved)

    def _next(self, depth: int, earlier: Symbol) -> tuple[Term, ...]:
        """The second thread leaves in the first iteration, and misses the barrier in the next one."""
        later = (eq(var(b), const(1 if i == depth else 0)) for i, b in enumerate(self.point.binders))
        return (eq(var(earlier), const(0)), *later)

    # ------------------------------------------------------------ exits

    def _by_exit(self, other: ControlPoint, exit_: Exit) -> Iterator[DivergencePath]:
        """The second thread leaves the kernel; the first one has not done so in the same iterations."""
        found = participants_of(self.protocol, self.barrier, (*self.point.binders, *other.binders))
        if all(map(found.uniform, exit_.guards)):
            return
        core = symbols_of(*exit_.guards)
        if other.number < self.point.number:
            remains = found.threads.of((negate(conj(*exit_.guards)),), Side.FIRST)
            yield DivergencePath(
                MissKind.EXIT,
                found,
                (*self.performs(found, core), *remains),
                found.threads.of(exit_.guards, Side.SECOND),
                found.distinct(),
                tuple(eq(var(b), const(0)) for b in dict.fromkeys((*self.point.binders, *other.binders))),
                exit_.span,
            )
        common = _common(other.binders, self.point.binders)
        if common:
            yield self._by_earlier_exit(exit_, common - 1)

    def _by_earlier_exit(self, exit_: Exit, depth: int) -> DivergencePath:
        """The second thread leaves the kernel in an earlier iteration of a loop around the exit and the barrier."""
        participants, earlier, then = self._earlier(depth)
        left = conj(*then(exit_.guards))
        core = symbols_of(*exit_.guards)
        return DivergencePath(
            MissKind.EXIT,
            participants,
            (*self.performs(participants, core), *participants.threads.of((negate(left),), Side.FIRST)),
            participants.threads.of((left,), Side.SECOND),
            (*participants.distinct(), lt(var(earlier), var(self.point.binders[depth]))),
            self._next(depth, earlier),
            exit_.span,
        )


class Renaming(Struct, frozen=True):
    """Renaming of symbols of one iteration to those of another one."""

    mapping: dict[Symbol, Term]

    def __call__(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return substitute(terms, {s: self.mapping[s] for s in symbols_of(*terms) if s in self.mapping})


def _guards(point: ControlPoint) -> tuple[Term, ...]:
    return point.item.guards


def _common(one: tuple[Symbol, ...], two: tuple[Symbol, ...]) -> int:
    """The number of loops that are around both."""
    count = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        count += 1
    return count


def _relevant(path: tuple[Condition, ...], core: frozenset[Symbol]) -> tuple[Condition, ...]:
    """The conditions of a path, besides its choices, that say something of the symbols, directly or through others."""
    known = [c for c in path if c.kind in _KNOWN and c.term is not TRUE]
    reach = {s for s in core if s.origin not in _INDEXES}
    found: dict[int, Condition] = {}
    while True:
        more = [c for c in known if id(c) not in found and not reach.isdisjoint(_subjects(c))]
        if not more:
            return tuple(found.values())
        for c in more:
            found[id(c)] = c
            reach |= {s for s in symbols_of(c.term) if s.origin not in _INDEXES}


def _subjects(c: Condition) -> frozenset[Symbol]:
    """The symbols of which a condition says something; one of the first iteration says nothing of its number."""
    symbols = symbols_of(c.term)
    return frozenset(s for s in symbols if s.origin is not Origin.LOOP) if c.kind is ConditionKind.FIRST else symbols
