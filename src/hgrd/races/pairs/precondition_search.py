"""Preconditions of the races of a kernel: conditions on parameters that exclude races and may hold in every use."""

from __future__ import annotations

import re
from collections.abc import Set
from time import perf_counter
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.findings.model import Confidence
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.pairs.queries import PairQueries
from hgrd.races.pairs.queue import PairQueue
from hgrd.races.pairs.same_value import StoredValues
from hgrd.races.pairs.verdicts import VerdictBuilder
from hgrd.races.plausibility.expected_launch import Expected
from hgrd.races.preconditions.across_findings import preconditions_of
from hgrd.races.preconditions.checked_inputs import inputs_are_checked
from hgrd.races.preconditions.exclusion import RacyPair
from hgrd.races.preconditions.search import may_exclude, not_negative, scatters
from hgrd.races.preconditions.segments import ON_CONTENTS
from hgrd.races.results.sites import SiteKey
from hgrd.solve.query import Model
from hgrd.solve.steps.told_elements import needs_no_input
from hgrd.symbolic.limits import OUT_OF_TIME
from hgrd.terms import Symbol

_NAMES: Final = re.compile(r"[A-Za-z_]\w*")


class PreconditionSearch(Struct):
    """Looks for the preconditions of what was found, until `deadline`, a value of perf_counter().

    `contracts`: callers respect what a kernel plainly needs.  `elsewhere`: preconditions of races at other launches.
    `launch`: what the kernel expects of extents that are not known.  `conflicts` are all that were found between two
    sites and leave different values.  `doubtful`: findings that need something that may never hold (negative sizes,
    particular contents), with that condition in words.
    """

    queue: PairQueue
    queries: PairQueries
    stored: StoredValues
    verdicts: VerdictBuilder
    sizes: frozenset[Symbol]
    launch: tuple[Expected, ...]
    deadline: float
    contracts: bool
    elsewhere: Set[str]
    conflicts: dict[SiteKey, list[tuple[EncodedPair, Model]]] = field(
        default_factory=dict[SiteKey, "list[tuple[EncodedPair, Model]]"]
    )
    doubtful: dict[SiteKey, str] = field(default_factory=dict[SiteKey, str])

    def run(self) -> None:
        """Make races conditional if a precondition on parameters excludes them; doubtful ones without one stay open."""
        findings, decide = self.verdicts.findings, self.queries.decide
        doubtful = {key: why for key, why in self.doubtful.items() if key in findings}
        racy = [key for key in self.conflicts if key in findings and not findings[key].same_value]
        racy = [key for key in racy if not self._is_fixed(key)]
        racy.sort(key=lambda key: key in self.doubtful)
        found = preconditions_of(racy, self._racy_pair, decide, self.deadline, self.elsewhere)
        for key, condition in found.items():
            if key not in self.doubtful or not self._is_of_program(condition):
                self._add(key, condition)
        for key in doubtful:
            if not findings[key].condition and perf_counter() < self.deadline:
                self._add(key, not_negative(self._racy_pair(key), self.sizes, decide))
        if racy and perf_counter() > self.deadline:
            self.verdicts.notes.append(f"{OUT_OF_TIME}: races may have preconditions that were not looked for")
            known = {*self.elsewhere, *found.values()}
            for key in (k for k in racy if self.contracts and not findings[k].condition and k not in doubtful):
                if text := may_exclude(self._racy_pair(key), known):
                    doubtful[key] = f"{OUT_OF_TIME}: '{text}' may exclude it"
        for key, why in doubtful.items():
            if not findings[key].condition:
                self.verdicts.withdraw(key, why)

    def _is_fixed(self, key: SiteKey) -> bool:
        """Whether two sites race with the numbers and contents that the program has fixed: no condition is left."""
        return any(needs_no_input(encoded.query) for encoded, _ in self.conflicts[key])

    def _is_of_program(self, condition: str) -> bool:
        """Whether a condition is on contents that a kernel has stored, or the host selected, which no caller gives."""
        made = {m.target.name for m in self.verdicts.protocol.memory.made if m.kernel or m.selected}
        return any(not made.isdisjoint(_NAMES.findall(said)) for said in ON_CONTENTS.findall(condition))

    def _add(self, key: SiteKey, condition: str) -> None:
        finding = self.verdicts.findings[key]
        confidence = Confidence.CONDITIONAL if self.contracts and condition else finding.confidence
        self.verdicts.findings[key] = replace(finding, confidence=confidence, condition=condition)

    def _racy_pair(self, key: SiteKey) -> RacyPair:
        """All conflicts of the two sites of a finding (two writes of the same value are only a note)."""
        conflicts, protocol = self.conflicts[key], self.verdicts.protocol
        first = conflicts[0][0]
        tickets = self.queries.encoder.synchronization.tickets
        scattered = scatters(first.first, first.second, protocol) or all(
            map(tickets.choose, (first.first, first.second))
        )
        target = first.first.target.key
        starts = tuple((name, p.offset) for name, p in protocol.launch.pointers if p.target.key == target)
        strict = self.queue.options.strict
        queries = tuple(
            self.queries.in_full(pair, values=() if strict else self.stored.all(pair))
            for pair in self.queue.between(key)
        )
        checked = any(inputs_are_checked(encoded) for encoded, _ in conflicts)
        return RacyPair(queries, tuple(conflicts), scattered, protocol.launch.numbers, starts, self.launch, checked)
