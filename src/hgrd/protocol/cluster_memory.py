"""Shared memory of a cluster: what blocks access in each other's shared memory (`map_shared_rank`).

CUDA C++ Programming Guide, "Distributed Shared Memory".  The copies that the blocks have of a shared variable
become one memory, block after block: an access to the own copy, and one to that of another block, are accesses to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Space
from hgrd.protocol.configuration import cluster_rank, index_terms
from hgrd.protocol.model import Access, Configuration, Gap, Item, Observation, ProtocolLoop
from hgrd.symbolic.names import hidden
from hgrd.symbolic.values import MemoryObject
from hgrd.terms import Term, add, const, le, lt, mod, mul, show_exactly, symbols_of

_OUTSIDE = "shared memory of another block, by a rank that is not known there"
_BLOCK: Final = const(1 << 18)
"""More bytes than a block has (CUDA C++ Programming Guide, "Compute Capabilities": at most 227 KB of shared memory)."""


class RemoteCopy(Struct, frozen=True):
    """The copy of a shared variable in another block of the cluster, by the rank of that block."""

    own: MemoryObject
    rank: Term

    @property
    def target(self) -> MemoryObject:
        """The object that stands for it while the kernel runs."""
        return replace(self.own, key=f"{self.own.key} of block {show_exactly(self.rank)}")


class ClusterMemory(Struct, frozen=True):
    """The shared variables that blocks access in each other's memory; `copies`: by the key of what stands for one."""

    configuration: Configuration
    copies: Mapping[str, RemoteCopy]
    gaps: list[Gap] = field(default_factory=list[Gap])

    def joined(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items with all copies of such a variable as one memory."""
        if not self.copies:
            return items
        local = frozenset(name for loop in _loops(items) for name in (*loop.local, loop.binder.name))
        return self._joined(items, frozenset(), local)

    def observed(self, found: Mapping[str, Observation]) -> dict[str, Observation]:
        """What was observed, at its places in the one memory."""
        return {name: self._observation(o) for name, o in found.items()}

    def _joined(self, items: tuple[Item, ...], around: frozenset[str], local: frozenset[str]) -> tuple[Item, ...]:
        made: list[Item] = []
        for item in items:
            match item:
                case Access():
                    made.append(self._access(item, around, local))
                case ProtocolLoop():
                    inside = around | item.local | {item.binder.name}
                    made.append(replace(item, items=self._joined(item.items, inside, local)))
                case _:
                    made.append(item)
        return tuple(made)

    def _access(self, access: Access, around: frozenset[str], local: frozenset[str]) -> Access:
        place = self._place(access.target)
        if place is None:
            return access
        symbols = symbols_of(place.rank)
        if any(hidden(s.name) == s.name or (s.name in local and s.name not in around) for s in symbols):
            self.gaps.append(Gap(_OUTSIDE, access.guards, access.span, may_order=False))
        within = (le(const(0), access.offset), le(add(access.offset, const(access.size)), place.own.size or _BLOCK))
        rank = (le(const(0), place.rank), lt(place.rank, mul(*self.configuration.cluster)))
        return replace(
            access,
            space=Space.CLUSTER,
            target=_whole(place.own),
            offset=add(access.offset, self._start(place)),
            bounds=(*access.bounds, *within, *rank),
        )

    def _observation(self, seen: Observation) -> Observation:
        place = self._place(seen.target)
        if place is None:
            return seen
        return replace(seen, target=_whole(place.own), offset=add(seen.offset, self._start(place)))

    def _place(self, target: MemoryObject) -> RemoteCopy | None:
        """The copy that an object is: that of another block, or the own one of a variable that others access."""
        known = self.copies.get(target.key)
        shared = any(c.own.key == target.key for c in self.copies.values())
        return known or (RemoteCopy(target, own_rank(self.configuration)) if shared else None)

    def _start(self, place: RemoteCopy) -> Term:
        """Where the copy begins: behind those of all blocks before it."""
        block = add(mul(cluster_rank(self.configuration), *self.configuration.cluster), place.rank)
        return mul(block, _BLOCK)


def own_rank(c: Configuration) -> Term:
    """The rank of the thread's block in its cluster."""
    x, y, z = (mod(i, n) for i, n in zip(index_terms(c.block_index), c.cluster, strict=True))
    return add(x, mul(c.cluster[0], add(y, mul(c.cluster[1], z))))


def _whole(own: MemoryObject) -> MemoryObject:
    return replace(own, key=f"{own.key} of all blocks", size=None)


def _loops(items: Iterable[Item]) -> Iterator[ProtocolLoop]:
    for item in items:
        if isinstance(item, ProtocolLoop):
            yield item
            yield from _loops(item.items)
