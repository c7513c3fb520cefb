"""Producer and consumer: what is written before a flag is set is there for who has waited for the flag.

`data = …; __threadfence(); atomicExch(&flag, 1)` against `while (atomicAdd(&flag, 0) != 1); __threadfence();
… = data` (HGRD, section 5.2; CUDA Programming Guide, "Memory Fence Functions").  The wait tells that one
thread has set the flag where no other thread can have made the value that ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.parallelism import Party
from hgrd.races.sync.acquire_release import (
    Acquire,
    Handshakes,
    Release,
    exclude,
    known_to,
    modifies,
    reads_volatile,
)
from hgrd.races.sync.locks import Apart
from hgrd.races.sync.program_order import certain, may_follow
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import FALSE, Term, conj, const, disj, eq, mul, negate, substitute, symbols_of, var
from hgrd.terms.linear import difference


class Wait(Struct, frozen=True):
    """An acquire before the second access, and the releases after the first one that can have ended it."""

    acquire: Acquire
    releases: tuple[Release, ...]


class Flags(Struct):
    """`alone` proves that no two threads perform the two writes at the same place."""

    protocol: Protocol
    handshakes: Handshakes
    alone: Apart
    _unique: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither has waited for the other."""
        return self._neither(a, b, threads, level, self.waits)

    def unless_set_by_others(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither has waited for what the other one sets behind its access, and others may set behind like ones."""
        return self._neither(a, b, threads, level, self.shared_waits)

    def _neither(
        self,
        a: Access,
        b: Access,
        threads: ThreadPair,
        level: Level | None,
        waits: Callable[[Access, Access], Iterator[Wait]],
    ) -> tuple[Term, ...]:
        needed = needed_scope(level)
        return (
            *_not_waited(waits(a, b), (Party.FIRST, Party.SECOND), threads, needed),
            *_not_waited(waits(b, a), (Party.SECOND, Party.FIRST), threads, needed),
        )

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

    def shared_waits(self, before: Access, after: Access) -> Iterator[Wait]:
        """The waits of `after`, with a fence, that a release behind `before` ends, or another one behind a like write.

        The thread of `before` itself has not ended them before: a third one has, and it has written the same place.
        """
        releases = self.handshakes.releases(before)
        for acquire in self.handshakes.acquires(after) if releases else ():
            if self._begins_seen(acquire) or not (acquire.fenced or reads_volatile(after)):
                continue
            ending = self._ending(acquire)
            ways = tuple(r for r in releases if r.write in ending and self._lag(before, r.write).is_const)
            if ways and all(not self._precedes(w, before) and self._hands_over(w, before, ways[0]) for w in ending):
                yield Wait(acquire, ways)

    def _precedes(self, write: Access, access: Access) -> bool:
        """Whether a thread that makes the access may have made the write before."""
        place = self.handshakes.placement.of
        return may_follow(place(access), place(write)) and not exclude(write, access)

    def _hands_over(self, write: Access, before: Access, way: Release) -> bool:
        """Whether who sets a flag so has written the place before that the flag stands for, as `before` does."""
        place, lag = self.handshakes.placement.of, self._lag(before, way.write)
        return any(
            a.kind is AccessKind.WRITE
            and self._lag(a, write) is lag
            and known_to(write).issuperset(a.guards)
            and certain(spot, place(write))
            and any(r.fenced and r.write == write for r in self.handshakes.releases(a))
            for spot, a in self.handshakes.placement.changes(before.target.key)
        )

    @staticmethod
    def _lag(access: Access, flag: Access) -> Term:
        """How far behind its flag an element is, if these are as many (a constant, and then the flag is its own)."""
        return difference(mul(access.offset, const(flag.size)), mul(flag.offset, const(access.size)))

    def set_by_several(self, before: Access, acquire: Acquire) -> bool:
        """Whether what the wait is for is set behind `before` only, by one statement, but by several threads.

        Then it takes a third thread to end the wait before the first one does.
        """
        ending = self._ending(acquire)
        behind = {r.write.number for r in self.handshakes.releases(before)}
        return len(ending) == 1 and ending[0].number in behind and not self._by_one(ending)

    def _begins_seen(self, acquire: Acquire) -> bool:
        """Whether the variable is declared with the value that the wait is for."""
        begins = self.protocol.memory.declared.get(acquire.seen.target.key)
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
        private = {s.name for s in symbols_of(stored)} & self.protocol.symbols.private
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


def _not_waited(
    waits: Iterator[Wait], parties: tuple[Party, Party], threads: ThreadPair, needed: Scope
) -> Iterator[Term]:
    """The second party has not waited for the first one, in none of the ways."""
    for wait in waits:
        acquire = wait.acquire
        if acquire.seen.target.space is MemorySpace.SHARED and not threads.same_block:
            continue
        when, place = threads.of((acquire.when, acquire.offset), parties[1])
        set_by_other = [
            conj(done, eq(where, place))
            for r in wait.releases
            if r.fenced and narrowest(r.scope, acquire.scope).includes(needed)
            for done, where in [threads.of((r.when, r.offset), parties[0])]
        ]
        if set_by_other:
            yield negate(conj(when, disj(*set_by_other)))
