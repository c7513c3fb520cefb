"""Read consistency: two reads of one place without a barrier between them agree, or there is an earlier race.

Take the first moment at which two accesses race.  What was read until then raced with nothing, so no
other thread has written there since the last barrier, and all threads that read the place have got the
same value.  A pair of accesses may therefore assume it of the reads that lead to them: if every pair
is excluded on these grounds, there is no first race, so none at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.protocol.inference.recorder import finds
from hgrd.protocol.model import (
    Access,
    Arrival,
    Barrier,
    CopyStep,
    Exit,
    Fence,
    Gap,
    Item,
    Protocol,
    ProtocolLoop,
    accesses,
)
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Phases
from hgrd.protocol.ring_events import RingEvent
from hgrd.races.encoding.value_equality import Values
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import TRUE, Symbol, Term, as_int, conj, const, disj, eq, ite, ne, negate, symbols_of, var

_MOST = 48
_MOST_WRITES = 16


class ReadConsistency(Struct, frozen=True):
    """Reads of memory that the kernel writes, by the name of their value's symbol, and all its writes."""

    reads: dict[str, Access]
    phases: Phases
    writes: tuple[Access, ...] = ()
    tested: Mapping[Symbol, Term] = field(default_factory=dict[Symbol, Term])  # SymbolInfo.first_tests

    def constraints(self, a: Access, b: Access, threads: ThreadPair, values: Values = ()) -> tuple[Term, ...]:
        """Conditions on the values that the first thread's `a` and the second's `b` depend on.

        `values`: further values that the query is about, which the two leave in memory.
        """
        first = self._reads_before(a, tuple(one for one, _ in values))
        second = self._reads_before(b, tuple(two for _, two in values))
        found: dict[Term, None] = {}
        for access, reads, party in ((a, first, Side.FIRST), (b, second, Side.SECOND)):
            for r, s in combinations(reads, 2):
                if _same_kind(r, s) and not self._overwritten(r, s):
                    found[_same((r, access, party), (s, access, party), threads)] = None
        for r in first:
            for s in second:
                if _same_kind(r, s) and (threads.same_block or r.space is Space.GLOBAL):
                    found[_same((r, a, Side.FIRST), (s, b, Side.SECOND), threads)] = None
        for access, reads, party in ((a, first, Side.FIRST), (b, second, Side.SECOND)):
            found |= dict.fromkeys(threads.of(tuple(own for r in reads for own in self._own(r, access)), party))
        found.pop(TRUE, None)
        return tuple(found)[:_MOST]

    def own_value(self, access: Access) -> Term | None:
        """The value that the access leaves in memory; of a read, the value that its thread has just written there.

        None if it is unknown.
        """
        if access.kind is not AccessKind.READ:
            return access.value if access.kind is AccessKind.WRITE else None
        before = self._own_write(access)
        if before is None:
            return None
        last, first = before
        if not first:
            return last.value
        if last.value is None or access.result is None:
            return None
        return ite(first_of(first), as_int(last.value), var(access.result))

    def _own(self, read: Access, access: Access) -> Iterator[Term]:
        """A read that the access depends on, if it is made, finds what its thread has just written there."""
        before = self._own_write(read)
        if before is None or before[0].value is None or read.result is None:
            return
        made = conj(first_of(before[1]), *(g for g in read.guards if g not in access.guards))
        yield disj(negate(made), finds(read.result, before[0].value))

    def own_tests(self, threads: ThreadPair, terms: Iterable[Term]) -> tuple[Term, ...]:
        """The same for the tests by which loops were entered."""
        here = {s.name for s in symbols_of(*terms)}
        return tuple(
            threads.of((found,), party)[0]
            for symbol, found in self.tested.items()
            for party in Side
            if threads.rename(symbol, party).name in here
        )

    def _own_write(self, access: Access) -> tuple[Access, tuple[Symbol, ...]] | None:
        """The write of its own thread whose value a read finds, unless another thread writes there at any time.

        With the loops around the read alone in whose first iterations it does so ((): in all iterations, as nothing in
        the loops writes there).  None if there is no such write.
        """
        earlier = [w for w in self.writes if w.target.key == access.target.key and w.number < access.number]
        last = max(earlier, key=lambda w: w.number, default=None)
        if last is None or last.kind is not AccessKind.WRITE:
            return None
        if last.offset is not access.offset or last.size != access.size:
            return None
        depth = len(self.phases.paths[last.number]) - 1
        path = self.phases.paths[access.number][depth:]
        if not set(last.guards) <= set(access.guards) or self._between(last, access) is None:
            return None
        if not self._overwritten(last, access):
            return last, ()
        return last, tuple(loop.binder for items, at in path[:-1] if isinstance(loop := items[at], ProtocolLoop))

    def bear_on(self, a: Access, b: Access) -> bool:
        """Whether read consistency says anything of what the two accesses depend on."""
        tests = self.tested.keys() & symbols_of(*a.guards, *a.endings, *b.guards, *b.endings)
        return bool(tests or self._reads_before(a) or self._reads_before(b))

    def _reads_before(self, access: Access, values: tuple[Term, ...] = ()) -> list[Access]:
        """The reads since the last barrier that the access and the values depend on, directly or through others.

        For values they must be of memory that no thread may write meanwhile: where a read is itself in a race, two
        writes of what is computed from it are not writes of one value.
        """
        found: dict[str, Access] = {}
        todo = [((access.offset, *access.guards), False), (values, True)]
        while todo:
            terms, alone = todo.pop()
            for symbol in symbols_of(*terms):
                read = self.reads.get(symbol.name)
                if read is None or symbol.name in found or not self._at_once(read, access):
                    continue
                if not alone or self._is_ordered(read):
                    found[symbol.name] = read
                    todo.append(((read.offset, *read.guards), alone))
        return sorted(found.values(), key=lambda r: r.number)

    def _is_ordered(self, read: Access) -> bool:
        """Whether all writes to the object are ordered with the read."""
        levels = (Level.INTRA_WARP, Level.INTRA_BLOCK) if read.space is Space.SHARED else tuple(Level)
        writes = [w for w in self.writes if w.target.key == read.target.key]
        return len(writes) <= _MOST_WRITES and not any(
            self.phases.may_happen_in_parallel(read, w, level) or self.phases.may_happen_in_parallel(w, read, level)
            for w in writes
            for level in levels
        )

    def _at_once(self, read: Access, access: Access) -> bool:
        """Whether nothing that may order threads stands between the read and the access in program order."""
        between = self._between(read, access)
        return between is not None and not any(map(_orders, between))

    def _overwritten(self, r: Access, s: Access) -> bool:
        """Whether the thread may itself write to the object between its two reads."""
        between = self._between(r, s)
        return between is None or any(_writes(item, r.target.key) for item in between)

    def _between(self, earlier: Access, later: Access) -> list[Item] | None:
        """The items that a thread may perform between the two in one iteration of the loops around `earlier`.

        None if `later` does not come after it in the same iteration.
        """
        one, two = self.phases.paths[earlier.number], self.phases.paths[later.number]
        depth = len(one) - 1
        if len(two) <= depth or any(p[0] is not q[0] for p, q in zip(one, two, strict=False)):
            return None
        if any(p[1] != q[1] for p, q in zip(one[:depth], two[:depth], strict=True)) or one[depth][1] >= two[depth][1]:
            return None
        items, start = one[depth]
        stop = two[depth][1]
        inside = items[stop] if len(two) > len(one) else None
        return [*items[start + 1 : stop], *([inside] if inside is not None else [])]


def first_of(loops: Iterable[Symbol]) -> Term:
    """The condition that these loops are in their first iterations."""
    return conj(*(eq(var(binder), const(0)) for binder in loops))


def read_consistency(
    protocol: Protocol, relation: Phases, levels: tuple[Level, ...], *, lockstep: bool
) -> ReadConsistency:
    """The consistent reads of a protocol; none if some races are not looked for, as the argument is about all races.

    None where rings of barriers order threads, as they make order between two barriers.
    """
    writes = tuple(a for a in accesses(protocol.items) if a.changes)
    if lockstep or set(levels) != set(Level) or protocol.lags:
        return ReadConsistency({}, relation, writes)
    found = {
        a.result.name: a
        for a in accesses(protocol.items)
        if a.kind is AccessKind.READ and a.result is not None and not a.volatile
    }
    return ReadConsistency(found, relation, writes, protocol.symbols.first_tests)


def _orders(item: Item) -> bool:
    match item:
        case Barrier() | Fence() | Gap() | RingEvent():
            return True
        case Access():
            return item.kind is AccessKind.ATOMIC or item.volatile
        case Arrival() | CopyStep() | Exit():
            return False
        case ProtocolLoop():
            return any(map(_orders, item.items))


def _writes(item: Item, key: str) -> bool:
    match item:
        case Access():
            return item.changes and item.target.key == key
        case ProtocolLoop():
            return any(_writes(i, key) for i in item.items)
        case _:
            return False


def _same_kind(r: Access, s: Access) -> bool:
    return r.target.key == s.target.key and r.size == s.size


def _same(one: tuple[Access, Access, Side], two: tuple[Access, Access, Side], threads: ThreadPair) -> Term:
    """The two reads, if both are made, and of one place, have equal values."""
    conditions: list[Term] = []
    parts: list[Term] = []
    for read, access, party in (one, two):
        assert read.result is not None
        more = conj(*(g for g in read.guards if g not in access.guards))
        place, value, made = threads.of((read.offset, var(read.result), more), party)
        conditions.append(negate(made))
        parts += [place, value]
    return disj(*conditions, ne(parts[0], parts[2]), eq(parts[1], parts[3]))
