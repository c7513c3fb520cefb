"""Arrival counters: `if (atomicInc(&count, n) == n - 1)` is true for the last one to arrive.

So is `if (atomicSub(&left, 1) == 1)`, where `left` begins as the number of those who arrive; a `cuda::latch` counts so.
If every block (or every thread) adds one to a counter once, or once in each iteration of a loop that all make equally
often, a thread that finds that all have done so knows that all their earlier writes are done (CUDA Programming Guide,
"Memory Fence Functions": the sum that the last block makes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Level, Scope, needed_scope
from hgrd.findings.rules import UNGUARDED_DELEGATE
from hgrd.host.model import Beginning
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Configuration, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.acquire_release.accesses import known_at, modifies, reads_volatile
from hgrd.races.acquire_release.beginnings import beginnings_of, number_at
from hgrd.races.acquire_release.certainty import surely_follows
from hgrd.races.acquire_release.events import Acquire, Release
from hgrd.races.acquire_release.flaws import Flaw, acquire_flaws, release_flaws
from hgrd.races.sync.context import SyncContext
from hgrd.races.sync.idiom import Idiom
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.polynomials import polynomial
from hgrd.terms import FALSE, TRUE, Op, Term, conj, const, disj, eq, mul, negate, sub, substitute, symbols_of, var
from hgrd.terms.linear import difference
from hgrd.terms.print import show
from hgrd.terms.rewrite import bottom_up, rebuild

_BITS = 32
_MOST_ROUNDS = 1 << 16


class Counting(Struct, frozen=True):
    """Counting of arrivals, up from 0 or `down` to it: all parties together perform `arrival` `total` times at most."""

    arrival: Access
    total: Term
    down: bool = False

    @property
    def first(self) -> Term:
        """What the counter begins with."""
        return self.total if self.down else const(0)

    @property
    def last(self) -> Term:
        """What it is when all have arrived."""
        return const(0) if self.down else self.total

    @property
    def found_by_last(self) -> Term:
        """What the arrival of the last one finds."""
        return const(1) if self.down else difference(self.total, const(1))


class ArrivalCounters(Idiom):
    """Barriers and reductions by counters of arrivals."""

    def __init__(self, known: SyncContext) -> None:
        self._protocol = known.protocol
        self._events = known.events
        self._proofs = known.proofs
        self._counters: dict[str, Counting | None] = {}  # by the key of the object; None: not a counter

    # ------------------------------------------------------------ what counters say of two accesses

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither thread comes after all arrivals, that of the other one included."""
        needed = needed_scope(level)
        return (
            *self._not_last(a, b, (Side.FIRST, Side.SECOND), threads, needed),
            *self._not_last(b, a, (Side.SECOND, Side.FIRST), threads, needed),
            *self._not_both_last(a, b, threads),
        )

    def _not_last(
        self, before: Access, after: Access, parties: tuple[Side, Side], threads: ThreadPair, needed: Scope
    ) -> Iterator[Term]:
        for acquire, counting in self._meetings(before, after):
            if not (acquire.fenced or needs_no_fence(after, acquire, counting)):
                continue
            when, place = threads.of((acquire.when, acquire.offset), parties[1])
            arrived = [
                conj(done, eq(where, place))
                for r in self._events.releases(before)
                if r.write.number == counting.arrival.number and r.reaches(replace(acquire, fenced=True), needed)
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
                    when_1, place_1 = threads.of((one.when, one.offset), Side.FIRST)
                    when_2, place_2 = threads.of((two.when, two.offset), Side.SECOND)
                    yield disj(same, negate(conj(when_1, when_2, eq(place_1, place_2))))

    def _lasts(self, access: Access) -> list[Acquire]:
        """Acquires of an access by the arrival itself."""
        found: list[Acquire] = []
        for acquire in self._events.acquires(access):
            counting = self._counting(acquire.seen.target.key)
            if counting is not None and _mine(acquire, counting) and _complete(acquire, counting):
                found.append(acquire)
        return found

    def _meetings(self, before: Access, after: Access) -> Iterator[tuple[Acquire, Counting]]:
        """Acquires of `after` that tell that all have arrived, where `before` comes before its arrival."""
        for acquire in self._events.acquires(after):
            counting = self._counting(acquire.seen.target.key)
            if counting is None or not _complete(acquire, counting):
                continue
            if any(r.write.number == counting.arrival.number for r in self._events.releases(before)):
                yield acquire, counting

    def _counting(self, key: str) -> Counting | None:
        if key not in self._counters:
            self._counters[key] = None  # a counter that the last one to arrive resets asks for itself
            self._counters[key] = self._found(key)
        return self._counters[key]

    def _found(self, key: str) -> Counting | None:
        changes = [a for a in accesses(self._protocol.items) if a.target.key == key and modifies(a)]
        arrivals = [a for a in changes if a.kind is AccessKind.ATOMIC and a.operation in ("add", "inc", "sub")]
        rounds = self._rounds(arrivals[0]) if len(arrivals) == 1 else None
        if rounds is None:
            return None
        arrival = arrivals[0]
        total = mul(self._parties(arrival), rounds)
        resets = [a for a in changes if a is not arrival]
        counting = Counting(arrival, total, down=_goes_down(arrival))
        reset = all(_is_first(r, counting) for r in resets) and any(self._is_made(r, counting) for r in resets)
        begins_again = reset or _begins_again(arrival, total)
        if not _by_one(arrival, total) or not self._from_first(counting, begins_again=begins_again):
            return None
        last = all(any(_last(q, key, counting) for q in self._events.acquires(r)) for r in resets)
        return counting if last else None

    def _is_made(self, reset: Access, counting: Counting) -> bool:
        """Whether the last one to arrive, or another thread of its block, is sure to reset the counter."""
        key = counting.arrival.target.key
        complete = {q.symbol for q in self._events.acquires(reset) if _last(q, key, counting)}
        arrived = self._events.order.of(counting.arrival)
        return surely_follows(self._events, reset, arrived, known_at(counting.arrival), complete)

    def _from_first(self, counting: Counting, *, begins_again: bool) -> bool:
        """Whether nothing says that the counter begins otherwise; `begins_again`: the last one to arrive resets it.

        Without that, an earlier launch of the kernel leaves the number of those that arrived.
        """
        begins = beginnings_of(self._protocol.memory, counting.arrival)
        return all(_is_at_first(b, counting, begins_again=begins_again) for b in begins)

    def _parties(self, arrival: Access) -> Term:
        """The number of those who arrive: all threads, or one of each block, or of each but one."""
        c = self._protocol.configuration
        blocks = mul(mul(c.grid[0], c.grid[1]), c.grid[2])
        if self._proofs.disjoint_within_block(arrival, arrival):
            return sub(blocks, const(1)) if spares_a_block(arrival, c) else blocks
        return mul(blocks, mul(mul(c.block[0], c.block[1]), c.block[2]))

    def _rounds(self, arrival: Access) -> Term | None:
        """The greatest number of iterations in which one of them arrives, the same for all; None: not known."""
        c = self._protocol.configuration
        own = self._protocol.symbols.private | {s.name for s in (*c.thread, *c.block_index) if s is not None}
        rounds = const(1)
        for loop in self._events.order.of(arrival).around:
            most = [const(loop.binder.high + 1)] if loop.binder.high < _MOST_ROUNDS else []
            most += [t.args[1] for t in loop.tests if t.op is Op.LT and t.args[0] is var(loop.binder)]
            alike = [t for t in most if not any(s.name in own for s in symbols_of(t))]
            if not alike:
                return None
            rounds = mul(rounds, alike[0])
        return rounds

    # ------------------------------------------------------------ what counters explain, and what is wrong with them

    def assumptions(self, a: Access, b: Access) -> list[tuple[str, Span | None]]:
        """What every counter is when the kernel begins; it does not wrap around where a loop counts."""
        counters = {c.arrival: c for pair in ((a, b), (b, a)) for _, c in self._meetings(*pair)}
        repeated: list[tuple[str, Span | None]] = [
            ("atomic counters do not wrap around", x.span) for x in counters if self._events.order.of(x).depth > 0
        ]
        begins = ((f"{x.target.name} is {show(c.first)} when the kernel begins", x.span) for x, c in counters.items())
        return [*begins, *repeated]

    def explains(self, before: Access, after: Access, acquire: Acquire) -> bool | None:
        """The acquire tells that all have arrived."""
        return True if any(q.symbol == acquire.symbol for q, _ in self._meetings(before, after)) else None

    def flaws(self, before: Access, after: Access, needed: Scope) -> Iterator[Flaw]:
        """A missing fence, too narrow a scope, or threads of a block that do not wait for the one that counts."""
        for acquire, counting in self._meetings(before, after):
            what = f"the counter {acquire.seen.target.name} would order the two"
            alike = [q for q in self._events.acquires(after) if q.symbol == acquire.symbol]
            arriving = [r for r in self._events.releases(before) if r.write.number == counting.arrival.number]
            if not needs_no_fence(after, acquire, counting):
                yield from acquire_flaws(what, "reading it", alike, after, needed)
            yield from release_flaws(what, "adding to it", arriving, before, needed)
            yield from self._left_out(before, after, acquire, arriving)

    def _left_out(self, before: Access, after: Access, acquire: Acquire, arriving: Sequence[Release]) -> Iterator[Flaw]:
        """One thread arrives, or waits, for its block, and the others do not wait for it."""
        counter = acquire.seen.target.name
        by_all = any(r.when is TRUE for r in arriving)
        if not by_all and not any(self._events.delegates(before, r.position) for r in arriving):
            line = arriving[0].write.span.line
            text = (
                f"one thread of the block arrives at {counter} in line {line}, but no barrier before makes it wait for"
            )
            yield Flaw(UNGUARDED_DELEGATE, f"{text} what the others do in line {before.span.line}")
        if not acquire.delegated and acquire.when is not TRUE:
            line = acquire.seen.span.line
            text = f"one thread of the block waits for {counter} in line {line}, but no barrier behind makes the others"
            yield Flaw(UNGUARDED_DELEGATE, f"{text} wait before line {after.span.line}")


def spares_a_block(arrival: Access, c: Configuration) -> bool:
    """Whether the first block of a grid along x, or the last one, does not arrive: it may wait for the others."""
    index, wide = c.block_index[0], c.grid[0]
    if index is None or c.block_index[1:] != (None, None):
        return False
    ends = (const(0), sub(wide, const(1)))
    return any(FALSE in substitute(arrival.guards, {index: end}) for end in ends)


def needs_no_fence(after: Access, acquire: Acquire, counting: Counting) -> bool:
    """Whether an access after the test comes after what the others did even without a fence.

    A value that a thread stores only after it has found itself the last one to arrive cannot be seen earlier (CUDA
    Programming Guide, "Memory Fence Functions": `result[0] = totalSum; count = 0;`); its reads may have been made
    before.  A thread that waits for the others needs a fence, as after a flag.
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
    if arrival.operation in ("add", "sub"):
        return arrival.value is const(1) or _goes_down(arrival)
    return difference(arrival.value, total) in (const(0), const(-1)) or arrival.value.low >= total.high


def _goes_down(arrival: Access) -> bool:
    """Whether one is taken from the counter."""
    minus = arrival.value is not None and arrival.value.is_const and (arrival.value.value + 1) % (1 << _BITS) == 0
    return arrival.value is const(1) if arrival.operation == "sub" else arrival.operation == "add" and minus


def _is_first(reset: Access, counting: Counting) -> bool:
    """Whether a write stores what the counter begins with."""
    return reset.value is not None and _as_many(reset.value, counting.first)


def _begins_again(arrival: Access, total: Term) -> bool:
    """Whether the arrival of the last one sets the counter to 0, as an atomicInc does at its operand."""
    value = arrival.value
    return arrival.operation == "inc" and value is not None and difference(value, total) is const(-1)


def _is_at_first(beginning: Beginning, counting: Counting, *, begins_again: bool) -> bool:
    """Whether a counter that begins so begins at its first number; a kernel that stores it is taken to leave it."""
    if beginning.number is not None:
        number = number_at(beginning, counting.arrival.size, signed=False)
        return counting.first is const(number) if number is not None else not counting.down
    again = begins_again if beginning.own else any(counting.first is const(n) for n in beginning.numbers)
    return again and not beginning.anything


def _mine(acquire: Acquire, counting: Counting) -> bool:
    """Whether the observed value is the arrival's own result."""
    return acquire.seen.span == counting.arrival.span and acquire.seen.operation == counting.arrival.operation


def _complete(acquire: Acquire, counting: Counting) -> bool:
    """Whether the test tells that all have arrived (the arrival itself finds how many had before it)."""
    needed = counting.found_by_last if _mine(acquire, counting) else counting.last
    found, args = var(acquire.symbol), acquire.test.args
    match acquire.test.op:
        case Op.EQ:
            sides = ((args[0], args[1]), (args[1], args[0]))
        case Op.LE:
            sides = ((args[0], args[1]) if counting.down else (args[1], args[0]),)
        case _:
            sides = ()
    return any(
        (more := _more_than(one, found)) is not None and _as_many(difference(other, const(more)), needed)
        for one, other in sides
    )


def _more_than(term: Term, found: Term) -> int | None:
    """How much is added to the found value, as in `atomicAdd(&count, 1) + 1 == gridDim.x`; None: it is no such sum."""
    between = difference(_uncut(term), found)
    return between.value if between.is_const else None


def _as_many(one: Term, two: Term) -> bool:
    """Whether the two are one number, if it fits a counter (`rounds * gridDim.x`, where `rounds` is an int)."""
    return difference(one, two) is const(0) or polynomial(_uncut(one)) == polynomial(_uncut(two))


def _uncut(term: Term) -> Term:
    """The term without the conversions to the bits of a counter, or to more: counts from 0 on are equal then."""
    done: dict[Term, Term] = {}
    for t in bottom_up((term,)):
        cut = t.op is Op.WRAP and t.wrap_to[0] >= _BITS
        done[t] = done[t.args[0]] if cut else rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
    return done[term]
