"""Interference with what two threads synchronise by: a third thread gives their lock back without having it.

Or a thread of another block takes it in between, or changes the flag that one has set before the other one finds it:
observation order passes on through atomics of others only where each two in a row are morally strong, that is each has
the other in its scope (PTX ISA, "Observation Order", "Morally Strong Operations").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from hgrd.protocol.model import Access
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import Symbol, Term, conj, disj, eq, lt, ne, substitute, symbols_of, var

THIRD: Final = "@3"
"""What the suffix of the names of a third thread's own symbols begins with; each third thread has its own."""


class Interference(Struct, frozen=True):
    """Interference by `write`, with two threads that hold a lock at `place`, or pass on by a flag there.

    `guards` are the conditions of the write that matter; `place` is in the terms of the two threads.
    """

    write: Access
    guards: tuple[Term, ...]
    place: Term
    threads: ThreadPair

    @property
    def _own_name(self) -> str:
        return f"{THIRD}.{self.write.number}"

    def by_a_third(self) -> Term:
        """A thread of the launch other than the two makes the write to this word."""
        own = {s: s.renamed(self._own_name) for s, _ in self._axes()}
        within = (lt(var(own[s]), extent) for s, extent in self._axes())
        others = (disj(*(ne(var(own[s]), var(self._copy(s, p))) for s in own)) for p in Side)
        return conj(*within, *others, *self._made(own))

    def by_another_block(self) -> Term:
        """A thread of a block other than those of the two makes it, to this word."""
        own = {s: s.renamed(self._own_name) for s, _ in self._axes()}
        blocks = [s for s in self.threads.configuration.block_index if s in own]
        within = (lt(var(own[s]), extent) for s, extent in self._axes())
        others = (disj(*(ne(var(own[s]), var(self._copy(s, p))) for s in blocks)) for p in Side)
        return conj(*within, *others, *self._made(own))

    def by_one_of_both(self) -> Iterator[Term]:
        """One of the two makes it, to this word, in some iteration of the loops around it."""
        for party in Side:
            yield conj(*self._made({s: self._copy(s, party) for s, _ in self._axes()}))

    def _made(self, indexes: Mapping[Symbol, Symbol]) -> tuple[Term, ...]:
        """The write is made to this word by the thread of these indexes."""
        terms = (*self.guards, self.write.offset)
        known: dict[Symbol, Term] = {s: var(new) for s, new in indexes.items()}
        private = (s for s in symbols_of(*terms) if s.name in self.threads.private and s not in known)
        known |= {s: var(s.renamed(self._own_name)) for s in private}
        *guards, place = substitute(terms, known)
        return (*guards, eq(place, self.place))

    def _copy(self, symbol: Symbol, party: Side) -> Symbol:
        return self.threads.rename(symbol, party)

    def _axes(self) -> Iterator[tuple[Symbol, Term]]:
        """The indexes in which the threads that can make the write differ, with their extents."""
        c = self.threads.configuration
        pairs = [*zip(c.thread, c.block, strict=True)]
        if self.write.target.space is not MemorySpace.SHARED:
            pairs += zip(c.block_index, c.grid, strict=True)
        return ((s, extent) for s, extent in pairs if s is not None)
