"""Participants of a barrier: which symbols its threads share, and which two of them can miss each other."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Level, Scope
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.model import Barrier, Configuration, Protocol
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import Symbol, Term, add, bit_and, const, eq, mod, mul, shr, symbols_of


class Participants(Struct, frozen=True):
    """Participants of one instance of a barrier, as two threads in the same iterations of the loops around it."""

    barrier: Barrier
    threads: ThreadPair

    def uniform(self, term: Term) -> bool:
        """Whether all participants have the same value of a term, since all its symbols are common to them."""
        return not any(map(self.threads.is_private, symbols_of(term)))

    def distinct(self) -> tuple[Term, ...]:
        """The conditions for two different participants of which the first one expects the second one."""
        tile = self.barrier.tile
        one_tile = () if tile is None else (eq(*(self.threads.of((tile,), side)[0] for side in Side)),)
        match self.barrier.scope:
            case Scope.WARP:
                pair = (*self.threads.distinct(Level.INTRA_WARP), *one_tile)
                mask = self.barrier.mask
                if mask is None:
                    return pair
                theirs, lane = *self.threads.of((mask,), Side.FIRST), *self.threads.of((self.lane(),), Side.SECOND)
                return (*pair, in_mask(theirs, lane))
            case Scope.BLOCK:
                return (self.threads.threads_differ(), *one_tile)
            case _:
                return (*self.threads.distinct(None), *one_tile)

    def lane(self) -> Term:
        """The lane of a thread in its warp."""
        return lane(self.threads.configuration)


def participants_of(
    protocol: Protocol, barrier: Barrier, binders: Iterable[Symbol], private: Iterable[str] = ()
) -> Participants:
    """The participants of a barrier in the same iterations.

    `binders` have one value for both threads; `private` are names of further symbols that each has for itself.
    """
    same_block = barrier.scope in (Scope.WARP, Scope.BLOCK)
    common = set(binders)
    agreed = {**protocol.uniform.broadcast, **protocol.uniform.in_iteration}
    if not same_block:
        agreed = {name: loops for name, loops in agreed.items() if name in protocol.uniform.of_grid}
    shared = frozenset((*(b.name for b in common), *(n for n, loops in agreed.items() if common.issuperset(loops))))
    own = protocol.symbols.private | frozenset(private)
    return Participants(barrier, ThreadPair(own, protocol.configuration, same_block, shared))


def lane(c: Configuration) -> Term:
    """The lane of a thread in its warp (CUDA Programming Guide, "Thread Hierarchy")."""
    x, y, z = index_terms(c.thread)
    bx, by, _ = c.block
    return mod(add(x, mul(bx, add(y, mul(by, z)))), const(WARP_SIZE))


def in_mask(mask: Term, lane: Term) -> Term:
    """Whether a warp mask has the bit of a lane."""
    return eq(bit_and(shr(mask, lane), const(1)), const(1))
