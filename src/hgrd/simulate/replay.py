"""Witness replay: the model of a race query becomes a launch, is run, and its two threads are watched.

A finding is *confirmed* if, in the run, exactly the two threads of the witness perform the two source accesses
on common bytes, at the level of the query, and nothing orders them (`access_model`).  Of the grid, only the one
or two blocks of these threads run, with all their threads; `gridDim` keeps its value.  Memory behind pointers is
as large as needed, and holds what the model says; what that leaves open is tried out: zeros, ones, random numbers,
and one of the two threads going ahead of all others.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from hgrd.program.memory import AccessKind
from hgrd.program.types import BoolType, FloatType, Type
from hgrd.races.evidence import Evidence, Situation
from hgrd.races.findings import CONFIRMED, Confidence, Finding, Site, Witness
from hgrd.races.witness import witness_of
from hgrd.simulate import trace
from hgrd.simulate.access_model import AccessModel
from hgrd.simulate.belongings import Belongings, Fill
from hgrd.simulate.execute import Executable, execute, make_globals, prepare
from hgrd.simulate.frames import UnsupportedError
from hgrd.simulate.memory import Memory
from hgrd.simulate.ordering import Shape
from hgrd.simulate.outcome import (
    ConcreteLaunch,
    Divergence,
    Finished,
    NotSupported,
    Outcome,
    OutOfBounds,
    OutOfFuel,
    Trapped,
)
from hgrd.simulate.passing import Passing
from hgrd.simulate.smaller import smaller
from hgrd.simulate.trace import Arrive, Fenced, Touch
from hgrd.simulate.valuation import Valuation, ValuationError, complete
from hgrd.terms import Term, const

_log = logging.getLogger(__name__)
_MOST_THREADS = 1 << 16  # of a block; options can ask for more than CUDA allows
_DYNAMIC = 48 << 10  # bytes of dynamic shared memory where the host does not say
_FUEL = 1 << 26
_TOO_LONG = "the run takes too long"


class _LateError(Exception):
    """The time for a replay is over."""


@dataclass(slots=True)
class Replayer:
    """Replays findings, each within `seconds` and all within `altogether`; kernels are made ready once."""

    seconds: float = 2.0
    altogether: float = 5.0
    _spent: float = 0.0
    _ready: dict[str, Executable] = field(default_factory=dict[str, Executable])

    def __call__(self, situation: Situation, finding: Finding, evidence: Evidence) -> Finding:
        """The finding with `replay`, and confirmed where it was definite.

        Where the run of the witness takes too long, that of a smaller one may not: the finding then shows that.
        """
        if self._spent > self.altogether:
            return replace(finding, replay="not replayed: the time for the replays of this program is over")
        begin = perf_counter()
        replayed = self._replayed(situation, finding, evidence, begin)
        self._spent += perf_counter() - begin
        return replayed

    def _replayed(self, situation: Situation, finding: Finding, evidence: Evidence, begin: float) -> Finding:
        said = self._said(situation, finding, evidence, begin + self.seconds / 2)
        if said == _TOO_LONG:
            lesser = smaller(evidence, situation.decide)
            if lesser is not None:
                posed = lesser.posed
                retold = replace(finding, witness=witness_of(posed, posed.first, posed.second, lesser.model))
                if self._said(situation, retold, lesser, begin + self.seconds) == CONFIRMED:
                    finding, said = retold, CONFIRMED
        if said != CONFIRMED:
            return replace(finding, replay=f"not replayed: {said}")
        definite = finding.confidence is Confidence.DEFINITE
        return replace(finding, replay=said, confidence=Confidence.CONFIRMED if definite else finding.confidence)

    def _said(self, situation: Situation, finding: Finding, evidence: Evidence, deadline: float) -> str:
        """CONFIRMED, or why not."""
        try:
            return _first_success(self._launches(situation, finding, evidence), finding, evidence, deadline)
        except ValuationError as error:
            return str(error)
        except UnsupportedError as error:
            return f"line {error.span.line}: {error.reason}"
        except Exception as error:  # the finding stands without its replay
            _log.exception("replay of %s", finding.first.span)
            return f"internal error: {type(error).__name__}: {error}"

    def _launches(self, situation: Situation, finding: Finding, evidence: Evidence) -> Iterator[_Attempt]:
        """The launch of the witness, in one way after the other."""
        key = situation.kernel.ref.key
        if key not in self._ready:
            self._ready[key] = prepare(situation.tables, situation.kernel)
        valuation = complete(evidence, _needed(situation, evidence), situation.decide)
        for way in _WAYS:
            yield _attempt(situation, self._ready[key], finding, valuation, way)


def _needed(situation: Situation, evidence: Evidence) -> tuple[Term, ...]:
    c = evidence.protocol.configuration
    shared = situation.launch.shared_bytes if situation.launch is not None else None
    return (*c.grid, *c.block, *(() if shared is None else (shared,)))


# ---------------------------------------------------------------- launches


@dataclass(frozen=True, slots=True)
class _Way:
    """What memory and floating-point arguments are where the model does not say.

    `ahead`: which of the two threads goes before all others, if any.
    """

    number: float
    fill: Fill | None
    ahead: int | None = None


def _constant(value: float) -> Fill:
    return lambda count, type_: np.full(count, value).astype(_dtype(type_))


def _random(least: int, most: int) -> Fill:
    """Whole numbers, as floating point with some digits behind the point."""

    def fill(count: int, type_: Type) -> NDArray[np.generic]:
        numbers = np.random.default_rng(count)
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
    _Way(0.0, None),
    _Way(0.0, None, 1),
    _Way(0.0, None, 0),
    _Way(1.0, _constant(1)),
    _Way(0.0, _random(0, 64)),
    _Way(0.0, _constant(1.5)),
    _Way(0.0, _constant(-1.5)),
    _Way(-1.5, _random(-1000, 1000)),
    _Way(2.5, _constant(10.25)),
    _Way(10.25, _constant(1000)),
    _Way(0.25, _random(-1, 2)),
)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A launch that can be run.  `threads` are the two of the witness, numbered in the blocks that run."""

    executable: Executable
    launch: ConcreteLaunch
    memory: Memory
    threads: tuple[int, int]
    ahead: int | None


def _attempt(
    situation: Situation, executable: Executable, finding: Finding, valuation: Valuation, way: _Way
) -> _Attempt:
    grid, block = _extents(valuation)
    chosen, threads = _pair(finding.witness, grid, block)
    memory = Memory()
    unit = executable.unit
    make_globals(unit, memory)
    belongings = Belongings(memory, situation.tables.records, way.fill)
    belongings.settle(valuation, [variable for variable, _ in unit.globals.values()])
    passing = Passing(valuation, belongings, situation.tables.records, tuple(unit.pointed), way.number)
    arguments = tuple(
        passing.argument(value, parameter.type)
        for value, parameter in zip(valuation.evidence.protocol.arguments, situation.kernel.parameters, strict=True)
    )
    shared = situation.launch.shared_bytes if situation.launch is not None else None
    size = valuation.of(const(_DYNAMIC) if shared is None else shared)
    return _Attempt(
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
    witness: Witness, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> tuple[tuple[int, ...], tuple[int, int]]:
    """The blocks of the two threads, and the numbers of the threads in them."""
    both = (witness.first, witness.second)
    for thread in both:
        inside = zip((*thread.block, *thread.thread), (*grid, *block), strict=True)
        if not all(0 <= index < extent for index, extent in inside):
            raise ValuationError("a thread of the witness is not in its launch")
    blocks = [_linear(thread.block, grid) for thread in both]
    chosen = tuple(sorted(set(blocks)))
    one, two = (
        chosen.index(b) * prod(block) + _linear(thread.thread, block) for b, thread in zip(blocks, both, strict=True)
    )
    return chosen, (one, two)


def _linear(index: tuple[int, int, int], extents: tuple[int, int, int]) -> int:
    return index[0] + extents[0] * (index[1] + extents[1] * index[2])


# ---------------------------------------------------------------- running


@dataclass(slots=True)
class _Watch:
    """Hands on to the access model, and stops the run when its time is over."""

    model: AccessModel
    deadline: float

    def touch(self, event: Touch, /) -> None:
        if perf_counter() > self.deadline:
            raise _LateError
        self.model.touch(event)

    def arrive(self, event: Arrive, /) -> None:
        self.model.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        self.model.fenced(event)


def _first_success(attempts: Iterator[_Attempt], finding: Finding, evidence: Evidence, deadline: float) -> str:
    """CONFIRMED, or why the first attempt has failed."""
    said = ""
    for attempt in attempts:
        result = _run(attempt, finding, evidence, deadline)
        if result == CONFIRMED:
            return CONFIRMED
        said = said or result
        if perf_counter() > deadline:
            break
    return said


def _run(attempt: _Attempt, finding: Finding, evidence: Evidence, deadline: float) -> str:
    launch = attempt.launch
    model = AccessModel(Shape(launch.block_threads, launch.blocks), attempt.threads)
    try:
        outcome = execute(
            attempt.executable,
            launch,
            attempt.memory,
            _Watch(model, deadline),
            _FUEL,
            together=True,
            ahead=attempt.ahead,
        )
    except _LateError:
        outcome = None
    sites = attempt.executable.sites.sites
    wanted = {_key_of(finding.first), _key_of(finding.second)}
    for race in model.races():
        ends = {_key(sites[race.first]), _key(sites[race.second])}
        if ends == wanted and race.space is finding.space and evidence.level in race.levels:
            return CONFIRMED
    if not isinstance(outcome, Finished):
        return _ended(outcome)
    return _missed(finding, {(thread, _key(sites[n])) for thread, n in model.made()}, attempt.threads)


def _key_of(site: Site) -> tuple[object, ...]:
    return (site.span, site.kind, site.scope)


def _key(site: trace.Site) -> tuple[object, ...]:
    scope = site.scope.value if site.scope is not None and site.kind is AccessKind.ATOMIC else ""
    return (site.span, site.kind, scope)


def _ended(outcome: Outcome | None) -> str:
    match outcome:
        case None | OutOfFuel():
            return _TOO_LONG
        case Divergence(span=span):
            return f"threads wait for others at the barrier in line {span.line}"
        case OutOfBounds(span=span, reason=reason):
            return f"line {span.line} accesses {reason}"
        case Trapped(span=span, reason=reason) | NotSupported(span=span, reason=reason):
            return f"line {span.line}: {reason}"
        case Finished():
            return ""


def _missed(finding: Finding, made: set[tuple[int, tuple[object, ...]]], threads: tuple[int, int]) -> str:
    for site, thread in zip((finding.first, finding.second), threads, strict=True):
        if (thread, _key_of(site)) not in made:
            return f"the {site.kind.value} in line {site.span.line} was not made"
    return "the two accesses did not meet"
