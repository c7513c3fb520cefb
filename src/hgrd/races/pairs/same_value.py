"""Stored values: what two accesses leave in memory, where one of them is a write.

Twins are threads with equal indexes in two blocks of a kernel that does the same in all of them.  They reach the same
accesses in the same iterations and store equal values there, however these are computed (block_symmetry says why).
So the value of a store is a function of the index of its thread and the iterations of the loops around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.protocol.model import Protocol, ProtocolLoop, accesses
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.pair_query import Pair
from hgrd.races.encoding.read_consistency import ReadConsistency
from hgrd.races.encoding.value_equality import MADE, Values
from hgrd.terms import read, var

_STORED_BEFORE = "threads find in shared memory only what their block has stored there"


class StoredValues(Struct, frozen=True):
    """Stored values of pairs; `every_race`: all races of the kernel are searched for, which the rule of twins needs."""

    protocol: Protocol
    relation: Phases
    consistency: ReadConsistency
    every_race: bool

    def told(self, pair: Pair) -> Iterator[tuple[Values, str]]:
        """Terms for the values that the two leave, more and more, each with the assumption made for it ("": none)."""
        own, made = self._own(pair), self._made(pair)
        if own:
            yield own, ""
        if made:
            yield (*own, *made), _STORED_BEFORE if self._hands_over() else ""

    def all(self, pair: Pair) -> Values:
        """All terms for the values that the two leave."""
        return (*self._own(pair), *self._made(pair))

    def _own(self, pair: Pair) -> Values:
        one, two = self.consistency.own_value(pair.first), self.consistency.own_value(pair.second)
        if one is None or two is None or AccessKind.WRITE not in (pair.first.kind, pair.second.kind):
            return ()
        return ((one, two),)

    def _made(self, pair: Pair) -> Values:
        """The stored value as a function of the thread's indexes and its iterations: twins store equal values."""
        access = pair.first
        if (
            not self.protocol.uniform.symmetric_blocks
            or not self.every_race
            or pair.level not in (None, Level.INTER_BLOCK)
        ):
            return ()
        if access is not pair.second or access.kind is not AccessKind.WRITE:
            return ()
        around = (items[at] for items, at in self.relation.paths[access.number])
        iterations = [loop.binder for loop in around if isinstance(loop, ProtocolLoop)]
        threads = [s for s in self.protocol.configuration.thread if s is not None]
        made = read(f"{MADE} {access.number}", *map(var, (*threads, *iterations)))
        return ((made, made),)

    def _hands_over(self) -> bool:
        return any(a.space is Space.SHARED and a.kind is AccessKind.READ for a in accesses(self.protocol.items))
