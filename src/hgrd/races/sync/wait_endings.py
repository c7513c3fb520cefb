"""Writes that can end a wait: those that can store the value which a thread waits for."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind
from hgrd.host.model import Beginning
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.acquire_release.accesses import modifies
from hgrd.races.acquire_release.beginnings import beginnings_of, number_at
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.acquire_release.program_order import may_follow
from hgrd.races.sync.idiom import Proofs
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import FALSE, Origin, const, substitute, symbols_of, var

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
        """Whether a write comes after the wait has ended: by a thread that has waited, or behind all that ends it."""
        if any(q.seen.target.key == acquire.seen.target.key for q in self.events.acquires(write)):
            return True
        here, endings = self.events.order.of(write), [self.events.order.of(w) for w in self.writes(acquire)]
        return all(may_follow(here, there) and not may_follow(there, here) for there in endings)


def _elsewhere(write: Access, acquire: Acquire) -> bool:
    """Whether the write goes to another place of the object than the wait looks at."""
    seen = acquire.position.item
    if not isinstance(seen, Access) or not (write.offset.is_const and acquire.offset.is_const):
        return False
    first, second = write.offset.value, acquire.offset.value
    return first + write.size <= second or second + seen.size <= first
