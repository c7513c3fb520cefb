"""The memory access protocol of a kernel at one launch (Faial, CAV 2021).

A protocol is a tree of accesses, barriers and loops in program order, as one thread performs them.
Conditions are not nodes: every access and barrier carries the whole condition under which it is
reached, over the thread's indexes, loop binders, shared symbols and memory contents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.host.model import Beginning, ConstantMemory, Fact, Holding, ProgramMade
from hgrd.program.span import Span
from hgrd.protocol.alike import LaneMask, LaneScan, UniformGroup
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.ring_events import Lags, RingEvent
from hgrd.symbolic.state import Condition
from hgrd.symbolic.values import MemoryObject, Pointer, Value
from hgrd.terms import Symbol, Term


class Configuration(Struct, frozen=True):
    """Launch extents as terms, with the symbols of the indexes within them.

    An index symbol is None where its extent is the constant 1.  `cluster`: the blocks of a cluster along each axis.
    """

    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    thread: tuple[Symbol | None, Symbol | None, Symbol | None]
    block_index: tuple[Symbol | None, Symbol | None, Symbol | None]
    facts: tuple[Fact, ...]
    cluster: tuple[Term, Term, Term]


class Joint(Struct, frozen=True):
    """Which access of several threads this is: one of them makes it, of all for which the `terms` are equal.

    `place` says what for: a copy of a group, by its number, or an element of a fragment of a matrix, by its type.
    """

    place: int | str
    terms: tuple[Term, ...]


class Access(Struct, frozen=True):
    """Access of a thread to the bytes [offset, offset + size) of `target`, when all `guards` hold.

    `scope` is that of an atomic.  `value` identifies what a write stores (equal terms are equal values), or
    is the operand of an atomic; None: unknown.  `compare` is what a compare-and-swap expects.  `result` is
    the symbol of what a read or an atomic got.  `text` is for people to read.
    `order` is the memory order of an atomic (of a compare-and-swap that succeeds).
    `stack`: the call sites that lead here, outermost first. `bounds`: the thread's subscripts so far are within their
    arrays. `endings`: what is known of the iterations of loops that it has left. `beginnings`: what variables hold in
    the first iterations of loops. `together`: threads for which it is equal make the access together, as one collective
    of CUB, that orders it among them; None: each thread makes its own. `supposed`: why it is not certain that it is
    made here; "": it is. `once`: whichever thread makes it, it is made once; None: by each. `again`: it is one that
    stands elsewhere, too, and may be made as late as here. `pipeline`: it is a copy that this pipeline of several
    threads counts: whoever has waited for the commit of its batch comes after it, and nobody else does but by a
    barrier. `alignment`: its address is a multiple of this, or it is an error by itself.
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
    order: StdMemoryOrder = StdMemoryOrder.RELAXED
    volatile: bool = False
    stack: tuple[Span, ...] = ()
    bounds: tuple[Term, ...] = ()
    endings: tuple[Term, ...] = ()
    beginnings: tuple[Term, ...] = ()
    together: Term | None = None
    supposed: str = ""
    once: Joint | None = None
    again: bool = False
    pipeline: str = ""
    alignment: int = 1

    @property
    def changes(self) -> bool:
        """Whether the access may change memory: all but reads and atomic loads."""
        return self.kind is not AccessKind.READ and self.operation != "load"

    @property
    def updates(self) -> bool:
        """Whether it is a read-modify-write: what others have released at its place can be acquired behind it, too."""
        return self.kind is AccessKind.ATOMIC and self.operation not in ("load", "store")

    @property
    def releases(self) -> bool:
        """Whether what its thread has done before is released by the access itself, without a fence."""
        return self.changes and self.order.releases


class Barrier(Struct, frozen=True):
    """Barrier of a block, warp or grid: its threads wait for each other, and then see each other's writes.

    `guards` are the conditions that the program chose on the way here, without those that only threads that have ended
    fail.  `mask` is the warp mask: only the lanes in it wait for each other; None: all ones.  `tile`: only threads with
    the same value of it wait for each other; None: all.  `path`: all that holds there, in program order.
    `arrival`: it waits for those that have made the last such arrival; None: it is an arrival, too.
    `named`: which barrier of the block it is; None of the usual one, and of all in a finished protocol.
    """

    scope: Scope
    guards: tuple[Term, ...]
    span: Span
    mask: Term | None = None
    tile: Term | None = None
    path: tuple[Condition, ...] = ()
    arrival: str | None = None
    named: NamedBarrier | None = None

    @property
    def of_block(self) -> bool:
        """Whether all threads of a block wait here for each other to come here, not only those of a tile or mask."""
        together = self.tile is None or self.scope is Scope.CLUSTER
        return self.scope is not Scope.WARP and self.mask is None and together and self.arrival is None

    @property
    def of_warp(self) -> bool:
        """Whether all lanes of a warp wait here for each other to come here, not only those of a tile or mask."""
        return self.scope is Scope.WARP and self.mask is None and self.tile is None and self.arrival is None


class Arrival(Struct, frozen=True):
    """First half of a split barrier: those who wait in its second half wait for this, and see what was written before.

    `name` is that of the barrier: of a group, or of an object in memory; `named` and `path` as of a barrier.
    """

    name: str
    guards: tuple[Term, ...]
    span: Span
    path: tuple[Condition, ...] = ()
    named: NamedBarrier | None = None


class Exit(Struct, frozen=True):
    """Exit of a thread before the end of the kernel, when all `guards` hold; `aborts`: it ends the whole launch."""

    guards: tuple[Term, ...]
    span: Span
    aborts: bool = False


class Fence(Struct, frozen=True):
    """Fence of a memory order; those of CUDA C++ are sequentially consistent (PTX ISA, "membar, fence")."""

    scope: Scope
    guards: tuple[Term, ...]
    span: Span
    order: StdMemoryOrder = StdMemoryOrder.SEQ_CST


class Gap(Struct, frozen=True):
    """Gap in the protocol: a part of the kernel that is not in it.

    `may_order`: the part may contain a barrier.  The gap is then among the items, if its place is known.  `reach`: how
    far apart the threads are that it may order.
    """

    reason: str
    guards: tuple[Term, ...]
    span: Span
    may_order: bool = True
    reach: Scope = Scope.BLOCK


class CopyStep(Struct, frozen=True):
    """Step of asynchronous copies: of those that go by one queue of batches, and end in the order of these.

    `begun`: the numbers of the accesses that a copy goes on with from here.  `commits`: the copies begun so far are the
    next batch.  `prior`: all batches but so many have ended; `oldest`: the first one has that was not waited for so.
    `queue`: the pipeline; "" of what a thread commits without one.  None is left in a finished protocol.
    """

    guards: tuple[Term, ...]
    span: Span
    queue: str = ""
    begun: tuple[int, ...] = ()
    commits: bool = False
    prior: int | None = None
    oldest: bool = False


class Exchange(Struct, frozen=True):
    """Vote, shuffle, match or reduction: lanes of a warp exchange values, and memory is not ordered.

    It stands before the access of the number `before`, and after that of the number below.
    """

    name: str
    before: int
    span: Span


class Observation(Struct, frozen=True):
    """Observed value that a symbol stands for: what an atomic or a volatile read found at a place.

    `compare` and `value` are the operands of the atomic `operation`; for a volatile read that is "".  `order` is the
    memory order of the atomic, `failure` that of a compare-and-swap that fails.
    The last test of a spin loop, which only the end of the loop knows, has one, too.
    """

    target: MemoryObject
    offset: Term
    scope: Scope
    operation: str
    compare: Term | None
    value: Term | None
    span: Span
    stack: tuple[Span, ...]
    order: StdMemoryOrder = StdMemoryOrder.RELAXED
    failure: StdMemoryOrder = StdMemoryOrder.RELAXED


class ProtocolLoop(Struct, frozen=True):
    """Loop with iterations binder = 0, 1, …; `count` is the symbol for their number in later code.

    `guards` hold at entry.  `entry` are those among them that the program chose, and `tests` what it tests
    before every iteration.  An iteration that breaks out (or returns from a device function) does so under
    one of `breaks`, and is not counted.  `local`: the symbols that each iteration has for itself.  `untold`: its test
    between two iterations is unknown (`do x = a[i++]; while (x);`, where the kernel writes `a`).
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


Item: TypeAlias = Access | Arrival | Barrier | CopyStep | Exit | Fence | Gap | ProtocolLoop | RingEvent


class AcrossThreads(Struct, frozen=True):
    """Assertion on any two threads that get here: the condition holds for each of them.

    The symbols of `others` stand for the values that their terms have in the other thread, in the same
    iterations of the `loops` around.
    """

    condition: Term
    others: tuple[tuple[Symbol, Term], ...]
    guards: tuple[Term, ...]
    loops: tuple[Symbol, ...] = ()


class Uniformity(Struct, frozen=True, kw_only=True):
    """Uniform symbols of a kernel: those that have the same value for several threads.

    `broadcast`: the threads of a block have read them from one place, or got them from one vote, at one point of the
    program.  Without a race there, and between the same two barriers, all threads of the block have the same value in
    the same iterations of the loops that are given for a symbol.

    `in_iteration`: the same for all threads of a block in the same iterations of the loops given.
    `of_grid`: names of those that are the same for all threads of the grid, in a kernel with barriers of the grid.

    `groups`: by symbol, the threads of a warp or tile that compute it together.  `masks`: by symbol, what the bits of a
    mask of lanes say; `scans`: running sums over lanes; `told`: further conditions that each thread knows to hold.

    `symmetric_blocks`: threads with equal indexes in different blocks do the same, if nothing races within a block.
    """

    broadcast: Mapping[str, tuple[Symbol, ...]]
    in_iteration: Mapping[str, tuple[Symbol, ...]]
    groups: Mapping[Symbol, UniformGroup]
    masks: Mapping[Symbol, LaneMask] = field(default_factory=dict[Symbol, LaneMask])
    scans: Mapping[Symbol, LaneScan] = field(default_factory=dict[Symbol, LaneScan])
    told: Mapping[Symbol, tuple[Term, ...]] = field(default_factory=dict[Symbol, tuple[Term, ...]])
    of_grid: frozenset[str] = frozenset()
    symmetric_blocks: bool = False


class SymbolInfo(Struct, frozen=True, kw_only=True):
    """Symbols created while running a kernel.

    `private`: their names; each thread has its own.  `observed`: by name, the values that atomics and volatile reads
    have found.  `first_tests`: by the symbol of a value that the test of a loop reads where its thread has just stored,
    the condition that it reads the stored value, as it does without a race.  `converted`: by the symbol of an
    integer that a floating-point number has been converted to, this number, and whether it was rounded down before.
    `exchanged`: names of the values that threads make together (votes, shuffles, reductions, scans) or that the machine
    gives (clocks): no memory holds them.
    """

    private: frozenset[str]
    observed: Mapping[str, Observation]
    first_tests: Mapping[Symbol, Term]
    converted: Mapping[Symbol, tuple[Term, bool]]
    exchanged: frozenset[str] = frozenset()


class MemoryFacts(Struct, frozen=True, kw_only=True):
    """Facts about the memory that a kernel uses.

    `written`: keys of the objects that the kernel writes.  `declared`: by key, the initial number of an observed
    variable at namespace scope.  `constants`: what is known of constant memory.  `contents`: what the host has filled
    memory with.  `made`: objects with contents that all come from the program, not from its input.  `begins`: what
    objects may hold at the beginning; where it is no number, what an earlier launch has left.
    """

    written: frozenset[str]
    declared: Mapping[str, tuple[Beginning, ...]]
    constants: tuple[ConstantMemory, ...] = ()
    contents: tuple[Holding, ...] = ()
    made: tuple[ProgramMade, ...] = ()
    begins: tuple[Beginning, ...] = ()


class LaunchInfo(Struct, frozen=True, kw_only=True):
    """Arguments of a launch.

    `arguments` are the values of the kernel's parameters.  By name: `numbers`, those that are integers, members of
    records among them, and `pointers`, those that lead into one object.  `shared_bytes`: how much dynamic shared
    memory a block is given; None: unknown.
    """

    arguments: tuple[Value, ...]
    numbers: tuple[tuple[str, Term], ...]
    pointers: tuple[tuple[str, Pointer], ...]
    shared_bytes: Term | None = None


class Protocol(Struct, frozen=True, kw_only=True):
    """Memory access protocol of a kernel at one launch.

    `functions`: the keys of all functions that run.  `assumed`: assertions met in the kernel and assumptions on unknown
    functions; `across`: assertions on two threads.  `exchanges` come in program order.  `lags`: of its rings.
    """

    kernel: str
    span: Span
    functions: frozenset[str]
    configuration: Configuration
    items: tuple[Item, ...]
    gaps: tuple[Gap, ...]
    assumed: tuple[Fact, ...]
    across: tuple[AcrossThreads, ...]
    symbols: SymbolInfo
    uniform: Uniformity
    memory: MemoryFacts
    launch: LaunchInfo
    exchanges: tuple[Exchange, ...] = ()
    lags: Lags = field(default_factory=dict[tuple[str, str], int])


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
