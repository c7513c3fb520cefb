"""Ignored axes: extents along y and z that nothing is known of, where the kernel does not look at the axis.

Threads that differ only there do the same, so a kernel that ignores an axis is not meant for more than one there.
"""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.host.model import Fact
from hgrd.protocol.model import Protocol, accesses
from hgrd.races.barriers.paths import control_points
from hgrd.terms import Op, Symbol, Term, symbols_of
from hgrd.terms.rewrite import unwrapped


def ignored_extents(protocol: Protocol) -> tuple[Term, ...]:
    """The extents along y and z that are no constants and that the kernel does not look at, nor at the index there."""
    c = protocol.configuration
    looked = symbols_of(*(t for a in accesses(protocol.items) for t in (a.offset, *a.guards)))
    looked |= symbols_of(*(g for p in control_points(protocol) for g in p.item.guards))
    axes = (*zip(c.grid[1:], c.block_index[1:], strict=True), *zip(c.block[1:], c.thread[1:], strict=True))
    return tuple(e for e, i in axes if not e.is_const and i not in looked and looked.isdisjoint(symbols_of(e)))


def unknown_extents(protocol: Protocol, facts: Iterable[Fact]) -> tuple[Term, ...]:
    """Those of the ignored extents that the launch takes from an input that it uses for nothing else."""
    used = symbols_of(*(f.term for f in facts), *(t for _, t in protocol.launch.numbers))
    relations = tuple(f.term for f in protocol.configuration.facts if f.term.op is Op.EQ)
    return tuple(e for e in ignored_extents(protocol) if any(_is_free(e, r, used) for r in relations))


def _is_free(extent: Term, relation: Term, used: frozenset[Symbol]) -> bool:
    given = [unwrapped(t) for t in relation.args if t is not extent]
    return extent in relation.args and len(given) == 1 and given[0].op is Op.VAR and given[0].symbol not in used
