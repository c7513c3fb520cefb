"""First iterations: what a variable holds there is known, whatever the loop makes of it later.

    slot = hash(key); while (true) { … table[slot] … slot = next(slot); }

Two threads that meet in the first iterations of such loops meet without values that are not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.host.model import Fact
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.reachability import with_condition
from hgrd.terms import Op, Origin, Term, conj, negate, symbols_of
from hgrd.terms.rewrite import arrays_of


def in_first_iterations(encoded: EncodedPair, facts: tuple[Fact, ...]) -> Iterator[EncodedPair]:
    """The query of a pair in those first iterations that give its unknown values; none if there are no such ones."""
    parts = ((Side.FIRST, encoded.first), (Side.SECOND, encoded.second))
    said = [t for side, access in parts for t in encoded.threads.of(access.beginnings, side)]
    told = tuple(_bearing(dict.fromkeys(said), {*encoded.unknown}))
    if not told:
        return
    limited = with_condition(encoded, conj(*told, *(negate(t) for b in told for t in _otherwise(b))), facts)
    contents = bool(arrays_of(*told)) or any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols_of(*told))
    yield replace(limited, told=told, data=encoded.data or contents)


def _bearing(said: dict[Term, None], unknown: set[str]) -> Iterator[Term]:
    """What is said of the values that are not known, and of those that it depends on."""
    found: dict[Term, None] = {}
    while more := [t for t in said if t not in found and any(s.name in unknown for s in symbols_of(t))]:
        found |= dict.fromkeys(more)
        unknown |= {s.name for t in more for s in symbols_of(t) if s.origin is Origin.UNKNOWN}
    return iter(found)


def _otherwise(beginning: Term) -> tuple[Term, ...]:
    """The conditions under which a variable holds something else: that it is not the first iteration."""
    cases = beginning.args if beginning.op is Op.OR else (beginning,)
    return tuple(t for t in cases if not any(s.origin is Origin.UNKNOWN for s in symbols_of(t)))
