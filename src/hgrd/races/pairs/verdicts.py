"""Verdicts on the pairs of one protocol, and the builder that collects them."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level, Space
from hgrd.findings.model import FactUse, Finding, OpenPair, Outcome, Proof
from hgrd.host.model import Fact, FactKind
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.encoding.alignment import said_of_alignment
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.results.evidence import Evidence
from hgrd.races.results.sites import SiteKey, key_of, outermost, said, site_of, use_of
from hgrd.solve.query import Proved
from hgrd.terms import TRUE


class PairVerdicts(Struct, frozen=True):
    """Findings, open pairs and proofs of one protocol; `evidence` has one entry a finding.

    `notes` say what was not looked for; () if everything was.
    """

    outcome: Outcome
    findings: tuple[Finding, ...]
    open_pairs: tuple[OpenPair, ...]
    assumptions: tuple[FactUse, ...]
    accesses: int
    pairs: int
    discharged: int
    proofs: tuple[Proof, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()


class VerdictBuilder(Struct):
    """Collector of the verdicts of a protocol, pair by pair; pairs with the same two sites become one entry.

    `facts` are all that queries may use.  `open_sites` are the keys of `open_pairs` without reasons.  `pairs` counts
    the pairs examined, `discharged` those proved never to meet.
    """

    protocol: Protocol
    facts: tuple[Fact, ...]
    findings: dict[SiteKey, Finding] = field(default_factory=dict[SiteKey, Finding])
    evidence: dict[SiteKey, Evidence] = field(default_factory=dict[SiteKey, Evidence])
    open_pairs: dict[SiteKey, OpenPair] = field(default_factory=dict[SiteKey, OpenPair])
    open_sites: set[SiteKey] = field(default_factory=set[SiteKey])
    used: dict[FactUse, None] = field(default_factory=dict[FactUse, None])
    proofs: dict[SiteKey, Proof] = field(default_factory=dict[SiteKey, Proof])
    notes: list[str] = field(default_factory=list[str])
    pairs: int = 0
    discharged: int = 0

    def assume(self, text: str, span: Span) -> None:
        """Note an assumption that verdicts rest on."""
        self.used[FactUse(text, FactKind.ASSUMPTION.value, span)] = None

    def assume_no_aliases(self) -> None:
        """Assume that pointers of unknown origin do not alias other memory, where that matters."""
        used = {a.target.key: a.target for a in accesses(self.protocol.items) if a.space is Space.GLOBAL}
        changed = used.keys() & self.protocol.memory.written
        outside = {key for key, target in used.items() if target.external}
        apart = used if outside & changed else outside | changed
        if outside and changed and len(apart) > 1:
            names = ", ".join(t.name for key, t in used.items() if key in apart)
            self.assume(f"the memory behind {names} does not overlap", self.protocol.span)

    def add_proof(self, encoded: EncodedPair, answer: Proved) -> None:
        """Note a proof, with the facts that it uses and the arithmetic that it assumes not to wrap around."""
        facts = (*(encoded.facts[index] for index in sorted(answer.used)), *encoded.contents)
        uses = dict.fromkeys(map(use_of, facts))
        self.used |= uses
        key = key_of(encoded.first, encoded.second)
        known = self.proofs.get(key) or Proof(site_of(encoded.first), site_of(encoded.second), ())
        self.proofs[key] = replace(known, facts=tuple(dict.fromkeys((*known.facts, *uses))))
        if encoded.aligned:
            self.assume(said_of_alignment(encoded.first, encoded.second), encoded.first.span)
        for term in outermost(answer.no_wrap):
            bits, signed, _ = term.wrap_to
            text = f"{said(term)} does not leave {bits} bits {'signed' if signed else 'unsigned'}"
            self.assume(text, self.protocol.span)

    def leave_open(self, a: Access, b: Access, levels: tuple[Level, ...], reason: str) -> None:
        """Note that a pair is not decided at some levels, and why."""
        self.open_sites.add(key_of(a, b))
        key = (*key_of(a, b), reason)
        known = self.open_pairs.get(key)
        ordered = in_order((*levels, *(known.levels if known is not None else ())))
        self.open_pairs[key] = OpenPair(site_of(a), site_of(b), a.space, ordered, reason, a.span)

    def leave_rest_open(self, reason: str) -> None:
        """Note that all further pairs are not decided, and why."""
        rest = OpenPair(
            None, None, None, (), f"{reason}: further pairs of accesses are not decided", self.protocol.span
        )
        self.open_pairs[(reason,)] = rest

    def withdraw(self, key: SiteKey, reason: str) -> None:
        """Turn a finding into an open pair."""
        levels = self.findings.pop(key).levels
        encoded = self.evidence.pop(key).encoded
        self.leave_open(encoded.first, encoded.second, levels, reason)

    def settled(self, key: SiteKey) -> bool:
        """Whether there is neither a finding nor an open pair between two sites."""
        return key not in self.open_sites and key not in self.findings

    def finish(self, *, strict: bool) -> PairVerdicts:
        """The verdicts; `strict`: two writes of the same value are a race."""
        gaps = tuple(
            OpenPair(None, None, None, (), g.reason, g.span)
            for g in sorted(self.protocol.gaps, key=lambda g: (g.span, g.reason))
        )
        undecided = (*self.open_pairs.values(), *gaps)
        racy = any(strict or not f.same_value for f in self.findings.values())
        outcome = Outcome.RACE if racy else Outcome.UNKNOWN if undecided else Outcome.SAFE
        return PairVerdicts(
            outcome,
            tuple(self.findings.values()),
            undecided,
            (*self.used, *self._given(), *map(use_of, self.protocol.assumed)),
            len(accesses(self.protocol.items)),
            self.pairs,
            self.discharged,
            tuple(p for key, p in self.proofs.items() if self.settled(key)),
            tuple(self.evidence[key] for key in self.findings),
            tuple(self.notes),
        )

    def _given(self) -> list[FactUse]:
        """Facts whose truth stands in the launch itself: constants, and arguments computed from others."""
        return [use_of(f) for f in self.facts if f.term is TRUE]


def in_order(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """The levels, each once, in the order of the enumeration."""
    return tuple(level for level in Level if level in levels)
