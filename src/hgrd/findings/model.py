"""Findings, proofs and what stayed open, for a launch, a kernel and a set of files."""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.findings.rules import (
    BARRIER_AFTER_EXITS,
    BARRIER_DIVERGENCE,
    DATA_RACE,
    SPIN_LIVELOCK,
    WRONG_WARP_MASK,
)
from hgrd.program.span import Span

__all__ = [
    "CONFIRMED",
    "AccessKind",
    "BarrierThread",
    "BarrierWitness",
    "Confidence",
    "Divergence",
    "DivergenceRule",
    "FactUse",
    "Finding",
    "KernelReport",
    "LaunchReport",
    "Level",
    "Message",
    "OpenBarrier",
    "OpenPair",
    "Outcome",
    "Proof",
    "Report",
    "Site",
    "Space",
    "ThreadWitness",
    "Witness",
]


class Confidence(Enum):
    """Confidence in a race, or in a finding about a barrier (docs/verdicts.md)."""

    DEFINITE = "definite"  # its witness was evaluated with exact C semantics
    CONFIRMED = "confirmed"  # and replayed on the simulator
    DATA_DEPENDENT = "data-dependent"  # it needs the array contents of its witness
    CONDITIONAL = "conditional"  # one precondition on parameters excludes it


CONFIRMED: Final = "confirmed"
"""Result of a replay in which the two threads were seen in conflict, or, for a barrier, to diverge."""


class Outcome(Enum):
    """Verdict on the races of a kernel."""

    RACE = "race"
    SAFE = "safe"
    UNKNOWN = "unknown"


class Site(Struct, frozen=True):
    """Source access: `x += 1` has two.  `text` is the accessed place as source-like text ("a[i]").

    `scope` is that of an atomic ("block", "device", "system"); "" for other accesses.
    """

    span: Span
    kind: AccessKind
    array: str
    text: str
    scope: str = ""


class FactUse(Struct, frozen=True):
    """Fact that a finding or proof uses: what it says in source terms, its class, and where it stands.

    `kind`: "assert", "guard", "dimension", "relation", "loop bound", "allocation", "constant",
    "option", "assumption".
    """

    text: str
    kind: str
    span: Span


class ThreadWitness(Struct, frozen=True):
    """One of the two threads of a race: threadIdx, blockIdx, its loop counters by name, the bytes it touches.

    `of` says whose it is, where the two are not of one launch: another kernel, a copy, or the host.
    """

    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    locals: tuple[tuple[str, int], ...]
    first_byte: int
    bytes: int
    of: str = ""


class Witness(Struct, frozen=True):
    """Launch with two threads in conflict; `contents` are the array elements that the conflict depends on."""

    block_dim: tuple[int, int, int]
    grid_dim: tuple[int, int, int]
    inputs: tuple[tuple[str, int], ...]
    contents: tuple[tuple[str, int], ...]
    first: ThreadWitness
    second: ThreadWitness


class Finding(Struct, frozen=True):
    """Race: an unordered pair of sites and a memory space.

    `replay` is the result of running the witness: "" if that was not tried, CONFIRMED, or "not replayed: WHY"; it took
    `replay_seconds`.  `awaits` names the variables by which the two threads have waited for others before.
    `first_calls`, `second_calls`: the calls that lead from the kernel to the accesses, where these are in functions.
    """

    first: Site
    second: Site
    space: Space
    levels: tuple[Level, ...]
    confidence: Confidence
    witness: Witness
    facts: tuple[FactUse, ...]
    same_value: bool = False  # both write the same value: a note unless --strict
    condition: str = ""  # the precondition that would exclude it; "" if none is known
    provided: str = ""  # what of the host code it depends on that is not known, in words; "" if on nothing
    rule: str = DATA_RACE.code  # or that of a mistake in synchronisation that would order the two
    cause: str = ""  # that mistake in words; "" if there is none
    method: str = ""
    replay: str = ""
    replay_seconds: float = 0.0
    awaits: tuple[str, ...] = ()
    first_calls: tuple[Span, ...] = ()
    second_calls: tuple[Span, ...] = ()


class OpenPair(Struct, frozen=True):
    """Pair that was not decided, and why; the sites are None for a part of the kernel that is unsupported."""

    first: Site | None
    second: Site | None
    space: Space | None
    levels: tuple[Level, ...]
    reason: str
    span: Span


class DivergenceRule(Enum):
    """Rules of findings about barriers and of livelocks; the values are their codes."""

    DIVERGENT = BARRIER_DIVERGENCE.code  # some threads perform the barrier, others take another path
    EXITED = BARRIER_AFTER_EXITS.code  # the others have left the kernel: current hardware counts them as arrived
    MASK = WRONG_WARP_MASK.code  # a warp barrier whose mask does not name its caller, or is not the same for all
    LIVELOCK = SPIN_LIVELOCK.code  # no barrier: a lock that threads of a warp spin on and release after the loop


class BarrierThread(Struct, frozen=True):
    """Thread at a barrier: threadIdx, blockIdx, and the values on which its path depends, by name."""

    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    locals: tuple[tuple[str, int], ...]


class BarrierWitness(Struct, frozen=True):
    """Launch with a thread that performs a barrier, and one that does not (None where one thread has a wrong mask).

    `iterations` are the numbers of the iterations, from 0, of the loops around the barrier, outermost first.
    """

    block_dim: tuple[int, int, int]
    grid_dim: tuple[int, int, int]
    inputs: tuple[tuple[str, int], ...]
    contents: tuple[tuple[str, int], ...]
    iterations: tuple[tuple[str, int], ...]
    first: BarrierThread
    second: BarrierThread | None


class Divergence(Struct, frozen=True):
    """Barrier that not all of its participants perform together.

    `scope`: "warp", "block" or "grid".  `parted`: the condition, loop or exit where the other thread diverged, None
    where there is none; `how` it did: "branch", "loop", "exit", or "mask" for a wrong warp mask.  `replay` is as for
    races.

    For a livelock, `span` is where the lock is taken, `parted` where it is released, `how` is "lock", and the witness
    has two threads that want the same lock.
    """

    rule: DivergenceRule
    span: Span
    scope: str
    how: str
    parted: Span | None
    confidence: Confidence
    witness: BarrierWitness
    facts: tuple[FactUse, ...]
    method: str = ""
    replay: str = ""
    replay_seconds: float = 0.0


class OpenBarrier(Struct, frozen=True):
    """Barrier of which it is not decided whether all of its participants perform it together."""

    span: Span
    scope: str
    reason: str


class Proof(Struct, frozen=True):
    """Pair that cannot race, and the facts of the proof; () where the kernel itself excludes the race."""

    first: Site
    second: Site
    facts: tuple[FactUse, ...]


class LaunchReport(Struct, frozen=True):
    """Result for a kernel at one launch; `launch_span` is None for any launch that the options allow.

    `accesses` and `pairs` are how many there are, `discharged` how many pairs cannot race.
    """

    kernel: str
    kernel_span: Span
    launch_span: Span | None
    configuration: str  # "<<<(w + 15) / 16, 256>>>"
    outcome: Outcome
    findings: tuple[Finding, ...]
    open_pairs: tuple[OpenPair, ...]
    assumptions: tuple[FactUse, ...]
    notes: tuple[str, ...]
    accesses: int
    pairs: int
    discharged: int
    seconds: float
    divergences: tuple[Divergence, ...] = ()
    open_barriers: tuple[OpenBarrier, ...] = ()
    proofs: tuple[Proof, ...] = ()


class KernelReport(Struct, frozen=True):
    """Result for all launches of a kernel: the worst outcome, findings merged by pair and space.

    `divergences` are merged by rule and barrier.  `outcome` is about races alone.
    """

    kernel: str
    span: Span
    outcome: Outcome
    launches: tuple[LaunchReport, ...]
    findings: tuple[Finding, ...]
    divergences: tuple[Divergence, ...] = ()


class Message(Struct, frozen=True):
    """Message about the input: a missing include, a part that was not parsed, a kernel that is never launched."""

    span: Span
    text: str
    error: bool


class Report(Struct, frozen=True):
    """Result for a set of files; `stopped` says why the run ended before all was done, or is ""."""

    files: tuple[str, ...]
    kernels: tuple[KernelReport, ...]
    messages: tuple[Message, ...]
    seconds: float
    stopped: str = ""
