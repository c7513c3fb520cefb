"""Writes that can end a wait: those that can store the value which a thread waits for."""

from __future__ import annotations

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind
from hgrd.host.model import Beginning
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.acquire_release.accesses import modifies
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.sync.idiom import Proofs
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import FALSE, Origin, const, substitute, symbols_of, var
from hgrd.terms.interval import wrapped


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
        key, memory = acquire.seen.target.key, self.protocol.memory
        begins = [b for b in memory.begins if b.target.key == key]
        if acquire.seen.target.space is MemorySpace.SHARED or any(b.number is None for b in begins):
            return self._left_set(acquire)
        size = acquire.position.item.size if isinstance(acquire.position.item, Access) else 0
        numbers = {repeated(b, size, signed=acquire.symbol.low < 0) for b in begins}
        numbers |= {memory.declared[key]} if key in memory.declared and not begins else set()
        tested = (substitute((acquire.test,), {acquire.symbol: const(n)})[0] for n in numbers if n is not None)
        return any(test is not FALSE for test in tested)

    def _left_set(self, acquire: Acquire) -> bool:
        """Whether the kernel leaves the flag as the wait finds it: no write to it takes that back.

        A value that is different at each launch is none that an earlier one leaves.
        """
        changes = [a for _, a in self.events.order.changes(acquire.seen.target.key) if modifies(a)]
        others = (s for s in symbols_of(acquire.test) if s != acquire.symbol and s.origin is not Origin.DIMENSION)
        return not any(others) and not any(self._harmless(a, acquire) for a in changes)


def _elsewhere(write: Access, acquire: Acquire) -> bool:
    """Whether the write goes to another place of the object than the wait looks at."""
    seen = acquire.position.item
    if not isinstance(seen, Access) or not (write.offset.is_const and acquire.offset.is_const):
        return False
    first, second = write.offset.value, acquire.offset.value
    return first + write.size <= second or second + seen.size <= first


def repeated(beginning: Beginning, size: int, *, signed: bool) -> int | None:
    """The number that `size` bytes of an object begin with; None: it is unknown."""
    if beginning.number is None or not beginning.size or size % beginning.size:
        return None
    part = beginning.number & ((1 << 8 * beginning.size) - 1)
    whole = sum(part << 8 * at for at in range(0, size, beginning.size))
    return wrapped(whole, 8 * size, signed)
