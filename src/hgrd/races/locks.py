"""Mutual exclusion by locks made of atomics: `while (atomicCAS(&lock, 0, 1) != 0); … atomicExch(&lock, 0);`

Two critical sections under the same lock do not run at once, and the fences in them order what they do
(HGRD, section 5.2).  An object is a lock where all that changes it takes the lock or gives it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hgrd.program.memory import AccessKind, Level
from hgrd.protocol.model import Access, Protocol, Scope, accesses
from hgrd.protocol.orders import Party
from hgrd.races.acquire import Acquire, Handshakes, Release, at_least, known_to, modifies, narrower, scope_of
from hgrd.races.parties import Naming
from hgrd.races.placement import Spot, meeting, precedes
from hgrd.symbolic.values import MemoryObject, MemorySpace
from hgrd.terms import FALSE, TRUE, Term, conj, const, disj, eq, negate, substitute

Apart = Callable[[Access, Access], bool]


@dataclass(frozen=True, slots=True)
class Held:
    """Where `when` holds, the access is made with the lock at `offset` of `target` taken, at `scope`."""

    target: MemoryObject
    offset: Term
    when: Term
    scope: Scope


@dataclass(frozen=True, slots=True)
class Locks:
    """The locks that are held at each access, by its number."""

    held: dict[int, tuple[Held, ...]]
    sound: dict[str, Scope]  # by the key of each lock: how far order passes through those who hold it in between
    of_block: frozenset[str]  # keys of locks that threads of different blocks never have in common
    chained: frozenset[str]  # and of those that atomic operations alone change

    def constraints(self, a: Access, b: Access, naming: Naming, level: Level | None) -> tuple[Term, ...]:
        """The two do not hold the same lock."""
        needed = Scope.BLOCK if level in (Level.INTRA_WARP, Level.INTRA_BLOCK) else Scope.DEVICE
        return tuple(
            _not_both(one, two, naming)
            for one in self.held.get(a.number, ())
            for two in self.held.get(b.number, ())
            if one.target.key == two.target.key
            and self._reaches(one.target.key, narrower(one.scope, two.scope), needed)
            and (naming.same_block or one.target.space is not MemorySpace.SHARED)
        )

    def _reaches(self, key: str, scope: Scope, needed: Scope) -> bool:
        """Whether order gets from one holder to the other, where others, of other blocks perhaps, come in between."""
        between = needed if key in self.of_block else Scope.DEVICE
        taken_from = needed if key in self.chained else between
        return at_least(scope, taken_from) and at_least(self.sound[key], between)


def _not_both(one: Held, two: Held, naming: Naming) -> Term:
    when_1, place_1 = naming.of((one.when, one.offset), Party.FIRST)
    when_2, place_2 = naming.of((two.when, two.offset), Party.SECOND)
    return negate(conj(when_1, when_2, eq(place_1, place_2)))


def locks(protocol: Protocol, handshakes: Handshakes, apart: Apart, elsewhere: Apart) -> Locks:
    """`apart` proves that two accesses are never unordered at the same place, `elsewhere` that two blocks have none."""
    everything = accesses(protocol.items)
    targets = {o.target.key for o in protocol.observed.values()}
    sound: dict[str, Scope] = {}
    of_block: set[str] = set()
    chained: set[str] = set()
    for key in sorted(targets):
        changes = _lock_changes(key, everything, handshakes, apart)
        if changes:
            sound[key] = narrower(*(_passed_on(c, handshakes) for c in changes))
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
    return Locks(held, sound, frozenset(of_block), frozenset(chained))


def _held(acquire: Acquire, access: Access, handshakes: Handshakes) -> list[Held]:
    """The lock that an acquire before the access has taken, if it is given back only behind it."""
    here = handshakes.placement.of(access)
    if (
        not acquire.fenced
        or acquire.delegated
        or not takes_lock(acquire)
        or _changed_between(acquire, here, handshakes)
    ):
        return []
    sequence = meeting(acquire.spot, here)
    releases = [r for r in handshakes.releases(access) if r.write.number != access.number]
    return [
        Held(
            acquire.seen.target,
            acquire.seen.offset,
            conj(acquire.when, r.when, *_not_given_before(r, access, releases, handshakes)),
            narrower(acquire.scope, r.scope),
        )
        for r in releases
        if r.fenced
        and r.write.target.key == acquire.seen.target.key
        and r.offset is acquire.seen.offset
        and r.spot.depth == sequence
    ]


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
                if r.fenced and r.write.number == write.number and at_least(r.scope, release.scope)
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
    return any(
        isinstance(s.item, Access)
        and s.item.target.key == acquire.seen.target.key
        and modifies(s.item)
        and precedes(acquire.spot, s)
        and precedes(s, here)
        for s in handshakes.placement.spots
    )


# ---------------------------------------------------------------- what makes an object a lock


def _lock_changes(key: str, everything: tuple[Access, ...], handshakes: Handshakes, apart: Apart) -> tuple[Access, ...]:
    """What takes the lock and gives it back; nothing if the object is not one."""
    changes = [a for a in everything if a.target.key == key and modifies(a)]
    taking = [a for a in changes if _takes(a, handshakes)]
    taken = {a.value for a in taking}
    free = {a.compare for a in taking if a.compare is not None}
    if len(taken) != 1 or len(free) > 1:
        return ()
    giving = [a for a in changes if a not in taking and _gives_back(a, taken, free, handshakes)]
    others = [a for a in changes if a not in taking and a not in giving]
    return (*taking, *giving) if all(apart(o, t) for o in others for t in taking) else ()


def _passed_on(change: Access, handshakes: Handshakes) -> Scope:
    """The scope within which what was released before `change` is acquired through it.

    Atomic operations carry on what was released before them; a store begins anew (PTX ISA, "Release pattern" and
    "Observation order"), and hands on only what its own thread has acquired.
    """
    if change.kind is AccessKind.ATOMIC:
        return scope_of(change)
    acquired = [narrower(scope_of(change), a.scope) for a in _taken_before(change, handshakes) if a.fenced]
    return next((scope for scope in reversed(Scope) if scope in acquired), Scope.WARP)


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
    return [
        a
        for a in handshakes.acquires(access)
        if a.seen.target.key == access.target.key
        and a.offset is access.offset
        and a.when is TRUE
        and not a.delegated
        and takes_lock(a)
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
