"""Counters of arrivals: `if (atomicInc(&count, n) == n - 1)` is true for who comes last.

Where every block (or every thread) adds one to a counter once, who finds that all have, knows that all that
they did before is done (CUDA Programming Guide, "Memory Fence Functions": the sum that the last block makes).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.parallelism import Party
from hgrd.races.sync.acquire_release import Acquire, Handshakes, modifies, reads_volatile
from hgrd.races.sync.locks import Apart
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import Op, Term, conj, const, disj, eq, mul, negate, var
from hgrd.terms.linear import difference

_BITS = 32


class Counting(Struct, frozen=True):
    """Each of `total` parties performs `arrival` at most once."""

    arrival: Access
    total: Term


class Counters(Struct):
    """`once` proves that no two threads of one block both perform an access."""

    protocol: Protocol
    handshakes: Handshakes
    once: Apart
    _known: dict[str, Counting | None] = field(default_factory=dict[str, "Counting | None"])

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither has come when all had arrived, the other among them."""
        needed = needed_scope(level)
        return (
            *self._not_last(a, b, (Party.FIRST, Party.SECOND), threads, needed),
            *self._not_last(b, a, (Party.SECOND, Party.FIRST), threads, needed),
            *self._not_both_last(a, b, threads),
        )

    def _not_last(
        self, before: Access, after: Access, parties: tuple[Party, Party], threads: ThreadPair, needed: Scope
    ) -> Iterator[Term]:
        for acquire, counting in self.meetings(before, after):
            if not (acquire.fenced or needs_no_fence(after, acquire, counting)):
                continue
            when, place = threads.of((acquire.when, acquire.offset), parties[1])
            arrived = [
                conj(done, eq(where, place))
                for r in self.handshakes.releases(before)
                if r.write.number == counting.arrival.number and r.fenced
                if narrowest(r.scope, acquire.scope).includes(needed)
                for done, where in [threads.of((r.when, r.offset), parties[0])]
            ]
            if arrived:
                yield negate(conj(when, disj(*arrived)))

    def _not_both_last(self, a: Access, b: Access, threads: ThreadPair) -> Iterator[Term]:
        """Only one arrival finds that all others have been there before it."""
        same = conj(*map(negate, threads.distinct(Level.INTER_BLOCK)))
        for one in self._lasts(a):
            for two in self._lasts(b):
                if one.seen.target.key == two.seen.target.key:
                    when_1, place_1 = threads.of((one.when, one.offset), Party.FIRST)
                    when_2, place_2 = threads.of((two.when, two.offset), Party.SECOND)
                    yield disj(same, negate(conj(when_1, when_2, eq(place_1, place_2))))

    def _lasts(self, access: Access) -> list[Acquire]:
        """Acquires of an access by the arrival itself."""
        found: list[Acquire] = []
        for acquire in self.handshakes.acquires(access):
            counting = self._counting(acquire.seen.target.key)
            if counting is not None and _mine(acquire, counting) and _complete(acquire, counting):
                found.append(acquire)
        return found

    def meetings(self, before: Access, after: Access) -> Iterator[tuple[Acquire, Counting]]:
        """Acquires of `after` that tell that all have arrived, where `before` comes before its arrival."""
        for acquire in self.handshakes.acquires(after):
            counting = self._counting(acquire.seen.target.key)
            if counting is None or not _complete(acquire, counting):
                continue
            if any(r.write.number == counting.arrival.number for r in self.handshakes.releases(before)):
                yield acquire, counting

    def _counting(self, key: str) -> Counting | None:
        if key not in self._known:
            self._known[key] = None  # a counter that is reset by who comes last asks for itself
            self._known[key] = self._found(key)
        return self._known[key]

    def _found(self, key: str) -> Counting | None:
        changes = [a for a in accesses(self.protocol.items) if a.target.key == key and modifies(a)]
        arrivals = [a for a in changes if a.kind is AccessKind.ATOMIC and a.operation in ("add", "inc")]
        if len(arrivals) != 1 or self.handshakes.placement.of(arrivals[0]).depth > 0:
            return None
        arrival = arrivals[0]
        total = self._parties(arrival)
        if not _by_one(arrival, total):
            return None
        counting = Counting(arrival, total)
        resets = [a for a in changes if a is not arrival]
        last = all(any(_last(q, key, counting) for q in self.handshakes.acquires(r)) for r in resets)
        return counting if last else None

    def _parties(self, arrival: Access) -> Term:
        """How many arrive at most: all threads, or one of each block."""
        c = self.protocol.configuration
        blocks = mul(mul(c.grid[0], c.grid[1]), c.grid[2])
        if self.once(arrival, arrival):
            return blocks
        return mul(blocks, mul(mul(c.block[0], c.block[1]), c.block[2]))

    def assumptions(self, a: Access, b: Access) -> list[tuple[str, Span | None]]:
        """What the order of the two rests on besides."""
        used = [c.arrival for pair in ((a, b), (b, a)) for _, c in self.meetings(*pair)]
        return [(f"{a.target.name} is 0 when the kernel begins", a.span) for a in dict.fromkeys(used)]


def needs_no_fence(after: Access, acquire: Acquire, counting: Counting) -> bool:
    """Whether an access behind the test comes after what the others did even without a fence.

    What a thread stores only where it has found itself the last one to arrive, nobody can see before it has (CUDA
    Programming Guide, "Memory Fence Functions": `result[0] = totalSum; count = 0;`); what it reads it may have read
    before.  Who waits for the others needs a fence, as behind a flag.
    """
    if after.kind is AccessKind.READ:
        return reads_volatile(after)
    return _mine(acquire, counting)


def _last(acquire: Acquire, key: str, counting: Counting) -> bool:
    return acquire.seen.target.key == key and _complete(acquire, counting)


def _by_one(arrival: Access, total: Term) -> bool:
    """One is added; an atomicInc does not begin again before all have arrived."""
    if arrival.value is None:
        return False
    if arrival.operation == "add":
        return arrival.value is const(1)
    return difference(arrival.value, total) in (const(0), const(-1)) or arrival.value.low >= total.high


def _mine(acquire: Acquire, counting: Counting) -> bool:
    """Whether what was observed is the arrival's own result."""
    return acquire.seen.span == counting.arrival.span and acquire.seen.operation == counting.arrival.operation


def _complete(acquire: Acquire, counting: Counting) -> bool:
    """Whether the test tells that all have arrived (the arrival itself finds how many had before it)."""
    needed = difference(counting.total, const(1 if _mine(acquire, counting) else 0))
    found = var(acquire.symbol)
    args = tuple(found if _is_count(t, found) else t for t in acquire.test.args)
    match acquire.test.op:
        case Op.EQ if found in args:
            (other,) = (t for t in args if t is not found)
            return difference(other, needed) is const(0)
        case Op.LE if args[1] is found:
            return difference(args[0], needed) is const(0)
        case _:
            return False


def _is_count(term: Term, found: Term) -> bool:
    """What was found, compared as an unsigned number (`count < gridDim.x`): a count from 0 on is the same in both."""
    return term.op is Op.WRAP and term.args[0] is found and term.wrap_to[0] >= _BITS
