"""Mutual exclusion by locks made of atomics: `while (atomicCAS(&lock, 0, 1) != 0); … atomicExch(&lock, 0);`

Two critical sections under the same lock do not run at once, and the fences in them order what they do
(HGRD, section 5.2).  An object is a lock where all that changes it takes the lock or gives it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.parallelism import Party
from hgrd.races.sync.acquire_release import (
    Acquire,
    Handshakes,
    Release,
    exclude,
    known_to,
    modifies,
    scope_of,
)
from hgrd.races.sync.lock_interference import Opening
from hgrd.races.sync.program_order import Spot, may_follow, meeting, precedes
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemoryObject, MemorySpace
from hgrd.terms import FALSE, TRUE, Term, conj, const, disj, eq, ne, negate, substitute, symbols_of

Apart = Callable[[Access, Access], bool]


class Held(Struct, frozen=True):
    """Where `when` holds, the access is made with the lock at `offset` of `target` taken, at `scope`."""

    target: MemoryObject
    offset: Term
    when: Term
    scope: Scope


class Locks(Struct, frozen=True):
    """The locks that are held at each access, by its number.

    By the key of a lock, `taken_by` is what takes it, `given_by` what gives it back, and `opened_by` what does so
    without having it.
    """

    handshakes: Handshakes
    held: dict[int, tuple[Held, ...]]
    sound: dict[str, Scope]  # by the key of each lock: how far order passes through those who hold it in between
    of_block: frozenset[str]  # keys of locks that threads of different blocks never have in common
    chained: frozenset[str]  # and of those that atomic operations alone change
    opened_by: dict[str, tuple[Access, ...]] = field(default_factory=dict[str, "tuple[Access, ...]"])
    taken_by: dict[str, tuple[Access, ...]] = field(default_factory=dict[str, "tuple[Access, ...]"])
    given_by: dict[str, tuple[Access, ...]] = field(default_factory=dict[str, "tuple[Access, ...]"])

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """The two do not hold the same lock, or a thread that does not have it has let one of them in.

        Or what they do reaches their block alone, and another block takes the lock in between.
        """
        needed = needed_scope(level)
        found: list[Term] = []
        for one, two in product(self.held.get(a.number, ()), self.held.get(b.number, ())):
            key, scope = one.target.key, narrowest(one.scope, two.scope)
            if key != two.target.key or not (threads.same_block or one.target.space is not MemorySpace.SHARED):
                continue
            if self._reaches(key, scope, needed):
                found.append(disj(not_both(one, two, threads), *self._opened_by(one, (a, b), threads)))
            elif scope.includes(needed) and self.sound[key].includes(needed):
                others = (*self._opened_by(one, (a, b), threads), *self._taken_elsewhere(one, threads))
                found.append(disj(not_both(one, two, threads), *others))
        return tuple(found)

    def opened(self, a: Access, b: Access) -> Access | None:
        """What may let a third thread into a lock that the two take, where it is not known which threads do that."""
        common = {h.target.key for h in self.held.get(a.number, ())} & {
            h.target.key for h in self.held.get(b.number, ())
        }
        return next(
            (
                self.opened_by[key][0]
                for key in sorted(common & self.opened_by.keys())
                if not self._opened_before(key, a, b) and not any(map(self._by_anyone, self.opened_by[key]))
            ),
            None,
        )

    def _opened_before(self, key: str, *those: Access) -> bool:
        """Whether a thread may give the lock back without having it, and then make one of the accesses."""
        return any(self._before(w, those) for w in self.opened_by.get(key, ()))

    def _before(self, write: Access, those: Iterable[Access]) -> bool:
        place = self.handshakes.placement.of
        return any(may_follow(place(x), place(write)) for x in those)

    def _opened_by(self, held: Held, those: tuple[Access, Access], threads: ThreadPair) -> Iterator[Term]:
        """Somebody gives the lock of the first thread back without having it.

        That is a third thread, or, if what gives it back can come before an access, one of the two themselves.
        """
        (place,) = threads.of((held.offset,), Party.FIRST)
        for write in self.opened_by.get(held.target.key, ()):
            before = self._before(write, those)
            opening = Opening(write, write.guards if before or self._by_anyone(write) else (), place, threads)
            yield opening.by_a_third()
            if before:
                yield from opening.by_one_of_both()

    def _taken_elsewhere(self, held: Held, threads: ThreadPair) -> Iterator[Term]:
        """A thread of another block takes the lock of the first thread."""
        (place,) = threads.of((held.offset,), Party.FIRST)
        for taking in self.taken_by.get(held.target.key, ()):
            yield Opening(taking, taking.guards, place, threads).by_another_block()

    def _by_anyone(self, write: Access) -> bool:
        """Whether all threads make the write, or none; and what has given the lock back before."""
        protocol = self.handshakes.protocol
        c = protocol.configuration
        own = protocol.symbols.private | {s.name for s in (*c.thread, *c.block_index) if s is not None}
        there = self.handshakes.placement.of(write)
        earlier = [
            s.item
            for s in self.handshakes.placement.spots
            if isinstance(s.item, Access) and s.item.target.key == write.target.key and precedes(s, there)
        ]
        given = [x for x in earlier if modifies(x) and not _takes(x, self.handshakes)]
        return not any(s.name in own for x in (write, *given) for s in symbols_of(*x.guards))

    def _reaches(self, key: str, scope: Scope, needed: Scope) -> bool:
        """Whether order gets from one holder to the other, where others, of other blocks perhaps, come in between."""
        between = needed if key in self.of_block else Scope.DEVICE
        taken_from = needed if key in self.chained else between
        return scope.includes(taken_from) and self.sound[key].includes(between)


def not_both(one: Held, two: Held, threads: ThreadPair) -> Term:
    when_1, place_1 = threads.of((one.when, one.offset), Party.FIRST)
    when_2, place_2 = threads.of((two.when, two.offset), Party.SECOND)
    return negate(conj(when_1, when_2, eq(place_1, place_2)))


def locks(protocol: Protocol, handshakes: Handshakes, apart: Apart, elsewhere: Apart) -> Locks:
    """`apart` proves that two accesses are never unordered at the same place, `elsewhere` that two blocks have none."""
    everything = accesses(protocol.items)
    targets = {o.target.key for o in protocol.symbols.observed.values()}
    sound: dict[str, Scope] = {}
    of_block: set[str] = set()
    chained: set[str] = set()
    opened_by: dict[str, tuple[Access, ...]] = {}
    taken_by: dict[str, tuple[Access, ...]] = {}
    given_by: dict[str, tuple[Access, ...]] = {}
    for key in sorted(targets):
        changes, opening = _lock_changes(key, everything, handshakes, apart)
        taken_by[key] = tuple(c for c in changes if _takes(c, handshakes))
        given_by[key] = tuple(
            c for c in changes if c not in taken_by[key] and c.number not in {o.number for o in opening}
        )
        if opening:
            opened_by[key] = opening
        if changes:
            sound[key] = narrowest(*(_passed_on(c, handshakes) for c in changes))
            if all(elsewhere(c, d) for c in changes for d in changes if c.number <= d.number):
                of_block.add(key)
            if all(c.kind is AccessKind.ATOMIC for c in changes):
                chained.add(key)
    held: dict[int, tuple[Held, ...]] = {}
    for access in everything if sound else ():
        found = tuple(
            h for a in handshakes.acquires(access) if a.seen.target.key in sound for h in _held(a, access, handshakes)
        )
        if found:
            held[access.number] = tuple(dict.fromkeys(found))
    return Locks(handshakes, held, sound, frozenset(of_block), frozenset(chained), opened_by, taken_by, given_by)


def _held(acquire: Acquire, access: Access, handshakes: Handshakes) -> list[Held]:
    """The lock that an acquire before the access has taken, if it is given back only behind it, or never.

    What changes the lock itself gives it back, or is wrong.
    """
    here = handshakes.placement.of(access)
    if (
        not acquire.fenced
        or acquire.delegated
        or not takes_lock(acquire)
        or (access.target.key == acquire.seen.target.key and modifies(access))
        or _changed_between(acquire, here, handshakes)
    ):
        return []
    sequence = meeting(acquire.spot, here)
    target, offset = acquire.seen.target, acquire.seen.offset
    releases = [r for r in handshakes.releases(access) if r.write.number != access.number]
    given = [
        (
            conj(acquire.when, r.when, eq(r.offset, offset), *_not_given_before(r, access, releases, handshakes)),
            narrowest(acquire.scope, r.scope),
        )
        for r in releases
        if r.fenced and r.spot.depth == sequence and r.write.target.key == target.key
        if eq(r.offset, offset) is not FALSE
    ]
    kept = conj(acquire.when, *_never_given(acquire, here, sequence, handshakes))
    ways = given if kept is FALSE else [*given, (kept, acquire.scope)]
    return [Held(target, offset, when, scope) for when, scope in ways]


def _never_given(acquire: Acquire, here: Spot, sequence: int, handshakes: Handshakes) -> Iterator[Term]:
    """The thread keeps the lock to the end: who has had it has given it back before, and nobody has it after."""
    access = here.item
    known = known_to(access) if isinstance(access, Access) else frozenset[Term]()
    for spot in handshakes.placement.spots:
        write = spot.item
        if not isinstance(write, Access) or write.target.key != acquire.seen.target.key or not modifies(write):
            continue
        if precedes(here, spot) and not _takes(write, handshakes):
            elsewhere = ne(write.offset, acquire.seen.offset)
            kept = disj(elsewhere, *(negate(g) for g in write.guards if g not in known))
            yield kept if spot.depth == sequence else FALSE


def _not_given_before(
    release: Release, access: Access, releases: list[Release], handshakes: Handshakes
) -> Iterator[Term]:
    """The lock is not given back between the access and the release, or with a fence before that, too."""
    here = handshakes.placement.of(access)
    for spot in handshakes.placement.spots:
        write = spot.item
        if not isinstance(write, Access) or write.number == release.write.number or not modifies(write):
            continue
        if write.target.key != release.write.target.key or _takes(write, handshakes):
            continue
        if precedes(here, spot) and precedes(spot, release.spot):
            fenced = (
                r.when
                for r in releases
                if r.fenced and r.write.number == write.number and r.scope.includes(release.scope)
            )
            yield disj(*fenced, *(negate(g) for g in write.guards if g not in known_to(access)))


def takes_lock(acquire: Acquire) -> bool:
    """Whether the test tells that the lock was free, and is now this thread's."""
    seen = acquire.seen
    if seen.value is None or _with(acquire, seen.value) is not FALSE:
        return False
    match seen.operation:
        case "cas":
            return seen.compare is not None and _with(acquire, seen.compare) is TRUE
        case "exch":
            return True
        case _:
            return False


def _with(acquire: Acquire, value: Term) -> Term:
    return substitute((acquire.test,), {acquire.symbol: value})[0]


def _changed_between(acquire: Acquire, here: Spot, handshakes: Handshakes) -> bool:
    access = here.item
    return any(
        isinstance(s.item, Access)
        and s.item.target.key == acquire.seen.target.key
        and modifies(s.item)
        and precedes(acquire.spot, s)
        and precedes(s, here)
        and not (isinstance(access, Access) and meeting(s, here) == here.depth and exclude(s.item, access))
        for s in handshakes.placement.spots
    )


# ---------------------------------------------------------------- what makes an object a lock


def _lock_changes(
    key: str, everything: tuple[Access, ...], handshakes: Handshakes, apart: Apart
) -> tuple[tuple[Access, ...], tuple[Access, ...]]:
    """What changes a lock, nothing if the object is not one; and what of that gives it back without having it."""
    changes = [a for a in everything if a.target.key == key and modifies(a)]
    taking = [a for a in changes if _takes(a, handshakes)]
    taken = {a.value for a in taking}
    free = {a.compare for a in taking if a.compare is not None}
    if len(taken) != 1 or len(free) > 1:
        return (), ()
    giving = [a for a in changes if a not in taking and _gives_back(a, taken, free, handshakes)]
    others = [a for a in changes if a not in taking and a not in giving]
    opening = tuple(o for o in others if not all(apart(o, t) for t in taking))
    return (*taking, *giving, *opening), tuple(_without_having_it(o, handshakes) for o in opening)


def _without_having_it(write: Access, handshakes: Handshakes) -> Access:
    """The write where its thread has not taken the lock that it gives back: one that it has may be this one."""
    here = handshakes.placement.of(write)
    taken = (
        a
        for a in _taken_any(write, handshakes)
        if a.offset is not write.offset
        if here.depth == meeting(a.spot, here) and not _changed_between(a, here, handshakes)
    )
    another = dict.fromkeys(ne(a.offset, write.offset) for a in taken)
    return replace(write, guards=(*write.guards, *another))


def _passed_on(change: Access, handshakes: Handshakes) -> Scope:
    """The scope within which what was released before `change` is acquired through it.

    Atomic operations carry on what was released before them; a store begins anew (PTX ISA, "Release pattern" and
    "Observation order"), and hands on only what its own thread has acquired.
    """
    if change.kind is AccessKind.ATOMIC:
        return scope_of(change)
    acquired = [narrowest(scope_of(change), a.scope) for a in _taken_any(change, handshakes) if a.fenced]
    return next((scope for scope in reversed(Scope) if scope in acquired), Scope.THREAD)


def _takes(access: Access, handshakes: Handshakes) -> bool:
    """An exchange for the taken value, but by who has taken the lock and exchanges that value again."""
    if access.kind is not AccessKind.ATOMIC or access.value is None or not access.value.is_const:
        return False
    if access.operation == "cas":
        back = any(a.seen.value is access.compare for a in _taken_before(access, handshakes))
        return (
            not back and access.compare is not None and access.compare.is_const and access.compare is not access.value
        )
    return access.operation == "exch" and access.value.value != 0


def _gives_back(access: Access, taken: set[Term | None], free: set[Term], handshakes: Handshakes) -> bool:
    """A write of the free value by the thread that has the lock, once."""
    (held,) = taken
    left = None if held is None else _left_by(access, held.value)
    if left is None or held is None or left == held.value:
        return False
    if free and const(left) not in free:
        return False
    here = handshakes.placement.of(access)
    return any(
        here.depth == meeting(a.spot, here) and not _changed_between(a, here, handshakes)
        for a in _taken_before(access, handshakes)
    )


def _taken_before(access: Access, handshakes: Handshakes) -> list[Acquire]:
    """Where the thread has, before it changes the lock, taken the same lock itself."""
    return [a for a in _taken_any(access, handshakes) if a.offset is access.offset]


def _taken_any(access: Access, handshakes: Handshakes) -> list[Acquire]:
    """Where the thread has, before it changes the lock, taken one of the same object itself: this one or another."""
    return [
        a
        for a in handshakes.acquires(access)
        if a.seen.target.key == access.target.key and a.when is TRUE and not a.delegated and takes_lock(a)
    ]


def _left_by(access: Access, held: int) -> int | None:
    """What a write leaves of the value `held`; None if it is not known."""
    if access.value is None or not access.value.is_const:
        return None
    value = access.value.value
    match access.operation if access.kind is AccessKind.ATOMIC else "exch":
        case "exch":
            return value
        case "cas" if access.compare is const(held):
            return value
        case "add":
            return held + value
        case "sub":
            return held - value
        case "and":
            return held & value
        case "xor":
            return held ^ value
        case _:
            return None
