"""Warp barriers with a mask: does it name its caller, and do all that it names call with the same one?"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.protocol.model import Scope
from hgrd.protocol.phases.parallelism import Party
from hgrd.races.barriers.participants import names
from hgrd.races.barriers.paths import Miss, Way, Ways
from hgrd.terms import Origin, const, eq, mod, ne, negate, symbols_of, var

_BITS = 1 << 32


def unknown_mask(ways: Ways) -> bool:
    """Whether the mask has values in it that the analysis cannot tell: of votes, of groups."""
    mask = ways.barrier.mask
    if mask is None:
        return False
    return any(s.origin in (Origin.DATA, Origin.COMPUTED, Origin.UNKNOWN) for s in symbols_of(mask))


def mask_ways(ways: Ways) -> Iterator[Way]:
    """The ways to call a warp barrier with a wrong mask (CUDA Programming Guide, "Warp Synchronization")."""
    barrier, team = ways.barrier, ways.team()
    if barrier.scope is not Scope.WARP or barrier.mask is None:
        return
    earliest = tuple(eq(var(b), const(0)) for b in ways.place.binders)
    core = symbols_of(barrier.mask)
    unnamed = negate(names(barrier.mask, team.lane()))
    first = (*ways.performs(team, core), *team.naming.of((unnamed,), Party.FIRST))
    yield Way(Miss.MASK, team, first, (), (), earliest, barrier.span, alone=True)
    if team.uniform(barrier.mask):
        return
    mine, theirs = (team.naming.of((mod(barrier.mask, const(_BITS)),), side)[0] for side in Party)
    performs = ways.performs(team, core)
    second = ways.performs(team, core, Party.SECOND)
    yield Way(Miss.MASK, team, performs, second, (*team.members(), ne(mine, theirs)), earliest, barrier.span)
