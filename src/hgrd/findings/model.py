"""What hgrd has to say about a program."""

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
    """How sure a race, or a finding about a barrier, is (DESIGN.md section 2)."""

    DEFINITE = "definite"  # a witness evaluated with exact C semantics
    CONFIRMED = "confirmed"  # and replayed on the simulator
    DATA_DEPENDENT = "data-dependent"
    CONDITIONAL = "conditional"


CONFIRMED: Final = "confirmed"
"""The witness of a finding was run, and its two threads were seen in conflict (or apart, at a barrier)."""


class Outcome(Enum):
    RACE = "race"
    SAFE = "safe"
    UNKNOWN = "unknown"


class Site(Struct, frozen=True):
    """A source access: `x += 1` has two.  `text` is the access as source-like text ("a[i]").

    `scope` is for atomics ("block", "device", "system"), else "".
    """

    span: Span
    kind: AccessKind
    array: str
    text: str
    scope: str = ""


class FactUse(Struct, frozen=True):
    """A host fact: what it says, in source terms, where it stands, and of which class it is.

    `kind`: "assert", "guard", "dimension", "relation", "loop bound", "allocation", "constant",
    "option", "assumption".
    """

    text: str
    kind: str
    span: Span


class ThreadWitness(Struct, frozen=True):
    """One of the two threads: threadIdx, blockIdx, its loop counters by name, the bytes it touches."""

    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    locals: tuple[tuple[str, int], ...]
    first_byte: int
    bytes: int


class Witness(Struct, frozen=True):
    """A launch and two threads in conflict; `contents` are the array elements it depends on."""

    block_dim: tuple[int, int, int]
    grid_dim: tuple[int, int, int]
    inputs: tuple[tuple[str, int], ...]
    contents: tuple[tuple[str, int], ...]
    first: ThreadWitness
    second: ThreadWitness


class Finding(Struct, frozen=True):
    """A race: an unordered pair of sites and a memory space.

    `replay` tells what came of running the witness: "" if that was not tried, CONFIRMED, or "not replayed: WHY"; it
    took `replay_seconds`.  `awaits`: variables that the two have looked at before to know what others have done.
    """

    first: Site
    second: Site
    space: Space
    levels: tuple[Level, ...]
    confidence: Confidence
    witness: Witness
    facts: tuple[FactUse, ...]
    same_value: bool = False  # both write the same value: a note unless --strict
    condition: str = ""  # the precondition that would exclude it, if one does
    rule: str = DATA_RACE.code  # or that of a mistake in synchronisation that would order the two
    cause: str = ""  # that mistake in words; "" if there is none
    method: str = ""
    replay: str = ""
    replay_seconds: float = 0.0
    awaits: tuple[str, ...] = ()


class OpenPair(Struct, frozen=True):
    """A pair that was not decided, and why; or what part of a kernel was not understood (no sites)."""

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
    """A thread at a barrier: threadIdx, blockIdx, and the values on which its way depends, by name."""

    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    locals: tuple[tuple[str, int], ...]


class BarrierWitness(Struct, frozen=True):
    """A launch, a thread that performs the barrier, and (but for HGRD004) one that does not.

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
    """A barrier that not all of its threads perform together.

    `scope`: "warp", "block" or "grid".  `parted`: the condition, loop or exit where the other thread went
    another way, and `how` it did: "branch", "loop", "exit"; "mask" for HGRD004.  `replay` as for races.

    For HGRD008 it is what takes a lock, with two threads that want the same one; `parted`: where it is given back.
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
    """A barrier of which it is not decided whether all of its threads perform it together."""

    span: Span
    scope: str
    reason: str


class Proof(Struct, frozen=True):
    """A pair that cannot race, and the facts that say so; without any where the kernel itself excludes it."""

    first: Site
    second: Site
    facts: tuple[FactUse, ...]


class LaunchReport(Struct, frozen=True):
    """A kernel at one launch (or, without host code, at any launch the options allow)."""

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
    """All launches of a kernel rolled up: the worst outcome, findings merged by pair and space.

    `divergences` are merged by rule and barrier.  `outcome` is about races alone.
    """

    kernel: str
    span: Span
    outcome: Outcome
    launches: tuple[LaunchReport, ...]
    findings: tuple[Finding, ...]
    divergences: tuple[Divergence, ...] = ()


class Message(Struct, frozen=True):
    """Something about the input: a missing include, a part not parsed, a kernel never launched."""

    span: Span
    text: str
    error: bool


class Report(Struct, frozen=True):
    """The result for a set of files."""

    files: tuple[str, ...]
    kernels: tuple[KernelReport, ...]
    messages: tuple[Message, ...]
    seconds: float
