"""The queue of pairs to decide: accesses of one object that may race, and the levels at which they may."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.cuda.memory_model import Level
from hgrd.findings.options import AnalysisOptions
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.pair_query import Pair
from hgrd.races.pairs.candidates import candidates, level_pairs, levels_of, pairs_to_ask
from hgrd.races.results.sites import SiteKey, key_of


class PairQueue(Struct, frozen=True):
    """The pairs of a protocol in the order in which they are decided."""

    protocol: Protocol
    options: AnalysisOptions
    phases: Phases

    def __iter__(self) -> Iterator[tuple[Access, Access, tuple[Level, ...]]]:
        """Each candidate with the levels at which it can meet, of which there is at least one."""
        for a, b in candidates(self.protocol):
            levels = levels_of(a, b, self.protocol.configuration, self.options)
            if levels:
                yield a, b, levels

    def pairs(self, a: Access, b: Access, levels: tuple[Level, ...]) -> tuple[Pair, ...]:
        """The first questions about two accesses: one for all levels, if that is possible."""
        return pairs_to_ask(a, b, levels, self.phases)

    def by_level(self, pair: Pair, levels: tuple[Level, ...]) -> tuple[Pair, ...]:
        """The same accesses at each level by itself."""
        return level_pairs(pair.first, pair.second, levels, self.phases)

    def between(self, key: SiteKey) -> Iterator[Pair]:
        """All pairs of the two sites of a finding."""
        for a, b, levels in self:
            if key_of(a, b) == key:
                yield from self.pairs(a, b, levels)
