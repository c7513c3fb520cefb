"""What the host establishes: launches, and facts about the values in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hgrd.host.kinds import FactKind
from hgrd.program.expressions import FunctionRef
from hgrd.program.span import Span
from hgrd.symbolic.array_patterns import Fill
from hgrd.symbolic.values import Composite, MemoryObject, Value
from hgrd.terms import Term


@dataclass(frozen=True, slots=True)
class Fact:
    """A Boolean term over host symbols that holds at a launch, and where it comes from.

    `text` says it in source terms (one line).
    """

    term: Term
    kind: FactKind
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ConstantMemory:
    """What is known of a variable of constant memory at a launch: cells of `value`; `span`: who put it there."""

    target: MemoryObject
    value: Composite
    span: Span


@dataclass(frozen=True, slots=True)
class Holding:
    """What the elements of an object that a kernel is given are known to hold; `fact` says it."""

    target: MemoryObject
    fill: Fill
    fact: Fact


@dataclass(frozen=True, slots=True)
class Making:
    """All that an object holds which a kernel is given has been made by the program, none of it is its input.

    `kernel` has stored it, launched at `span`; "": code of the host, there.
    """

    target: MemoryObject
    kernel: str
    span: Span


@dataclass(frozen=True, slots=True)
class LaunchSite:
    """A kernel launch with symbolic configuration and arguments.

    All symbols in it are shared by all threads.  Extents are at least 1.  `stack` are the call sites
    from the entry point to the launch, outermost first.  `configuration` is the source-like text.  `contents`
    hold where the kernel has not written yet; `made` says of objects that the program makes what they hold.
    """

    kernel: FunctionRef
    span: Span
    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    shared_bytes: Term | None
    arguments: tuple[Value, ...]
    facts: tuple[Fact, ...]
    configuration: str
    cooperative: bool = False
    stack: tuple[Span, ...] = ()
    constants: tuple[ConstantMemory, ...] = ()
    contents: tuple[Holding, ...] = ()
    made: tuple[Making, ...] = ()


@dataclass(frozen=True, slots=True)
class HostNote:
    """Something on the host side that was not understood and could matter."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class HostRun:
    """`cut`: by its key, why a kernel may have launches that are not among `launches`.

    `functions` are the keys of the functions that were followed.  `never` are launches that constants rule out, of
    kernels (or instances of kernel templates) that `launches` has other launches of: nobody need look at these.
    """

    launches: tuple[LaunchSite, ...]
    notes: tuple[HostNote, ...]
    cut: Mapping[str, HostNote] = field(default_factory=dict[str, HostNote])
    functions: frozenset[str] = frozenset()
    never: tuple[LaunchSite, ...] = ()
