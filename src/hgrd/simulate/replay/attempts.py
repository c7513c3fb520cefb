"""Launches of a witness: its model as arguments and memory, and trial contents where the model leaves them open.

Of the grid, only the one or two blocks of the witness's threads run, with all their threads; `gridDim` keeps its
value.  Where threads wait for others, all blocks of a small grid run: what they wait for may come from any of them.
Memory that pointers point to is as large as needed, with the contents of the model; for contents that the model leaves
open several are tried: zeros, ones, random numbers.  So is running one of the two threads before all others, and that
all other blocks have been counted before by atomic operations: one of the two is the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hgrd.findings.model import BarrierThread, ThreadWitness
from hgrd.program.types import BoolType, FloatType, Type
from hgrd.races.results.evidence import BarrierEvidence, Evidence, KernelAtLaunch
from hgrd.simulate.execute import Executable, make_globals
from hgrd.simulate.launch import ConcreteLaunch
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.replay.arguments import ArgumentBuilder
from hgrd.simulate.replay.model_values import Valuation, ValuationError, complete
from hgrd.simulate.replay.witness_memory import Fill, WitnessMemory
from hgrd.terms import Term, const

_MOST_THREADS = 1 << 16  # of a block; options can ask for more than CUDA allows
_MOST_TOGETHER = 1 << 10  # of the grid, where all its blocks run
_MOST_SHARED = 227 << 10  # bytes of shared memory of a block (CUDA Programming Guide, "Technical Specifications")
_DYNAMIC = 48 << 10  # bytes of dynamic shared memory where the host does not give it


class _Completion(Struct, frozen=True):
    """Choice of memory and floating-point arguments where the model leaves them open; `fill` None: zeros.

    `ahead`: which of the two threads runs before all others; None for neither.  `last`: the block of which of the two
    comes to its atomic operations last, after all blocks that do not run.
    """

    number: float
    fill: Fill | None
    ahead: int | None = None
    last: int | None = None


def _constant(value: float) -> Fill:
    return lambda count, type_: np.full(count, value).astype(_dtype(type_))


def _random(least: int, most: int, seed: int = 0) -> Fill:
    """Random numbers from `least` to below `most`: whole ones, with a fraction for floating-point types."""

    def fill(count: int, type_: Type) -> NDArray[np.generic]:
        numbers = np.random.default_rng(count + seed)
        if isinstance(type_, FloatType):
            return numbers.uniform(least, most, count).astype(_dtype(type_))
        return numbers.integers(least, most, count).astype(_dtype(type_))

    return fill


def _dtype(type_: Type) -> np.dtype[np.generic]:
    match type_:
        case FloatType(bits=16 | 32 | 64):
            return np.dtype(f"f{type_.bits // 8}")
        case BoolType():
            return np.dtype("u1")
        case _:
            return np.dtype(f"i{getattr(type_, 'bits', 64) // 8}")


_WAYS = (
    _Completion(0.0, None),
    _Completion(0.0, None, 1),
    _Completion(0.0, None, 0),
    _Completion(0.0, None, last=1),
    _Completion(0.0, None, last=0),
    _Completion(0.0, _random(0, 2)),
    _Completion(0.0, _random(0, 64)),
    _Completion(2.5, _constant(10.25)),
    _Completion(1.0, _constant(1)),
    _Completion(0.0, _constant(1.5)),
    _Completion(0.0, _constant(-1.5)),
    _Completion(-1.5, _random(-1000, 1000)),
    _Completion(10.25, _constant(1000)),
    _Completion(0.25, _random(-1, 2)),
    *(_Completion(0.0, _random(0, 2, seed)) for seed in range(1, 4)),
)


TwoThreads = tuple[ThreadWitness, ThreadWitness] | tuple[BarrierThread, BarrierThread]
"""The two threads of a witness."""


class Attempt(Struct, frozen=True):
    """A launch that can be run.  `threads` are the two of the witness, numbered in the blocks that run."""

    executable: Executable
    launch: ConcreteLaunch
    memory: Memory
    threads: tuple[int, int]
    ahead: int | None


def attempts(
    situation: KernelAtLaunch,
    executable: Executable,
    both: TwoThreads,
    evidence: Evidence | BarrierEvidence,
    *,
    waiting: bool,
) -> Iterator[Attempt]:
    """The launch of a witness, with one choice of open contents after the other.  Raises ValuationError.

    `waiting`: its threads wait for others.
    """
    valuation = complete(evidence, _needed(situation, evidence), situation.decide)
    for way in _WAYS:
        yield _attempt(situation, executable, both, valuation, way, waiting=waiting)


def _needed(situation: KernelAtLaunch, evidence: Evidence | BarrierEvidence) -> tuple[Term, ...]:
    c = evidence.protocol.configuration
    shared = situation.launch.shared_bytes if situation.launch is not None else None
    return (*c.grid, *c.block, *(() if shared is None else (shared,)))


def _attempt(
    situation: KernelAtLaunch,
    executable: Executable,
    both: TwoThreads,
    valuation: Valuation,
    way: _Completion,
    *,
    waiting: bool,
) -> Attempt:
    grid, block = _extents(valuation)
    everyone = waiting and prod((*grid, *block)) <= _MOST_TOGETHER
    chosen, threads = _pair(both, grid, block, everyone=everyone, last=way.last)
    memory = Memory()
    unit = executable.unit
    make_globals(unit, memory)
    memory_of_witness = WitnessMemory(memory, situation.tables.records, way.fill)
    memory_of_witness.settle(valuation, [variable for variable, _ in unit.globals.values()])
    passing = ArgumentBuilder(valuation, memory_of_witness, situation.tables.records, tuple(unit.pointed), way.number)
    protocol = valuation.evidence.protocol
    arguments = tuple(
        passing.argument(value, parameter.type)
        for value, parameter in zip(protocol.launch.arguments, situation.kernel.parameters, strict=True)
    )
    for held in protocol.memory.constants:
        passing.constant(held)
    if way.last is not None:
        memory_of_witness.count(valuation, prod(grid) - len(chosen))
    shared = situation.launch.shared_bytes if situation.launch is not None else None
    size = valuation.of(const(_DYNAMIC) if shared is None else shared)
    if not 0 <= size <= _MOST_SHARED:
        raise ValuationError(f"the witness has {size} bytes of shared memory for a block")
    return Attempt(
        executable,
        ConcreteLaunch(grid, block, arguments, size, chosen),
        memory,
        threads,
        None if way.ahead is None else threads[way.ahead],
    )


def _extents(valuation: Valuation) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    c = valuation.evidence.protocol.configuration
    gx, gy, gz, bx, by, bz = map(valuation.of, (*c.grid, *c.block))
    if bx * by * bz > _MOST_THREADS:
        raise ValuationError(f"the witness has blocks of {bx * by * bz} threads")
    return (gx, gy, gz), (bx, by, bz)


def _pair(
    both: TwoThreads, grid: tuple[int, int, int], block: tuple[int, int, int], *, everyone: bool, last: int | None
) -> tuple[tuple[int, ...], tuple[int, int]]:
    """The blocks that run (those of the two threads, or of `everyone`), and the numbers of the two in them.

    `last`: the block of which of the two stands behind the other one.
    """
    for thread in both:
        inside = zip((*thread.block, *thread.thread), (*grid, *block), strict=True)
        if not all(0 <= index < extent for index, extent in inside):
            raise ValuationError("a thread of the witness is not in its launch")
    blocks = [_linear(thread.block, grid) for thread in both]
    chosen = tuple(range(prod(grid))) if everyone else tuple(sorted(set(blocks), key=lambda b: _rank(b, blocks, last)))
    one, two = (
        chosen.index(b) * prod(block) + _linear(thread.thread, block) for b, thread in zip(blocks, both, strict=True)
    )
    return chosen, (one, two)


def _rank(block: int, blocks: list[int], last: int | None) -> tuple[bool, int]:
    return last is not None and block == blocks[last], block


def _linear(index: tuple[int, int, int], extents: tuple[int, int, int]) -> int:
    return index[0] + extents[0] * (index[1] + extents[1] * index[2])
