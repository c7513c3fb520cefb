"""What hgrd has to say about a program."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hgrd.program.memory import AccessKind, Level, Space
from hgrd.program.span import Span

__all__ = [
    "AccessKind",
    "Confidence",
    "FactUse",
    "Finding",
    "KernelReport",
    "LaunchReport",
    "Level",
    "Message",
    "OpenPair",
    "Outcome",
    "Report",
    "Site",
    "Space",
    "ThreadWitness",
    "Witness",
]


class Confidence(Enum):
    """How sure a race is (DESIGN.md section 2)."""

    DEFINITE = "definite"  # a witness evaluated with exact C semantics
    CONFIRMED = "confirmed"  # and replayed on the simulator
    DATA_DEPENDENT = "data-dependent"
    CONDITIONAL = "conditional"


class Outcome(Enum):
    RACE = "race"
    SAFE = "safe"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Site:
    """A source access: `x += 1` has two.  `text` is the access as source-like text ("a[i]").

    `scope` is for atomics ("block", "device", "system"), else "".
    """

    span: Span
    kind: AccessKind
    array: str
    text: str
    scope: str = ""


@dataclass(frozen=True, slots=True)
class FactUse:
    """A host fact: what it says, in source terms, where it stands, and of which class it is.

    `kind`: "assert", "guard", "dimension", "relation", "loop bound", "allocation", "constant",
    "option", "assumption".
    """

    text: str
    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class ThreadWitness:
    """One of the two threads: threadIdx, blockIdx, its loop counters by name, the bytes it touches."""

    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    locals: tuple[tuple[str, int], ...]
    first_byte: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Witness:
    """A launch and two threads in conflict; `contents` are the array elements it depends on."""

    block_dim: tuple[int, int, int]
    grid_dim: tuple[int, int, int]
    inputs: tuple[tuple[str, int], ...]
    contents: tuple[tuple[str, int], ...]
    first: ThreadWitness
    second: ThreadWitness


@dataclass(frozen=True, slots=True)
class Finding:
    """A race: an unordered pair of sites and a memory space."""

    first: Site
    second: Site
    space: Space
    levels: tuple[Level, ...]
    confidence: Confidence
    witness: Witness
    facts: tuple[FactUse, ...]
    same_value: bool = False  # both write the same value: a note unless --strict
    condition: str = ""  # for conditional races: the precondition that would exclude it
    method: str = ""


@dataclass(frozen=True, slots=True)
class OpenPair:
    """A pair that was not decided, and why; or what part of a kernel was not understood (no sites)."""

    first: Site | None
    second: Site | None
    space: Space | None
    levels: tuple[Level, ...]
    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class LaunchReport:
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


@dataclass(frozen=True, slots=True)
class KernelReport:
    """All launches of a kernel rolled up: the worst outcome, findings merged by pair and space."""

    kernel: str
    span: Span
    outcome: Outcome
    launches: tuple[LaunchReport, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """Something about the input: a missing include, a part not parsed, a kernel never launched."""

    span: Span
    text: str
    error: bool


@dataclass(frozen=True, slots=True)
class Report:
    """The result for a set of files."""

    files: tuple[str, ...]
    kernels: tuple[KernelReport, ...]
    messages: tuple[Message, ...]
    seconds: float
