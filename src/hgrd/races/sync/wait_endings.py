"""Writes that can end a wait: those that can store the value which a thread waits for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind
from hgrd.host.model import Beginning
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.acquire_release.accesses import known_at, modifies
from hgrd.races.acquire_release.beginnings import beginnings_of, number_at
from hgrd.races.acquire_release.certainty import surely_follows
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.acquire_release.program_order import Position, may_follow
from hgrd.races.acquire_release.representatives import parts_of
from hgrd.races.sync.idiom import Proofs
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import FALSE, Origin, Term, const, substitute, symbols_of, var

_OF_THREADS: Final = (Origin.DIMENSION, Origin.THREAD, Origin.BLOCK)


class WaitEndings(Struct, frozen=True):
    """Ends of the waits of one protocol."""

    protocol: Protocol
    events: AcquireRelease
    proofs: Proofs
    _unique: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])

    def writes(self, acquire: Acquire) -> list[Access]:
        """The writes that can store the value which the wait is for."""
        return [
            a
            for a in accesses(self.protocol.items)
            if a.target.key == acquire.seen.target.key
            and modifies(a)
            and not _elsewhere(a, acquire)
            and not self._harmless(a, acquire)
            and not self._passes_on(a, acquire)
        ]

    def _harmless(self, write: Access, acquire: Acquire) -> bool:
        """Whether the stored value does not end the wait, for all threads that write and wait."""
        stored = write.value
        if stored is None or not (write.kind is AccessKind.WRITE or write.operation in ("exch", "cas", "store")):
            return False
        private = {s.name for s in symbols_of(stored)} & self.protocol.symbols.private
        return not private and substitute((acquire.test,), {acquire.symbol: stored})[0] is FALSE

    def _passes_on(self, write: Access, acquire: Acquire) -> bool:
        """Whether the write is an atomic of a thread that has waited for the same value at this place."""
        return write.updates and any(
            a.seen.target.key == write.target.key
            and a.seen.offset is write.offset
            and substitute((a.test,), {a.symbol: var(acquire.symbol)})[0] is acquire.test
            for a in self.events.acquires(write)
        )

    def by_one_thread(self, writes: list[Access]) -> bool:
        """Whether each place is written once, by one thread."""
        for i, a in enumerate(writes):
            if self.events.order.of(a).depth > 0:
                return False
            for b in writes[i:]:
                key = (a.number, b.number)
                if key not in self._unique:
                    self._unique[key] = self.proofs.disjoint_across_threads(a, b)
                if not self._unique[key]:
                    return False
        return True

    def set_by_several(self, before: Access, acquire: Acquire) -> bool:
        """Whether the awaited value is stored after `before` only, by one statement, but by several threads.

        Then it takes a third thread to end the wait before the thread of `before` does.
        """
        ending = self.writes(acquire)
        after = {r.write.number for r in self.events.releases(before)}
        return len(ending) == 1 and ending[0].number in after and not self.by_one_thread(ending)

    def ended_from_the_start(self, acquire: Acquire) -> bool:
        """Whether the flag is known to hold the value that the wait is for, or an earlier launch may have left it."""
        word = acquire.position.item
        if not isinstance(word, Access):
            return False
        if acquire.seen.target.space is MemorySpace.SHARED:
            changes = self.events.order.changes(acquire.seen.target.key)
            return not any(self._harmless(a, acquire) for _, a in changes if modifies(a))
        return any(self._ends(b, acquire, word) for b in beginnings_of(self.protocol.memory, word))

    def _ends(self, beginning: Beginning, acquire: Acquire, word: Access) -> bool:
        """Whether the flag may begin with what the wait is for."""
        signed = acquire.symbol.low < 0
        if beginning.number is not None:
            number = number_at(beginning, word.size, signed=signed)
            return number is not None and self._is_awaited(number, acquire)
        if beginning.anything:
            return True
        if beginning.own:
            return self._left_set(acquire, beginning.varying)
        return not beginning.numbers or any(self._is_awaited(n, acquire) for n in beginning.numbers)

    def _is_awaited(self, number: int, acquire: Acquire) -> bool:
        """Whether the wait ends at a number; where that depends on what the kernel is given, it is taken not to."""
        (test,) = substitute((acquire.test,), {acquire.symbol: const(number)})
        return test is not FALSE and all(s.origin in _OF_THREADS for s in symbols_of(test))

    def _left_set(self, acquire: Acquire, varying: frozenset[str]) -> bool:
        """Whether the kernel leaves the flag as the wait finds it: no write to it takes that back at the end.

        A value that is different at each launch is none that an earlier one leaves.
        """
        others = [s for s in symbols_of(acquire.test) if s != acquire.symbol and s.origin not in _OF_THREADS]
        if any(s.origin is not Origin.INPUT or s.name in varying for s in others):
            return False
        changes = [a for _, a in self.events.order.changes(acquire.seen.target.key) if modifies(a)]
        return not any(self._harmless(a, acquire) and self._comes_last(a, acquire) for a in changes)

    def _comes_last(self, write: Access, acquire: Acquire) -> bool:
        """Whether a write is sure to come after the wait has ended: where a thread has waited, or has set it."""
        order, endings = self.events.order, self.writes(acquire)
        known, key = known_at(write), acquire.seen.target.key
        waited = [q for q in self.events.acquires(write) if q.seen.target.key == key and parts_of(q.when) <= known]
        if waited and self._is_waited_for(acquire, endings):
            here, told = acquire.position, {q.symbol for q in waited}
            return surely_follows(self.events, write, here, _known_where(here), told)
        here, there = order.of(write), [order.of(w) for w in endings]
        after = all(may_follow(here, x) and not may_follow(x, here) for x in there)
        return after and all(surely_follows(self.events, write, order.of(w), known_at(w), frozenset()) for w in endings)

    def _is_waited_for(self, acquire: Acquire, endings: Sequence[Access]) -> bool:
        """Whether some threads wait wherever the flag is set, as far as more than their indexes decides on that."""
        own = _known_where(acquire.position)
        common, observed = own.intersection(*map(known_at, endings)), self.protocol.symbols.observed
        others = (s for s in symbols_of(*(own - common)) if s.origin not in _OF_THREADS)
        return all(s.name in observed and observed[s.name].target.key == acquire.seen.target.key for s in others)


def _known_where(position: Position) -> frozenset[Term]:
    """The conditions that hold at an access before it is made."""
    return frozenset(position.item.guards) if isinstance(position.item, Access) else frozenset()


def _elsewhere(write: Access, acquire: Acquire) -> bool:
    """Whether the write goes to another place of the object than the wait looks at."""
    seen = acquire.position.item
    if not isinstance(seen, Access) or not (write.offset.is_const and acquire.offset.is_const):
        return False
    first, second = write.offset.value, acquire.offset.value
    return first + write.size <= second or second + seen.size <= first
