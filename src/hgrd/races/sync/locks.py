"""Locks made of atomics: `while (atomicCAS(&lock, 0, 1) != 0); … atomicExch(&lock, 0);`

Two critical sections under the same lock do not run at once, and the fences in them order what they do
(HGRD, section 5.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.findings.rules import PLAIN_LOCK_ACCESS
from hgrd.protocol.model import Access, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.acquire_release.accesses import known_at, modifies
from hgrd.races.acquire_release.events import Acquire, AcquireRelease, Release
from hgrd.races.acquire_release.flaws import Flaw, acquire_flaws, release_flaws
from hgrd.races.acquire_release.program_order import Position, may_follow, meeting, precedes
from hgrd.races.sync.context import SyncContext
from hgrd.races.sync.idiom import Idiom
from hgrd.races.sync.interference import Interference
from hgrd.races.sync.lock_table import Lock, changed_between, takes, takes_lock
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemoryObject, MemorySpace
from hgrd.terms import FALSE, Term, conj, disj, eq, ne, negate, symbols_of


class HeldLock(Struct, frozen=True):
    """Lock held at an access: where `when` holds, the lock at `offset` of `target` is taken, at `scope`."""

    target: MemoryObject
    offset: Term
    when: Term
    scope: Scope


class Locks(Idiom):
    """Mutual exclusion by locks."""

    def __init__(self, known: SyncContext) -> None:
        self._events = known.events
        self._endings = known.endings
        self._locks = known.locks
        self._held = _held_locks(known.events, known.locks)

    # ------------------------------------------------------------ what locks say of two accesses

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """The two do not hold the same lock, or a thread that does not have it has let one of them in.

        Or what they do reaches their block alone, and another block takes the lock in between.
        """
        needed = needed_scope(level)
        found: list[Term] = []
        for one, two in product(self._held.get(a.number, ()), self._held.get(b.number, ())):
            key, scope = one.target.key, narrowest(one.scope, two.scope)
            if key != two.target.key or not (threads.same_block or one.target.space is not MemorySpace.SHARED):
                continue
            lock = self._locks[key]
            if _reaches(lock, scope, needed):
                found.append(disj(not_both_held(one, two, threads), *self._opened(lock, one, (a, b), threads)))
            elif scope.includes(needed) and lock.scope.includes(needed):
                others = (*self._opened(lock, one, (a, b), threads), *_taken_elsewhere(lock, one, threads))
                found.append(disj(not_both_held(one, two, threads), *others))
        return tuple(found)

    def _opened(self, lock: Lock, held: HeldLock, those: tuple[Access, Access], threads: ThreadPair) -> Iterator[Term]:
        """Some thread gives the lock of the first thread back without having it.

        That is a third thread, or, if what gives it back can come before an access, one of the two themselves.
        """
        (place,) = threads.of((held.offset,), Side.FIRST)
        for write in lock.opened_by:
            before = self._before(write, those)
            guards = write.guards if before or self._by_anyone(write) else ()
            interference = Interference(write, guards, place, threads)
            yield interference.by_a_third()
            if before:
                yield from interference.by_one_of_both()

    def _before(self, write: Access, those: Iterable[Access]) -> bool:
        position = self._events.order.of
        return any(may_follow(position(x), position(write)) for x in those)

    def _by_anyone(self, write: Access) -> bool:
        """Whether all threads make the write, or none; and so for the writes that have given the lock back before."""
        protocol = self._events.protocol
        c = protocol.configuration
        own = protocol.symbols.private | {s.name for s in (*c.thread, *c.block_index) if s is not None}
        there = self._events.order.of(write)
        earlier = [
            p.item
            for p in self._events.order.positions
            if isinstance(p.item, Access) and p.item.target.key == write.target.key and precedes(p, there)
        ]
        given = [x for x in earlier if modifies(x) and not takes(x, self._events)]
        return not any(s.name in own for x in (write, *given) for s in symbols_of(*x.guards))

    # ------------------------------------------------------------ what locks explain, and what is wrong with them

    def explains(self, before: Access, after: Access, acquire: Acquire) -> bool | None:
        """The acquire takes a lock, or reads one."""
        if takes_lock(acquire):
            return True
        return not self._endings.set_by_several(before, acquire) if self._as_a_lock(before, acquire) else None

    def _as_a_lock(self, before: Access, acquire: Acquire) -> bool:
        """Whether an atomic reads a lock that, if any thread, the thread of `before` itself changes once after it.

        A value set by a loop may be waited for in one of its iterations, and a value that some thread of the block
        sets after a barrier is set for all.
        """
        if not acquire.seen.operation or acquire.seen.target.key not in self._locks:
            return False
        order = self._events.order
        there, unknown = order.of(before), self._events.released_by_unknown_threads(before)
        changes = [p for p, a in order.changes(acquire.seen.target.key) if modifies(a)]
        by_others = any(isinstance(p.item, Access) and p.item.number in unknown for p in changes)
        return not by_others and not any(may_follow(p, there) and meeting(p, there) < p.depth for p in changes)

    def unclear(self, a: Access, b: Access) -> Access | None:
        """A write that may let a third thread into a lock that both take, where it is unknown which threads make it."""
        both = {h.target.key for h in self._held.get(a.number, ())} & {
            h.target.key for h in self._held.get(b.number, ())
        }
        for key in sorted(both):
            opening = self._locks[key].opened_by
            if opening and not any(self._before(w, (a, b)) or self._by_anyone(w) for w in opening):
                return opening[0]
        return None

    def flaws(self, before: Access, after: Access, needed: Scope) -> Iterator[Flaw]:
        """Both hold a lock of the same object, and `before` does so without a fence or at too narrow a scope."""
        mine, others = (
            [q for q in self._events.acquires(x) if takes_lock(q) and not q.delegated] for x in (before, after)
        )
        shared = {q.seen.target.key for q in mine} & {q.seen.target.key for q in others}
        for key in sorted(shared):
            taking = [q for q in mine if q.seen.target.key == key]
            releases = self._events.releases(before)
            giving = [r for r in releases if r.write.target.key == key and r.write.number != before.number]
            what = f"the lock {taking[0].seen.target.name} would order the two"
            yield from acquire_flaws(what, "taking it", taking, before, needed)
            yield from release_flaws(what, "giving it back", giving, before, needed)

    def misuse(self, a: Access, b: Access) -> Flaw | None:
        """A plain access to a word that others lock with atomics."""
        atomic = [x for x in (a, b) if x.kind is AccessKind.ATOMIC and x.operation in ("cas", "exch")]
        plain = [x for x in (a, b) if x.kind is not AccessKind.ATOMIC and not x.volatile]
        if not atomic or not plain:
            return None
        text = f"line {plain[0].span.line} accesses {a.target.name}, which others lock with atomics, without one"
        return Flaw(PLAIN_LOCK_ACCESS, text)


def not_both_held(one: HeldLock, two: HeldLock, threads: ThreadPair) -> Term:
    """The first thread does not hold `one` while the second holds `two` at the same place."""
    when_1, place_1 = threads.of((one.when, one.offset), Side.FIRST)
    when_2, place_2 = threads.of((two.when, two.offset), Side.SECOND)
    return negate(conj(when_1, when_2, eq(place_1, place_2)))


def _reaches(lock: Lock, scope: Scope, needed: Scope) -> bool:
    """Whether order passes from one holder to the other, where others, of other blocks perhaps, come in between."""
    between = needed if lock.of_block else Scope.DEVICE
    taken_from = needed if lock.atomic_only else between
    return scope.includes(taken_from) and lock.scope.includes(between)


def _taken_elsewhere(lock: Lock, held: HeldLock, threads: ThreadPair) -> Iterator[Term]:
    """A thread of another block takes the lock of the first thread."""
    (place,) = threads.of((held.offset,), Side.FIRST)
    for taking in lock.taken_by:
        yield Interference(taking, taking.guards, place, threads).by_another_block()


# ---------------------------------------------------------------- which locks are held at an access


def _held_locks(events: AcquireRelease, locks: Mapping[str, Lock]) -> Mapping[int, tuple[HeldLock, ...]]:
    """The locks that are held at each access, by the access's number."""
    held: dict[int, tuple[HeldLock, ...]] = {}
    for access in accesses(events.protocol.items) if locks else ():
        taking = (q for q in events.acquires(access) if q.seen.target.key in locks)
        found = tuple(h for q in taking for h in _held(q, access, events))
        if found:
            held[access.number] = tuple(dict.fromkeys(found))
    return held


def _held(acquire: Acquire, access: Access, events: AcquireRelease) -> list[HeldLock]:
    """The lock that an acquire before the access has taken, if it is given back only after it, or never.

    Nothing for an access that changes the lock itself: that gives it back, or is wrong.
    """
    here = events.order.of(access)
    if (
        not acquire.fenced
        or acquire.delegated
        or not takes_lock(acquire)
        or (access.target.key == acquire.seen.target.key and modifies(access))
        or changed_between(acquire, here, events)
    ):
        return []
    sequence = meeting(acquire.position, here)
    target, offset = acquire.seen.target, acquire.seen.offset
    releases = [r for r in events.releases(access) if r.write.number != access.number]
    given = [
        (
            conj(acquire.when, r.when, eq(r.offset, offset), *_not_given_before(r, access, releases, events)),
            narrowest(acquire.scope, r.scope),
        )
        for r in releases
        if r.fenced and not r.apart
        if r.position.depth == sequence and r.write.target.key == target.key
        if eq(r.offset, offset) is not FALSE
    ]
    kept = conj(acquire.when, *_never_given(acquire, here, sequence, events))
    ways = given if kept is FALSE else [*given, (kept, acquire.scope)]
    return [HeldLock(target, offset, when, scope) for when, scope in ways]


def _never_given(acquire: Acquire, here: Position, sequence: int, events: AcquireRelease) -> Iterator[Term]:
    """The thread keeps the lock to the end: earlier holders have given it back before, and there are no later ones."""
    access = here.item
    known = known_at(access) if isinstance(access, Access) else frozenset[Term]()
    for position in events.order.positions:
        write = position.item
        if not isinstance(write, Access) or write.target.key != acquire.seen.target.key or not modifies(write):
            continue
        if precedes(here, position) and not takes(write, events):
            elsewhere = ne(write.offset, acquire.seen.offset)
            kept = disj(elsewhere, *(negate(g) for g in write.guards if g not in known))
            yield kept if position.depth == sequence else FALSE


def _not_given_before(
    release: Release, access: Access, releases: list[Release], events: AcquireRelease
) -> Iterator[Term]:
    """The lock is not given back between the access and the release, or with a fence before that, too."""
    here = events.order.of(access)
    for position in events.order.positions:
        write = position.item
        if not isinstance(write, Access) or write.number == release.write.number or not modifies(write):
            continue
        if write.target.key != release.write.target.key or takes(write, events):
            continue
        if precedes(here, position) and precedes(position, release.position):
            fenced = (
                r.when
                for r in releases
                if r.fenced and r.write.number == write.number and r.scope.includes(release.scope)
            )
            yield disj(*fenced, *(negate(g) for g in write.guards if g not in known_at(access)))
