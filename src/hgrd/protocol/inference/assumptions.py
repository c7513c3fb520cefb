"""Assertions and assumptions met in a kernel."""

from __future__ import annotations

from msgspec import Struct, field

from hgrd.host.model import Fact, FactKind
from hgrd.program.span import Span
from hgrd.protocol.model import AcrossThreads
from hgrd.symbolic.addresses import ALIGNED, is_assumed_aligned
from hgrd.symbolic.values import MemoryObject
from hgrd.terms import TRUE, Symbol, Term


class Assumptions(Struct):
    """Assertions of the program, and assumptions on unknown functions.

    `asserts`: whether calls of `assert` count as assertions.  `others`: by the symbol for another thread's value, the
    term that has this value there; `across` are the assertions on two threads that are made of such symbols.
    """

    asserts: bool
    facts: list[Fact] = field(default_factory=list[Fact])
    across: list[AcrossThreads] = field(default_factory=list[AcrossThreads])
    others: dict[Symbol, Term] = field(default_factory=dict[Symbol, Term])

    def assume(self, text: str, span: Span) -> None:
        """Lists what is assumed, once."""
        if all(fact.text != text for fact in self.facts):
            self.facts.append(Fact(TRUE, FactKind.ASSUMPTION, text, span))

    def assume_aligned(self, target: MemoryObject) -> None:
        """Lists that an object is aligned, where its address is used and nothing says so."""
        if is_assumed_aligned(target):
            self.assume(f"{target.name} begins at a multiple of {ALIGNED} bytes", target.span)
