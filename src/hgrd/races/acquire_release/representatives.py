"""Threads that synchronise for their whole block, or warp: one acts, and a barrier extends the effect to the others.

`if (t == 0) last = …; __syncthreads(); if (last) …`: what thread 0 has observed, all threads of the block know.
`data[lane] = …; __syncwarp(); if (lane == 0) flag.store(1, release)`: one lane publishes what its warp has stored.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Space
from hgrd.protocol.model import Access, Barrier, Configuration, Protocol
from hgrd.races.acquire_release.accesses import known_at
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, certain, precedes
from hgrd.terms import (
    FALSE,
    TRUE,
    Op,
    Symbol,
    Term,
    add,
    bit_and,
    conj,
    const,
    div,
    lt,
    mod,
    mul,
    substitute,
    symbols_of,
    var,
)


class Representatives(Struct, frozen=True):
    """Barriers around accesses, and the threads that act for all who meet there: of a block, or of a warp (`near`)."""

    protocol: Protocol
    order: ProgramOrder
    near: bool = False

    def conditions(self, access: Access, here: Position) -> Iterator[tuple[Term, Term]]:
        """The conditions that hold at the access, also in terms of values that one thread of the block has stored.

        Each with the condition under which that thread has stored them (not asked of the lanes of a warp).
        """
        for condition in (*access.guards, *access.endings):
            yield from self.meanings(condition, here)

    def meanings(self, condition: Term, here: Position) -> Iterator[tuple[Term, Term]]:
        """A condition, as in `conditions`."""
        yield condition, TRUE
        for symbol in () if self.near else symbols_of(condition):
            write = self._stored(symbol, here)
            if write is not None and write.value is not None:
                yield substitute((condition,), {symbol: write.value})[0], conj(*write.guards)

    def _stored(self, symbol: Symbol, here: Position) -> Access | None:
        """The only write of the shared variable that was read into `symbol`, with a barrier between the two.

        None if the symbol stands for nothing of that kind.
        """
        reads = self.order.giving(symbol)
        if len(reads) != 1 or reads[0][1].space is not Space.SHARED:
            return None
        got, read = reads[0]
        writes = self.order.changes(read.target.key)
        if len(writes) != 1:
            return None
        written, write = writes[0]
        same = write.offset is read.offset and write.size == read.size and read.offset.is_const
        in_order = certain(written, got) and self.barrier(written, got, known_at(read)) is not None
        return write if same and in_order and precedes(written, here) else None

    def barrier(self, first: Position, last: Position, known: frozenset[Term]) -> Position | None:
        """A barrier that all threads pass between the two, whether they perform the first or not.

        None if there is none.
        """
        return next((p for p in self.passed(first, last, known) if certain(p, last)), None)

    def passed(self, first: Position, last: Position, known: frozenset[Term]) -> Iterator[Position]:
        """Barriers that all threads pass before the last, and after the first in its iteration."""
        for position in self.order.positions:
            item = position.item
            if not isinstance(item, Barrier) or not self._of_all(item) or not known.issuperset(item.guards):
                continue
            if precedes(first, position) and precedes(position, last) and certain(position, first):
                yield position

    def _of_all(self, barrier: Barrier) -> bool:
        return barrier.of_warp if self.near else barrier.of_block

    def someone(
        self, when: Term, terms: tuple[Term, ...], *positions: Position, barrier: Position | None = None
    ) -> tuple[Term, tuple[Term, ...]] | None:
        """A thread that meets others at a barrier and then `when`: what remains of `when`, the terms as it sees them.

        What remains may mention what these threads have in common, and the loops around all `positions`; for those of
        a warp also the index of each, which tells the warp.  None if no such thread is known.
        """
        c = self.protocol.configuration
        threads = [s for s in c.thread if s is not None]
        around = [{i.binder.name for i in p.around} for p in positions]
        shared = around[0].intersection(*around)
        own = self.protocol.symbols.private - shared
        if not self.near:
            own |= {s.name for s in threads} - shared
        known = barrier.item.guards if self.near and barrier is not None else ()
        for index, there in lanes(when, c) if self.near else _candidates(when, threads):
            rest, *seen = substitute((conj(when, *known), *terms), index)
            if rest is not FALSE and not any(s.name in own for s in symbols_of(rest, *seen)):
                return conj(rest, there), tuple(seen)
        return None

    def told(self, when: Term, rest: Term) -> bool:
        """Whether `when` says which of them it is: it asks no more of that thread than to exist, or names the lane."""
        x = self.protocol.configuration.thread[0]
        numbers = () if x is None else (var(x), mod(var(x), const(WARP_SIZE)), bit_and(var(x), const(WARP_SIZE - 1)))
        named = (p.op is Op.EQ and p.args[1].is_const and p.args[0] in numbers for p in parts_of(when))
        return parts_of(rest) <= parts_of(when) or (self.near and any(named))


def lanes(when: Term, c: Configuration) -> Iterator[tuple[dict[Symbol, Term], Term]]:
    """Lanes of a thread's warp that may meet a condition: their indexes, in terms of its own, and that they exist.

    Those that the condition names come first; the first lane always exists.  None where a warp is not a row of threads.
    """
    x, extent = c.thread[0], c.block[0]
    rows = extent.is_const and extent.value % WARP_SIZE == 0
    if x is None or not (rows or c.block[1] is c.block[2] is const(1)):
        return
    numbers = (t.args[1].value for t in parts_of(when) if t.op is Op.EQ and t.args[1].is_const)
    first = mul(div(var(x), const(WARP_SIZE)), const(WARP_SIZE))
    for number in dict.fromkeys((*(n % WARP_SIZE for n in numbers), 0)):
        index = add(first, const(number))
        yield {x: index}, TRUE if number == 0 or rows else lt(index, extent)


def _candidates(when: Term, threads: list[Symbol]) -> Iterator[tuple[dict[Symbol, Term], Term]]:
    """Indexes of threads that may meet a condition: those of the first thread, and those that the condition names."""
    first = {s: const(0) for s in threads}
    yield first, TRUE
    named = {
        t.args[0].symbol: t.args[1]
        for t in parts_of(when)
        if t.op is Op.EQ and t.args[0].op is Op.VAR and t.args[0].symbol in threads and t.args[1].is_const
    }
    if named:
        yield {**first, **named}, TRUE


def parts_of(term: Term) -> frozenset[Term]:
    """The conditions of which a term is the conjunction."""
    return frozenset(term.args) if term.op is Op.AND else frozenset() if term is TRUE else frozenset((term,))
