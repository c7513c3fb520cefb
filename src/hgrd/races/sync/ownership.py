"""Ownership by test-and-set: `if (atomicExch(&taken[i], 1) == 0) owner[i] = …;`

If an object is only taken, and given back only by the thread that has it, one thread at a time owns a place.
No two threads take the same place without giving it back.  This needs no fence, as nothing is handed over.
"""

from __future__ import annotations

from itertools import product

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.protocol.model import Access, Observation
from hgrd.races.acquire_release.accesses import exclude, modifies, scope_of
from hgrd.races.acquire_release.events import Acquire
from hgrd.races.acquire_release.program_order import meeting
from hgrd.races.sync.context import SyncContext
from hgrd.races.sync.idiom import Idiom
from hgrd.races.sync.lock_table import takes_lock
from hgrd.races.sync.locks import HeldLock, not_both_held
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import Term, eq, var


class Ownership(Idiom):
    """Places that a thread takes for good."""

    def __init__(self, known: SyncContext) -> None:
        self._events = known.events
        self._locks = known.locks
        self._owned: dict[int, tuple[HeldLock, ...]] = {}  # by the number of the access

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """At most one of the two threads owns the place."""
        needed = needed_scope(level)
        return tuple(
            not_both_held(one, two, threads)
            for one, two in product(self._owned_at(a), self._owned_at(b))
            if one.target.key == two.target.key and narrowest(one.scope, two.scope).includes(needed)
            if threads.same_block or one.target.space is not MemorySpace.SHARED
        )

    def _owned_at(self, access: Access) -> tuple[HeldLock, ...]:
        """The places that the thread of an access has taken before, and does not give back."""
        if access.number not in self._owned:
            found = (a for a in self._events.acquires(access) if self._for_good(a, access))
            held = (HeldLock(a.seen.target, a.seen.offset, a.when, self._scope(a.seen.target.key)) for a in found)
            self._owned[access.number] = tuple(dict.fromkeys(held))
        return self._owned[access.number]

    def _for_good(self, acquire: Acquire, access: Access) -> bool:
        """Whether the acquire takes its place, and it is not given back, or only on another path than the access's."""
        if acquire.delegated:
            return False
        key, free = acquire.seen.target.key, acquire.seen.compare
        changes = self._changes(key)
        if (
            free is not None
            and acquire.test is eq(var(acquire.symbol), free)
            and all(_takes_from(free, x) for x in (acquire.seen, *changes))
        ):
            return True
        lock = self._locks.get(key)
        if lock is None or not takes_lock(acquire) or not all(c in lock.taken_by + lock.given_by for c in changes):
            return False
        position = self._events.order.of
        here = position(access)
        return all(meeting(position(g), here) == here.depth and exclude(g, access) for g in lock.given_by)

    def _changes(self, key: str) -> list[Access]:
        return [a for _, a in self._events.order.changes(key) if modifies(a)]

    def _scope(self, key: str) -> Scope:
        """The narrowest scope of the atomics that change the object (its owner alone changes it otherwise)."""
        return narrowest(Scope.SYSTEM, *(scope_of(c) for c in self._changes(key) if c.kind is AccessKind.ATOMIC))


def _takes_from(free: Term, change: Access | Observation) -> bool:
    """Whether an operation finds the value `free`, if it does anything, and leaves another one there."""
    if not free.is_const or change.operation != "cas" or change.compare is not free:
        return False
    return change.value is not None and not change.value.low <= free.value <= change.value.high
