"""Threads that synchronise for their whole block: one acts, and a barrier extends the effect to the others.

`if (t == 0) last = …; __syncthreads(); if (last) …`: what thread 0 has observed, all threads of the block know.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.cuda.memory_model import Space
from hgrd.protocol.model import Access, Barrier, Protocol
from hgrd.races.acquire_release.accesses import known_at
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, certain, precedes
from hgrd.terms import FALSE, TRUE, Op, Symbol, Term, conj, const, substitute, symbols_of


class BlockRepresentatives(Struct, frozen=True):
    """Barriers of the block around accesses, and the threads that act for all of a block."""

    protocol: Protocol
    order: ProgramOrder

    def conditions(self, access: Access, here: Position) -> Iterator[tuple[Term, Term]]:
        """The conditions that hold at the access, also in terms of values that one thread of the block has stored.

        Each with the condition under which that thread has stored them.
        """
        for condition in (*access.guards, *access.endings):
            yield from self.meanings(condition, here)

    def meanings(self, condition: Term, here: Position) -> Iterator[tuple[Term, Term]]:
        """A condition, as in `conditions`."""
        yield condition, TRUE
        for symbol in symbols_of(condition):
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
        """A block barrier that all threads pass between the two, whether they perform the first or not.

        None if there is none.
        """
        return next((p for p in self.passed(first, last, known) if certain(p, last)), None)

    def passed(self, first: Position, last: Position, known: frozenset[Term]) -> Iterator[Position]:
        """Block barriers that all threads pass before the last, and after the first in its iteration."""
        for position in self.order.positions:
            item = position.item
            if not isinstance(item, Barrier) or not item.of_block or not known.issuperset(item.guards):
                continue
            if precedes(first, position) and precedes(position, last) and certain(position, first):
                yield position

    def someone(
        self, when: Term, terms: tuple[Term, ...], *positions: Position
    ) -> tuple[Term, tuple[Term, ...]] | None:
        """A thread that every block has and that meets `when`: what remains of `when`, and the terms as it sees them.

        What remains may mention what a block's threads have in common, and the loops around all `positions`.
        None if no such thread is known.
        """
        threads = [s for s in self.protocol.configuration.thread if s is not None]
        around = [{i.binder.name for i in p.around} for p in positions]
        shared = around[0].intersection(*around)
        own = (self.protocol.symbols.private | {s.name for s in threads}) - shared
        for index in _candidates(when, threads):
            rest, *seen = substitute((when, *terms), index)
            if rest is not FALSE and not any(s.name in own for s in symbols_of(rest, *seen)):
                return rest, tuple(seen)
        return None


def _candidates(when: Term, threads: list[Symbol]) -> Iterator[dict[Symbol, Term]]:
    """Indexes of threads that may meet a condition: those of the first thread, and those that the condition names."""
    first = {s: const(0) for s in threads}
    yield first
    named = {
        t.args[0].symbol: t.args[1]
        for t in parts_of(when)
        if t.op is Op.EQ and t.args[0].op is Op.VAR and t.args[0].symbol in threads and t.args[1].is_const
    }
    if named:
        yield {**first, **named}


def parts_of(term: Term) -> frozenset[Term]:
    """The conditions of which a term is the conjunction."""
    return frozenset(term.args) if term.op is Op.AND else frozenset() if term is TRUE else frozenset((term,))
