"""Lost extents: launch extents that depend on values of the host which are not known, or which it has computed.

They are no free choice of a witness.  A conflict that a few threads of a few blocks have is one of any such launch; one
that needs more threads depends on those values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.unneeded_values import values_settled
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.terms import Op, Origin, Term, conj, const, le, symbols_of

_THREADS: Final = 32  # of a block along each axis
_BLOCKS: Final = 2
_NO_CHOICE: Final = (Origin.UNKNOWN, Origin.COMPUTED)


def lost_extents(encoded: EncodedPair, decide: Callable[[Query], Answer]) -> tuple[str, ...]:
    """Names of the unknown values that launch extents are made of, if the conflict needs many threads or blocks."""
    c = encoded.threads.configuration
    relations = [f.term for f in encoded.facts if f.term.op is Op.EQ]
    settled = {s.name for s in values_settled(encoded.query)}
    lost = {extent: names for extent in (*c.block, *c.grid) if (names := _unknown_in(extent, relations) - settled)}
    if not lost:
        return ()
    few = (le(e, const(_THREADS if e in c.block else _BLOCKS)) for e in lost)
    query = encoded.query
    answer = decide(replace(query, between=(*query.between, conj(*few))))
    return () if isinstance(answer, Conflict) else tuple(sorted(set[str]().union(*lost.values())))


def _unknown_in(extent: Term, relations: list[Term]) -> set[str]:
    """Names of the unknown values in what an extent is equal to."""
    others = (t for r in relations if extent in r.args for t in r.args if t is not extent)
    return {s.name for t in (extent, *others) for s in symbols_of(t) if s.origin in _NO_CHOICE}
