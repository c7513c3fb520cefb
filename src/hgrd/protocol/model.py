"""The memory access protocol of a kernel at one launch (Faial; DESIGN.md section 3).

A protocol is a tree of accesses, barriers and loops in program order, as one thread performs them.
Conditions are not nodes: every access and barrier carries the whole condition under which it is
reached, over the thread's indexes, loop binders, shared symbols and memory contents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.host.model import ConstantMemory, Fact, Holding, Making
from hgrd.program.span import Span
from hgrd.symbolic.state import Condition
from hgrd.symbolic.values import MemoryObject, Pointer, Value
from hgrd.terms import Symbol, Term


class Configuration(Struct, frozen=True):
    """Launch extents as terms, with the symbols of the indexes within them.

    An index symbol is None where its extent is the constant 1.
    """

    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    thread: tuple[Symbol | None, Symbol | None, Symbol | None]
    block_index: tuple[Symbol | None, Symbol | None, Symbol | None]
    facts: tuple[Fact, ...]


class Access(Struct, frozen=True):
    """A thread touches [offset, offset + size) bytes of `target` when all `guards` hold.

    `scope` is that of an atomic.  `value` identifies what a write stores (equal terms are equal values), or
    is the operand of an atomic; None: not known.  `compare` is what a compare-and-swap expects.  `result` is
    the symbol of what a read or an atomic got.  `text` is for people.
    `stack`: the call sites that lead here, outermost first.  `bounds`: the thread's subscripts so far are
    within their arrays.  `endings`: what is known of the iterations of loops that it has left.
    """

    number: int
    kind: AccessKind
    space: Space
    target: MemoryObject
    offset: Term
    size: int
    guards: tuple[Term, ...]
    span: Span
    text: str
    scope: Scope | None = None
    value: Term | None = None
    compare: Term | None = None
    result: Symbol | None = None
    operation: str = ""
    volatile: bool = False
    stack: tuple[Span, ...] = ()
    bounds: tuple[Term, ...] = ()
    endings: tuple[Term, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether it may leave something else in memory: all but reads and atomic loads."""
        return self.kind is not AccessKind.READ and self.operation != "load"


class Barrier(Struct, frozen=True):
    """Threads wait here for those of their block, warp or grid, and memory is as they have left it.

    `guards` are what the program chose on the way here; threads that have ended do not count.  `mask` is the
    warp mask where it is not all ones: the lanes in it wait for each other.  `tile`: only threads for which it
    has the same value do.  `path`: all that holds there, in program order.
    """

    scope: Scope
    guards: tuple[Term, ...]
    span: Span
    mask: Term | None = None
    tile: Term | None = None
    path: tuple[Condition, ...] = ()

    @property
    def of_block(self) -> bool:
        """All threads of a block wait for each other there, not only those of a tile or mask."""
        return self.scope is not Scope.WARP and self.mask is None and self.tile is None


class Exit(Struct, frozen=True):
    """A thread leaves the kernel before its end when all `guards` hold; `aborts`: it takes the launch with it."""

    guards: tuple[Term, ...]
    span: Span
    aborts: bool = False


class Fence(Struct, frozen=True):
    scope: Scope
    guards: tuple[Term, ...]
    span: Span


class Gap(Struct, frozen=True):
    """A part of the kernel that is not in the protocol.

    `may_order`: there could be a barrier in it.  It then stands among the items, if its place is known.
    """

    reason: str
    guards: tuple[Term, ...]
    span: Span
    may_order: bool = True


class Observation(Struct, frozen=True):
    """What a symbol stands for: the value that an atomic or a volatile read found at a place.

    `compare` and `value` are the operands of the atomic `operation`; for a volatile read that is "".
    Also made for what only the end of a loop knows: the last test of a spin loop.
    """

    target: MemoryObject
    offset: Term
    scope: Scope
    operation: str
    compare: Term | None
    value: Term | None
    span: Span
    stack: tuple[Span, ...]


class ProtocolLoop(Struct, frozen=True):
    """Iterations binder = 0, 1, …; `count` is the symbol of how many there were, as later code knows it.

    `guards` hold at entry.  `entry` are those among them that the program chose, and `tests` what it tests
    before every iteration.  An iteration that breaks out (or returns from a device function) does so under
    one of `breaks`, and is not counted.  `local`: the symbols that each iteration has for itself.  `untold`: nothing
    is known of what it tests between two iterations (`do x = a[i++]; while (x);`, where the kernel writes `a`).
    """

    binder: Symbol
    count: Symbol
    guards: tuple[Term, ...]
    entry: tuple[Term, ...]
    tests: tuple[Term, ...]
    items: tuple[Item, ...]
    span: Span
    breaks: tuple[Term, ...] = ()
    local: frozenset[str] = frozenset()
    untold: bool = False


Item: TypeAlias = Access | Barrier | Exit | Fence | Gap | ProtocolLoop


class AcrossThreads(Struct, frozen=True):
    """What the program says of any two threads that get here: the condition holds for each of them.

    The symbols of `others` stand in it for the values that their terms have in the other one, in the same
    iterations of the `loops` around.
    """

    condition: Term
    others: tuple[tuple[Symbol, Term], ...]
    guards: tuple[Term, ...]
    loops: tuple[Symbol, ...] = ()


class Alike(Struct, frozen=True):
    """Threads of a block for which the terms are equal get the same value, in the same iterations of `loops`.

    `source`: they get it from one of them, and this is what it has handed on, as it sees it itself.
    """

    terms: tuple[Term, ...]
    loops: tuple[Symbol, ...]
    source: Term | None = None


class Protocol(Struct, frozen=True):
    """`private` are the symbols created while running the kernel: each thread has its own.

    `broadcast` are those among them that a block's threads read from one place at one point of the program,
    with the iteration numbers of the loops around.  Without a race there, and between the same two
    barriers, all threads of the block got the same.

    `agreed` are those that are the same for all threads of a block in the same iterations of the loops around,
    which it names.  `everywhere` are the names of those that are the same for all threads of the grid, of a kernel in
    which these wait for each other.

    `assumed` are assertions met in the kernel, and what was taken for granted of unknown functions.
    `observed`: by symbol name, the values that atomics and volatile reads have found.
    `arguments` are the values of the kernel's parameters, and `numbers` those that are integers, by name (members of
    records, too); `pointers` those that lead into one object.
    `begins`: by key, the number that a variable at namespace scope which is observed is declared with.
    `alike` are values that the threads of a warp or tile make together.
    `functions` are the keys of all functions that it runs.
    `constants`: what is known of constant memory.
    `contents`: what the host has filled memory with; `made`: objects all of whose contents the program makes.
    `shared_bytes`: how much dynamic shared memory the launch gives a block.
    `tested`: by values that the tests around loops read from where their thread has just stored something: that they
    find this, as they do where there is no race.
    `whole`: integers that floating-point numbers have been converted to, with the number, and whether that was rounded
    down before.
    `twins`: threads with equal indexes in different blocks do the same, if nothing races within a block.
    """

    kernel: str
    span: Span
    configuration: Configuration
    items: tuple[Item, ...]
    gaps: tuple[Gap, ...]
    private: frozenset[str]
    written: frozenset[str]  # keys of objects that the kernel writes
    broadcast: Mapping[str, tuple[Symbol, ...]]
    assumed: tuple[Fact, ...] = ()
    across: tuple[AcrossThreads, ...] = ()
    observed: Mapping[str, Observation] = field(default_factory=dict[str, Observation])
    agreed: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict[str, tuple[Symbol, ...]])
    arguments: tuple[Value, ...] = ()
    begins: Mapping[str, int] = field(default_factory=dict[str, int])
    functions: frozenset[str] = frozenset()
    numbers: tuple[tuple[str, Term], ...] = ()
    alike: Mapping[Symbol, Alike] = field(default_factory=dict[Symbol, Alike])
    constants: tuple[ConstantMemory, ...] = ()
    contents: tuple[Holding, ...] = ()
    tested: Mapping[Symbol, Term] = field(default_factory=dict[Symbol, Term])
    whole: Mapping[Symbol, tuple[Term, bool]] = field(default_factory=dict[Symbol, tuple[Term, bool]])
    made: tuple[Making, ...] = ()
    shared_bytes: Term | None = None
    everywhere: frozenset[str] = frozenset()
    twins: bool = False
    pointers: tuple[tuple[str, Pointer], ...] = ()


def accesses(items: tuple[Item, ...]) -> tuple[Access, ...]:
    """All accesses below `items`, in program order."""
    found: list[Access] = []
    for item in items:
        match item:
            case Access():
                found.append(item)
            case ProtocolLoop(items=inner):
                found.extend(accesses(inner))
            case _:
                pass
    return tuple(found)


def conditions(items: tuple[Item, ...]) -> tuple[Term, ...]:
    """All conditions below `items`: of accesses, barriers and loops."""
    found: list[Term] = []
    for item in items:
        found += item.guards
        match item:
            case Access():
                found += item.endings
            case ProtocolLoop():
                found += [*item.tests, *item.breaks, *conditions(item.items)]
            case _:
                pass
    return tuple(dict.fromkeys(found))
