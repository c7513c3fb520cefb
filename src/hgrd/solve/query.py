"""Queries to the solver, and its answers; independent of CUDA."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from hgrd.terms import EvaluationError, Symbol, Term


class Axis(Struct, frozen=True):
    """A private symbol that takes every value 0 <= symbol < extent (thread and block indexes).

    The extent is a term over shared symbols.  Launch enumeration walks axes exhaustively.
    """

    symbol: Symbol
    extent: Term


class Party(Struct, frozen=True):
    """One of the two accesses: its private symbols, the conditions under which it happens, and its bytes.

    The access covers [address, address + size).  `axes` symbols are also in `private`.
    """

    private: tuple[Symbol, ...]
    axes: tuple[Axis, ...]
    guards: tuple[Term, ...]
    address: Term
    size: int


class Table(Struct, frozen=True):
    """Elements of an array that are known: that at index k is `values[k]` (None: it is not known), within a range."""

    array: str
    values: tuple[int | None, ...]
    range: tuple[int, int]


class Scrutiny(Enum):
    """How far a query checks the wraps that its proof assumes not to take effect."""

    NONE = "none"  # not at all: the caller needs valuations only
    REALISTIC = "realistic"  # whether they take effect at realistic sizes; beyond these the assumption stays
    FULL = "full"  # whether they take effect at all; only what cannot be excluded is assumed


class Query(Struct, frozen=True):
    """A query: is there a valuation that meets all facts, guards and `between`, where the byte ranges overlap?

    `shared` symbols have one value for both parties.  `facts` use shared symbols only, `between` any
    (distinctness of the parties, their order).  `axes` are shared axes (a common block).
    READ terms are uninterpreted functions common to both parties, but for what `tables` say of them.  `scrutiny` says
    how far the assumptions of a proof that there is none are checked.
    """

    shared: tuple[Symbol, ...]
    axes: tuple[Axis, ...]
    facts: tuple[Term, ...]
    first: Party
    second: Party
    between: tuple[Term, ...]
    scrutiny: Scrutiny = Scrutiny.FULL
    tables: tuple[Table, ...] = ()


class Model(Struct, frozen=True):
    """Exact values of symbols, and of arrays at the indexes that were read (all other elements are free)."""

    values: Mapping[Symbol, int]
    reads: Mapping[tuple[str, tuple[int, ...]], int]

    def contents(self, array: str, index: tuple[int, ...]) -> int:
        """What an array holds at an index; EvaluationError if that is free."""
        if (array, index) not in self.reads:
            raise EvaluationError(array)
        return self.reads[(array, index)]


class Proved(Struct, frozen=True):
    """No valuation.  `used` are indexes into `Query.facts` that the proof rests on (a superset is allowed).

    `no_wrap` are soft WRAP terms assumed not to wrap, where the wrapping query could not discharge them;
    `wraps_at` is a model in which one of them wraps into a conflict, needing huge free symbols.
    """

    used: frozenset[int]
    method: str
    no_wrap: tuple[Term, ...] = ()
    wraps_at: Model | None = None


class Conflict(Struct, frozen=True):
    """A valuation, evaluated again with exact C semantics."""

    model: Model
    method: str


class Undecided(Struct, frozen=True):
    reason: str
    launches_tried: int = 0


Answer: TypeAlias = Proved | Conflict | Undecided
