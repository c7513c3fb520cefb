"""Masks of warp barriers: a mask must name its caller, and all lanes that it names must pass the same one."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.cuda.memory_model import Scope
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.barriers.participants import in_mask
from hgrd.races.barriers.paths import DivergencePath, DivergencePaths, MissKind
from hgrd.terms import Origin, const, eq, mod, ne, negate, symbols_of, var

_BITS = 1 << 32


def unknown_mask(paths: DivergencePaths) -> bool:
    """Whether the mask depends on unknown values, such as those of votes and groups."""
    mask = paths.barrier.mask
    if mask is None:
        return False
    return any(s.origin in (Origin.DATA, Origin.COMPUTED, Origin.UNKNOWN) for s in symbols_of(mask))


def mask_paths(paths: DivergencePaths) -> Iterator[DivergencePath]:
    """The calls of a warp barrier with a wrong mask (CUDA Programming Guide, "Warp Synchronization")."""
    barrier, participants = paths.barrier, paths.participants()
    if barrier.scope is not Scope.WARP or barrier.mask is None:
        return
    earliest = tuple(eq(var(b), const(0)) for b in paths.point.binders)
    core = symbols_of(barrier.mask)
    unnamed = negate(in_mask(barrier.mask, participants.lane()))
    first = (*paths.performs(participants, core), *participants.threads.of((unnamed,), Side.FIRST))
    yield DivergencePath(MissKind.MASK, participants, first, (), (), earliest, barrier.span, alone=True)
    if participants.uniform(barrier.mask):
        return
    mine, theirs = (participants.threads.of((mod(barrier.mask, const(_BITS)),), side)[0] for side in Side)
    performs = paths.performs(participants, core)
    second = paths.performs(participants, core, Side.SECOND)
    yield DivergencePath(
        MissKind.MASK,
        participants,
        performs,
        second,
        (*participants.distinct(), ne(mine, theirs)),
        earliest,
        barrier.span,
    )
