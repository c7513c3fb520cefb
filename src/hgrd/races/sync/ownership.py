"""What a thread has taken for good: `if (atomicExch(&taken[i], 1) == 0) owner[i] = …;`

Of an object that is only ever taken, and given back by nobody but who has it, one thread at a time has a place.  Two
that have taken the same one, and do not give it back, there are not: this needs no fence, as nothing is handed over.
"""

from __future__ import annotations

from itertools import product

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.protocol.model import Access, Observation
from hgrd.races.sync.acquire_release import Acquire, Handshakes, exclude, modifies, scope_of
from hgrd.races.sync.locks import Held, Locks, not_both, takes_lock
from hgrd.races.sync.program_order import meeting
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import Term, eq, var


class Claims(Struct, frozen=True):
    """`locks` knows who takes what, and gives it back."""

    handshakes: Handshakes
    locks: Locks
    _known: dict[int, tuple[Held, ...]] = field(default_factory=dict[int, tuple[Held, ...]])

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """The two have not both taken the same place for good."""
        needed = needed_scope(level)
        return tuple(
            not_both(one, two, threads)
            for one, two in product(self._kept(a), self._kept(b))
            if one.target.key == two.target.key and narrowest(one.scope, two.scope).includes(needed)
            if threads.same_block or one.target.space is not MemorySpace.SHARED
        )

    def _kept(self, access: Access) -> tuple[Held, ...]:
        """What the thread that makes the access has taken before, and does not give back."""
        if access.number not in self._known:
            found = (a for a in self.handshakes.acquires(access) if not a.fenced and self._for_good(a, access))
            self._known[access.number] = tuple(
                Held(a.seen.target, a.seen.offset, a.when, self._scope(a.seen.target.key)) for a in found
            )
        return self._known[access.number]

    def _for_good(self, acquire: Acquire, access: Access) -> bool:
        """Whether the acquire takes its place, and nobody gives it back, or only by another way than the access's."""
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
        taken, given = self.locks.taken_by.get(key, ()), self.locks.given_by.get(key, ())
        if not takes_lock(acquire) or not all(c in taken or c in given for c in changes):
            return False
        place = self.handshakes.placement.of
        here = place(access)
        return all(meeting(place(g), here) == here.depth and exclude(g, access) for g in given)

    def _changes(self, key: str) -> list[Access]:
        return [a for _, a in self.handshakes.placement.changes(key) if modifies(a)]

    def _scope(self, key: str) -> Scope:
        """Who all see the atomic changes of an object as such (others are given back by who has taken it)."""
        return narrowest(Scope.SYSTEM, *(scope_of(c) for c in self._changes(key) if c.kind is AccessKind.ATOMIC))


def _takes_from(free: Term, change: Access | Observation) -> bool:
    """Whether it finds this value, if it does anything, and leaves another one there."""
    if not free.is_const or change.operation != "cas" or change.compare is not free:
        return False
    return change.value is not None and not change.value.low <= free.value <= change.value.high
