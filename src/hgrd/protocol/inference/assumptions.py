"""Assertions and assumptions met in a kernel."""

from __future__ import annotations

from msgspec import Struct, field

from hgrd.host.model import Fact
from hgrd.protocol.model import AcrossThreads
from hgrd.terms import Symbol, Term


class Assumptions(Struct):
    """Assertions of the program, and assumptions on unknown functions.

    `asserts`: whether calls of `assert` count as assertions.  `others`: by the symbol for another thread's value, the
    term that has this value there; `across` are the assertions on two threads that are made of such symbols.
    """

    asserts: bool
    facts: list[Fact] = field(default_factory=list[Fact])
    across: list[AcrossThreads] = field(default_factory=list[AcrossThreads])
    others: dict[Symbol, Term] = field(default_factory=dict[Symbol, Term])
