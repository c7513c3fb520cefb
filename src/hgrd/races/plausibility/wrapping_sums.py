"""Wrapping sums: conflicts that need contents of memory so large that a sum of them leaves its type.

Counters and distances are not so large: `d[x] + d[y] < d[x]` and `(int)count[i] < 0` hold only for unsigned numbers
near 2**32 or 2**31.  As with negative sizes, such a race is not decided.  Hashes multiply: they wrap by design.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.threads.two_threads import plain_name
from hgrd.solve.query import Model
from hgrd.solve.steps.wrapping import in_range, takes_effect
from hgrd.terms import Op, Origin, Term
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up


def overflowing(encoded: EncodedPair, model: Model) -> tuple[str, ...]:
    """Contents with a sum that is too large for its type in a model."""
    found = {name for t, names in _sums(encoded) if takes_effect(t, model) for name in names}
    return tuple(sorted(found))


def within_types(encoded: EncodedPair) -> EncodedPair:
    """The same query, with no sum of contents leaving its type."""
    query = encoded.query
    held = (in_range(t) for t, _ in _sums(encoded))
    return replace(encoded, query=replace(query, between=(*query.between, *held)))


def _sums(encoded: EncodedPair) -> Iterator[tuple[Term, frozenset[str]]]:
    """Sums and differences of contents (or one value alone, converted), wrapped to their type, and names of arrays."""
    query = encoded.query
    roots = (party for p in (query.first, query.second) for party in (p.address, *p.guards))
    for t in bottom_up((*roots, *query.between)):
        if t.op is Op.WRAP and t.wrap_to[2]:
            atoms = linear(t.args[0])[1]
            names = frozenset(name for a in atoms if (name := _contents(a)) is not None)
            if names and all(abs(n) == 1 for n in atoms.values()):
                yield t, names


def _contents(atom: Term) -> str | None:
    """The array that an atom is an element of; None if it is not an element of one."""
    if atom.op is Op.READ and len(atom.args) == 1 and not atom.array.endswith("()"):
        return atom.array
    if atom.op is Op.VAR and atom.symbol.origin is Origin.DATA:
        return plain_name(atom.symbol)
    return None
