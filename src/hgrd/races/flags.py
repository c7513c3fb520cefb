"""Producer and consumer: what is written before a flag is set is there for who has waited for the flag.

`data = …; __threadfence(); atomicExch(&flag, 1)` against `while (atomicAdd(&flag, 0) != 1); __threadfence();
… = data` (HGRD, section 5.2; CUDA Programming Guide, "Memory Fence Functions").  The wait tells that one
thread has set the flag where no other thread can have made the value that ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hgrd.program.memory import AccessKind, Level
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Protocol, Scope, accesses
from hgrd.protocol.orders import Party
from hgrd.races.acquire import Acquire, Handshakes, Release, at_least, modifies, narrower, reads_volatile
from hgrd.races.locks import Apart
from hgrd.races.parties import Naming
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import FALSE, Term, conj, const, disj, eq, negate, substitute, symbols_of, var


@dataclass(frozen=True, slots=True)
class Wait:
    """An acquire before the second access, and the releases after the first one that can have ended it."""

    acquire: Acquire
    releases: tuple[Release, ...]


@dataclass(slots=True)
class Flags:
    """`alone` proves that no two threads perform the two writes at the same place."""

    protocol: Protocol
    handshakes: Handshakes
    alone: Apart
    _unique: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])

    def constraints(self, a: Access, b: Access, naming: Naming, level: Level | None) -> tuple[Term, ...]:
        """Neither has waited for the other."""
        needed = Scope.BLOCK if level in (Level.INTRA_WARP, Level.INTRA_BLOCK) else Scope.DEVICE
        return (
            *self._not_waited(a, b, (Party.FIRST, Party.SECOND), naming, needed),
            *self._not_waited(b, a, (Party.SECOND, Party.FIRST), naming, needed),
        )

    def _not_waited(
        self, before: Access, after: Access, parties: tuple[Party, Party], naming: Naming, needed: Scope
    ) -> Iterator[Term]:
        for wait in self.waits(before, after):
            acquire = wait.acquire
            if acquire.seen.target.space is MemorySpace.SHARED and not naming.same_block:
                continue
            when, place = naming.of((acquire.when, acquire.offset), parties[1])
            set_by_other = [
                conj(done, eq(where, place))
                for r in wait.releases
                if r.fenced and at_least(narrower(r.scope, acquire.scope), needed)
                for done, where in [naming.of((r.when, r.offset), parties[0])]
            ]
            if set_by_other:
                yield negate(conj(when, disj(*set_by_other)))

    def waits(self, before: Access, after: Access, *, fenced: bool = True) -> Iterator[Wait]:
        """The waits of `after` that only releases behind `before` end; `fenced`: with a fence where one is needed."""
        releases = self.handshakes.releases(before)
        if not releases:
            return
        for acquire in self.handshakes.acquires(after):
            if self._begins_seen(acquire) or (fenced and not (acquire.fenced or reads_volatile(after))):
                continue
            ending = self._ending(acquire)
            ways = tuple(r for r in releases if r.write in ending)
            if ending and {r.write.number for r in ways} == {w.number for w in ending} and self._by_one(ending):
                yield Wait(acquire, ways)

    def set_by_several(self, before: Access, acquire: Acquire) -> bool:
        """Whether what the wait is for is set behind `before` only, by one statement, but by several threads.

        Then it takes a third thread to end the wait before the first one does.
        """
        ending = self._ending(acquire)
        behind = {r.write.number for r in self.handshakes.releases(before)}
        return len(ending) == 1 and ending[0].number in behind and not self._by_one(ending)

    def _begins_seen(self, acquire: Acquire) -> bool:
        """Whether the variable is declared with the value that the wait is for."""
        begins = self.protocol.begins.get(acquire.seen.target.key)
        return begins is not None and substitute((acquire.test,), {acquire.symbol: const(begins)})[0] is not FALSE

    def _ending(self, acquire: Acquire) -> list[Access]:
        """Writes that can make the value that the wait is for."""
        return [
            a
            for a in accesses(self.protocol.items)
            if a.target.key == acquire.seen.target.key
            and modifies(a)
            and not self._harmless(a, acquire)
            and not self._passes_on(a, acquire)
        ]

    def _harmless(self, write: Access, acquire: Acquire) -> bool:
        """The stored value does not end the wait, whichever threads write and wait."""
        stored = write.value
        if stored is None or not (write.kind is AccessKind.WRITE or write.operation in ("exch", "cas")):
            return False
        private = {s.name for s in symbols_of(stored)} & self.protocol.private
        return not private and substitute((acquire.test,), {acquire.symbol: stored})[0] is FALSE

    def _passes_on(self, write: Access, acquire: Acquire) -> bool:
        """An atomic exchange by a thread that has waited for the same value at this place."""
        return write.kind is AccessKind.ATOMIC and any(
            a.seen.target.key == write.target.key
            and a.seen.offset is write.offset
            and substitute((a.test,), {a.symbol: var(acquire.symbol)})[0] is acquire.test
            for a in self.handshakes.acquires(write)
        )

    def _by_one(self, writes: list[Access]) -> bool:
        """Each place is written once, by one thread."""
        for i, a in enumerate(writes):
            if self.handshakes.placement.of(a).depth > 0:
                return False
            for b in writes[i:]:
                key = (a.number, b.number)
                if key not in self._unique:
                    self._unique[key] = self.alone(a, b)
                if not self._unique[key]:
                    return False
        return True

    def assumptions(self, a: Access, b: Access) -> list[tuple[str, Span | None]]:
        """What the order of the two rests on besides."""
        used = [w.acquire.seen for pair in ((a, b), (b, a)) for w in self.waits(*pair)]
        return [
            (f"{o.target.name} does not hold what the wait in line {o.span.line} is for when the kernel begins", o.span)
            for o in dict.fromkeys(used)
        ]
