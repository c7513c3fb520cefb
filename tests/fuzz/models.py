"""Launches of models: what the solver has found of a witness, for the interpreter instead of the replay's executor.

Of the analysis this takes numbers: extents, arguments, contents of memory.  What the host code makes of its inputs is
computed here, and a model that it does not launch is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hgrd.findings.model import BarrierWitness, Divergence, Finding, Witness
from hgrd.protocol.model import accesses
from hgrd.protocol.phases.phases import Side
from hgrd.races.results.evidence import BarrierEvidence, Evidence, KernelAtLaunch
from hgrd.races.results.witness import barrier_witness, witness_of
from hgrd.simulate.execute import Executable
from hgrd.simulate.lockstep.memory import SHIFT, Memory
from hgrd.simulate.replay.attempts import Attempt, TwoThreads, attempts
from hgrd.simulate.replay.model_values import Valuation, ValuationError, complete
from hgrd.simulate.replay.reachable_iteration import with_reachable_iteration
from hgrd.simulate.replay.shrink import smaller
from hgrd.simulate.replay.witness_memory import packed
from hgrd.symbolic.values import MemorySpace
from tests.fuzz.case import Case
from tests.fuzz.hosts import INPUTS, Launch, Most, RefusedError
from tests.fuzz.modelled import Modelled, Shared
from tests.fuzz.oracle import TYPES, Pair
from tests.fuzz.witnesses import pair_of

_GUESSES = 2_000  # of inputs that the model leaves open
_OPEN = 1 << 13  # elements of arrays that no host code allocates


@dataclass
class Models:
    """The evidence of findings, by kernel and witness."""

    races: dict[tuple[str, Pair, Witness], tuple[KernelAtLaunch, Evidence]] = field(
        default_factory=dict[tuple[str, Pair, Witness], tuple[KernelAtLaunch, Evidence]]
    )
    barriers: dict[tuple[str, BarrierWitness], tuple[KernelAtLaunch, BarrierEvidence]] = field(
        default_factory=dict[tuple[str, BarrierWitness], tuple[KernelAtLaunch, BarrierEvidence]]
    )

    def keep(self, at: KernelAtLaunch, finding: Finding, evidence: Evidence) -> None:
        """Keeps the evidence of the witness that a finding shows, which may be a smaller one than it had before."""
        makers: tuple[Callable[[], Evidence | None], ...] = (
            lambda: evidence,
            lambda: with_reachable_iteration(evidence, at.decide),
            lambda: smaller(evidence, at.decide),
        )
        for made in (make() for make in makers):
            if made is not None and _witness(made) == finding.witness:
                self.races[at.kernel.ref.name, pair_of(finding), finding.witness] = (at, made)
                return

    def keep_barrier(self, at: KernelAtLaunch, finding: Divergence, evidence: BarrierEvidence) -> None:
        for made in (evidence, smaller(evidence, at.decide)):
            if made is not None and _barrier_witness(made) == finding.witness:
                self.barriers[at.kernel.ref.name, finding.witness] = (at, made)
                return

    def of(self, case: Case, executable: Executable, finding: Finding | Divergence) -> Iterator[Modelled]:
        """The launches of the model of a finding, with one choice of what it leaves open after the other."""
        match finding:
            case Finding(witness=witness):
                found = self.races.get((case.name, pair_of(finding), witness))
                both, waiting = (witness.first, witness.second), bool(finding.awaits)
            case Divergence(witness=witness):
                found = self.barriers.get((case.name, witness))
                both, waiting = (witness.first, witness.second or witness.first), False
        if found is None:
            return
        at, evidence = found
        values = {s.name: v for s, v in evidence.model.values.items()}
        launch: Launch | None = None
        try:
            shared = _shared(complete(evidence, (), at.decide), both)
            for attempt in attempts(at, executable, both, evidence, waiting=waiting):
                launch = launch or _launch(case, attempt, values)
                if launch is None:
                    return
                yield _modelled(case, attempt, launch, shared)
        except ValuationError:
            return


def _witness(evidence: Evidence) -> Witness:
    encoded = evidence.encoded
    return witness_of(encoded, encoded.first, encoded.second, evidence.model)


def _barrier_witness(evidence: BarrierEvidence) -> BarrierWitness:
    return barrier_witness(evidence.encoded, evidence.binders, evidence.model, alone=evidence.alone)


def _launch(case: Case, attempt: Attempt, values: Mapping[str, int]) -> Launch | None:
    """The launch that the host code makes with the extents and arguments of an attempt; None: it makes none."""
    (gx, gy, gz), (bx, by, bz) = attempt.launch.grid, attempt.launch.block
    n, u, c = (int(x) for x in attempt.launch.arguments[3:] if isinstance(x, int))
    if case.host is None:
        return Launch((gx, gy), (bx, by), n, u, c, (_OPEN, _OPEN, _OPEN), bz, gz)
    random, fixed = Random(case.seed), {p: values[p] for p in INPUTS if p in values}
    wanted = ((gx, gy, gz), (bx, by, bz), n & 0xFFFFFFFF, u & 0xFFFFFFFF, c & 0xFFFF)
    for guess in range(_GUESSES if len(fixed) < len(INPUTS) else 1):
        inputs = {p: fixed.get(p, 1 if not guess else random.randint(-2, 16)) for p in INPUTS}
        try:
            launches = case.launched(inputs, Most(1 << 20, 1 << 10))
        except RefusedError:
            continue
        for x in launches:
            if (*x.extents, x.n & 0xFFFFFFFF, x.u & 0xFFFFFFFF, x.c & 0xFFFF) == wanted:
                return x
    return None


def _shared(valuation: Valuation, both: TwoThreads) -> dict[tuple[str, int], dict[int, bytes]]:
    """What the two threads find in shared memory: the values that they read first at each place."""
    found: dict[tuple[str, int], dict[int, bytes]] = {}
    c = valuation.evidence.protocol.configuration
    gx, gy = (valuation.of(extent) for extent in c.grid[:2])
    for side, thread in zip((Side.FIRST, Side.SECOND), both, strict=True):
        x, y, z = thread.block
        for access in accesses(valuation.evidence.protocol.items):
            if access.result is None or access.target.space is not MemorySpace.SHARED:
                continue
            value = valuation.model.values.get(valuation.evidence.encoded.threads.rename(access.result, side))
            offset = valuation.at(access.offset, side)
            if value is not None and offset is not None:
                place = found.setdefault((access.target.key, x + gx * (y + gy * z)), {})
                place.setdefault(offset, packed(value, access.size, floating=False))
    return found


def _modelled(case: Case, attempt: Attempt, launch: Launch, shared: Shared) -> Modelled:
    arrays: dict[int, NDArray[Any]] = {}
    dtypes = (np.dtype(np.int32), np.dtype(TYPES[case.wide]), np.dtype(np.int32))
    addresses = [int(x) for x in attempt.launch.arguments[:3] if not isinstance(x, bytes)]
    for address, size, dtype in zip(addresses, launch.sizes, dtypes, strict=True):
        arrays.setdefault(address, _array(attempt.memory, address, size, dtype))
    variables = {key: attempt.memory.objects[number].data.tobytes() for key, number in attempt.memory.symbols.items()}
    ahead = None if attempt.ahead is None else _in_grid(attempt, attempt.ahead)
    return Modelled(launch, tuple(arrays[address] for address in addresses), variables, shared, ahead)


def _array(memory: Memory, address: int, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    target = memory.objects[address >> SHIFT]
    first = address - int(target.address)
    return target.data[first : first + max(size, 0) * dtype.itemsize].copy().view(dtype)


def _in_grid(attempt: Attempt, thread: int) -> int:
    """The number in the launch of a thread that is numbered in the blocks that run."""
    chosen, size = attempt.launch.chosen, attempt.launch.block_threads
    return thread if chosen is None else chosen[thread // size] * size + thread % size
