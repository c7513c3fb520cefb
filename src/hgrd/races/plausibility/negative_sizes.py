"""Negative sizes: conflicts that need one.  Sizes are inputs from which the host computes an allocation, the extents of
a launch or the size of its shared memory.

The product of two sizes below 0 can be allocated, and a kernel can run over rows of -16 elements: the program does not
exclude negative sizes, but they are not meant.  So a race counts if its sizes are not negative; if no such conflict is
known, it needs a precondition, or is not decided.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from hgrd.host.kinds import FactKind
from hgrd.host.model import Fact
from hgrd.protocol.model import Protocol
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.results.sites import listed
from hgrd.solve.query import Model, Query
from hgrd.terms import Origin, Symbol, Term, const, le, symbols_of, var


def sizes(protocol: Protocol, facts: Iterable[Fact]) -> frozenset[Symbol]:
    """The inputs of the host that allocations, the extents of a launch and its shared memory are computed from."""
    allocated = (f.term for f in facts if f.kind is FactKind.ALLOCATION)
    launched = (f.term for f in protocol.configuration.facts if f.kind is FactKind.RELATION)
    shared = () if protocol.launch.shared_bytes is None else (protocol.launch.shared_bytes,)
    return frozenset(s for s in symbols_of(*allocated, *launched, *shared) if s.origin is Origin.INPUT and s.low < 0)


def negative(among: frozenset[Symbol], model: Model) -> tuple[str, ...]:
    """The names of the sizes that are below 0 in a model."""
    return tuple(sorted(s.name for s, value in model.values.items() if value < 0 and s in among))


def inputs(query: Query) -> frozenset[Symbol]:
    """The inputs of a question that can be negative by their types."""
    return frozenset(s for s in query.shared if s.origin is Origin.INPUT and s.low < 0)


def natural(among: frozenset[Symbol], query: Query) -> tuple[Term, ...]:
    """That none of these inputs of a question is below 0."""
    return tuple(le(const(0), var(s)) for s in query.shared if s in among)


def with_natural(among: frozenset[Symbol], encoded: EncodedPair) -> EncodedPair:
    """The same question, of launches with none of these below 0."""
    query = encoded.query
    return replace(encoded, query=replace(query, between=(*query.between, *natural(among, query))))


def needs_negative(names: tuple[str, ...]) -> str:
    """The reason why a finding does not count: the sizes of these names are negative in all that is known of it."""
    return f"it is found only where a size is negative: {listed(names)}"
