"""What witnesses and findings say, in the terms of runs."""

from __future__ import annotations

import re
from math import prod

from hgrd.cuda.memory_model import Level
from hgrd.findings.model import BarrierWitness, Finding, OpenPair, Witness
from tests.fuzz.case import Case
from tests.fuzz.oracle import Contents, Pair

_MOST_THREADS = 1 << 13  # of a launch whose threads are stepped one by one
_MOST_TOGETHER = 1 << 11  # of the blocks of the two threads, in lock-step
ELEMENT = re.compile(r"(\w+)\[(-?\d+)\]$")


def contents_of(witness: Witness | BarrierWitness) -> Contents:
    """The elements of arrays that a witness needs."""
    return {(m[1], int(m[2])): v for k, v in witness.contents if (m := ELEMENT.match(k))}


def are_writes(pair: Pair) -> bool:
    return all(kind == "write" for _, kind in pair[:2])


def level_of(witness: Witness) -> Level:
    """The level at which the two threads of a witness meet."""
    one, two = witness.first, witness.second
    if one.block != two.block:
        return Level.INTER_BLOCK
    x, y, _ = witness.block_dim
    warps = {(t.thread[0] + x * (t.thread[1] + y * t.thread[2])) // 32 for t in (one, two)}
    return Level.INTRA_WARP if len(warps) == 1 else Level.INTRA_BLOCK


def is_large(witness: Witness | BarrierWitness, case: Case) -> bool:
    """Whether there are more threads than can be run."""
    threads = prod((*witness.grid_dim, *witness.block_dim))
    return prod(witness.block_dim) * 2 > _MOST_TOGETHER or (case.talks and threads > _MOST_THREADS)


def pair_of(x: Finding | OpenPair) -> Pair:
    assert x.first is not None and x.second is not None and x.space is not None
    one, two = sorted((s.span.line, s.kind.value) for s in (x.first, x.second))
    return one, two, x.space.value


def words(pair: Pair) -> str:
    (one, first), (two, second), space = pair
    return f"{first} {one}, {second} {two}; {space}"


def aim_of(witness: Witness | BarrierWitness) -> tuple[int, int]:
    """The numbers of the two threads of a witness in the launch; of one alone, twice."""
    one, two = (_number(witness, t.thread, t.block) for t in (witness.first, witness.second or witness.first))
    return one, two


def _number(witness: Witness | BarrierWitness, thread: tuple[int, int, int], block: tuple[int, int, int]) -> int:
    (x, y, z), (gx, gy, _) = witness.block_dim, witness.grid_dim
    at = block[0] + gx * (block[1] + gy * block[2])
    return at * x * y * z + thread[0] + x * (thread[1] + y * thread[2])
