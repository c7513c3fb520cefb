"""Candidate pairs: the accesses that can race at all, and the levels at which they can."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.findings.options import AnalysisOptions
from hgrd.protocol.model import Access, Configuration, Protocol, accesses
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.pair_query import Pair


def candidates(protocol: Protocol) -> Iterator[tuple[Access, Access]]:
    """Unordered pairs of accesses of one object that are not both reads, nor both sufficient atomics."""
    by_object: dict[str, list[Access]] = {}
    for access in accesses(protocol.items):
        by_object.setdefault(access.target.key, []).append(access)
    for group in by_object.values():
        if not any(a.changes for a in group):
            continue
        for i, a in enumerate(group):
            for b in group[i:]:
                if a.changes or b.changes:
                    yield a, b


def levels_of(a: Access, b: Access, configuration: Configuration, options: AnalysisOptions) -> tuple[Level, ...]:
    """The levels at which the two can meet, by space, launch size and scope of atomics."""
    found: list[Level] = []
    threads = 1
    for extent in configuration.block:
        threads *= extent.high
    for level in options.levels:
        match level:
            case Level.INTER_BLOCK:
                if a.space is Space.SHARED or all(g.high <= 1 for g in configuration.grid):
                    continue
            case Level.INTRA_BLOCK:
                if threads <= WARP_SIZE:
                    continue
            case Level.INTRA_WARP:
                if threads <= 1 or (options.warp_lockstep and a.span != b.span):
                    continue
        if not _both_atomic(a, b, level):
            found.append(level)
    return tuple(found)


def _both_atomic(a: Access, b: Access, level: Level) -> bool:
    """Two atomics of one size whose scopes both include the two threads do not race.

    Those of different sizes are not morally strong: they overlap in part (PTX ISA, "Morally Strong Operations").
    """
    if a.kind is not AccessKind.ATOMIC or b.kind is not AccessKind.ATOMIC or a.size != b.size:
        return False
    return all(x.scope is None or x.scope.covers(level) for x in (a, b))


def pairs_to_ask(a: Access, b: Access, levels: tuple[Level, ...], phases: Phases) -> tuple[Pair, ...]:
    """One pair for every level, or a single one for all of them where barriers play no role."""
    if len(levels) == len(Level) and phases.ordered_alike(a, b):
        return (Pair(a, b, None, phases.may_happen_in_parallel(a, b, Level.INTER_BLOCK)),)
    return level_pairs(a, b, levels, phases)


def level_pairs(a: Access, b: Access, levels: tuple[Level, ...], phases: Phases) -> tuple[Pair, ...]:
    found = [Pair(a, b, level, phases.may_happen_in_parallel(a, b, level)) for level in levels]
    return tuple(p for p in found if p.orders)
