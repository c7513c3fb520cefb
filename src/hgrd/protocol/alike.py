"""Values that threads have in common as they make them together: in a group, or as the bits of a mask of lanes."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from hgrd.terms import TRUE, Symbol, Term


class UniformGroup(Struct, frozen=True):
    """Group of threads that get the same value: those of a block for which `terms` are equal, in the same iterations.

    `loops`: the loops whose iterations must be the same.  `source`: the threads get the value from one of them,
    and this is the term for it in that thread; None: they do not.  `giver`: the number of that thread in the block, as
    each of the others knows it; None: all know the same one.  `member`: what holds of the threads of the group.
    `guards`: under these a thread takes part.
    """

    terms: tuple[Term, ...]
    loops: tuple[Symbol, ...]
    source: Term | None = None
    giver: Term | None = None
    member: Term = TRUE
    guards: tuple[Term, ...] = ()

    @property
    def agreed(self) -> tuple[Term, ...]:
        """All terms that are equal for the threads that get one value."""
        return self.terms if self.giver is None else (*self.terms, self.giver)


class LaneScan(Struct, frozen=True):
    """Running sum over the lanes of a group, in their order, of numbers that are not negative and do not wrap around.

    `own` is what the thread's lane adds; `inclusive`: its own sum has that already.  The rest is as of LaneMask.
    """

    lane: Term
    own: Term
    inclusive: bool
    terms: tuple[Term, ...]
    loops: tuple[Symbol, ...] = ()
    member: Term = TRUE
    guards: tuple[Term, ...] = ()


class Peers(Enum):
    """What a bit of a mask that a thread got from its warp says of the lane that it stands for."""

    VOTED = "voted"  # the lane's predicate; all lanes have one mask
    EQUAL = "equal"  # the lane has the same key
    ACTIVE = "active"  # the lane is there at the same time, and has the same mask


class LaneMask(Struct, frozen=True):
    """Mask of lanes that the threads of a warp have made together.

    `lane` is the thread's own, and `own` the truth that its bit stands for.  Only threads with equal `terms`, in the
    same iterations of the `loops`, and with `member`, have anything to do with each other.  `key`: what EQUAL lanes
    have in common.  `guards`: under these a thread takes part.
    """

    peers: Peers
    lane: Term
    own: Term
    terms: tuple[Term, ...]
    loops: tuple[Symbol, ...]
    member: Term = TRUE
    key: Term | None = None
    guards: tuple[Term, ...] = ()
