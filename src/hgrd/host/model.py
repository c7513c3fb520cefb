"""Launches, and facts about the values in them: what the host establishes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from hgrd.host.kinds import FactKind
from hgrd.host.memory_image import LaunchImage
from hgrd.program.expressions import FunctionRef
from hgrd.program.span import NOWHERE, Span
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.values import Composite, MemoryObject, Pointer, Value
from hgrd.terms import Symbol, Term, const


class Fact(Struct, frozen=True):
    """A Boolean term over host symbols that holds at a launch, and where it comes from.

    `text` says it in source terms (one line).
    """

    term: Term
    kind: FactKind
    text: str
    span: Span


class ConstantMemory(Struct, frozen=True):
    """Known contents of a variable of constant memory at a launch; `span`: where they were put there."""

    target: MemoryObject
    value: Composite
    span: Span


class BoundMemory(Struct, frozen=True):
    """What a texture or surface stands for: an object, by the value of its handle, or a reference, by its key.

    It is one of the places in `memory`, or (`unknown`) of places that are not known.
    """

    handle: Term | str
    memory: tuple[Pointer, ...]
    unknown: bool = False


class MadeSurface(Struct, frozen=True):
    """A surface or texture that the program makes: its memory is one of these places.

    `own`: of other memory in each iteration of the loops around.  `followed`: it was surely made here, and not only
    looked at in a loop that was not run for all that it does.
    """

    memory: tuple[Pointer, ...]
    own: bool
    followed: bool = True


class Holding(Struct, frozen=True):
    """Known contents of an array that a kernel gets; `fact` says it in words."""

    target: MemoryObject
    fill: ArrayPattern
    fact: Fact


class ProgramMade(Struct, frozen=True):
    """An object that a kernel gets holds no input: the program made all of its contents.

    `kernel` stored them, launched at `span`; "": host code at `span` did.  `selected`: it has selected input, or may
    have refused some.
    """

    target: MemoryObject
    kernel: str
    span: Span
    selected: bool = False


class Beginning(Struct, frozen=True):
    """What an object, by its key, may hold when a kernel begins: a number, or what a kernel has left there.

    `number`: in every `size` bytes, since `span`; None: the kernel with the key `kernel`, launched there, may have
    changed it ("": it is as it is declared).  `anything`: the program computes a number, it is unknown which.  It
    is so from the byte `first` to before `end` (None: to the end), but not in what is `besides`.  `numbers` are
    some that the kernel stores.  `own`: it is an earlier launch of the kernel that begins, and `varying` are the
    names of inputs that may be others than they were there.
    """

    key: str
    number: int | None
    size: int
    kernel: str = ""
    span: Span = NOWHERE
    first: int = 0
    end: int | None = None
    besides: tuple[tuple[int, int], ...] = ()
    numbers: frozenset[int] = frozenset()
    own: bool = False
    varying: frozenset[str] = frozenset()
    anything: bool = False


class PossibleOverlap(Struct, frozen=True):
    """Two objects that may be one, by their keys, and what they are called.

    `inside`: not the first object itself, but what pointers lead to that are found in it.  `elsewhere`: the
    pairs of their alternatives, by keys, the pointers to which were found at different places of one object.
    `written`: where the launch is met once, after so many stores of code that is not followed, those that it may make
    later do not count.  `copiers` are functions that are not there: the two are one only if these keep pointers that
    they are taken to copy.
    """

    first: str
    second: str
    text: str
    inside: bool = False
    elsewhere: tuple[tuple[str, str], ...] = ()
    written: int | None = None
    copiers: tuple[str, ...] = ()


class HeldPointers(Struct, frozen=True):
    """What the program stores in an object, or in one member of the records in it ("": anywhere), by keys of objects.

    A target that begins with `in ` stands for what another object holds.
    """

    holder: str
    member: str
    targets: frozenset[str]


class UntoldTest(Struct, frozen=True):
    """A test of the host of which it is not known whether it holds for some values of these symbols of a launch."""

    symbols: frozenset[Symbol]
    span: Span


class HostNote(Struct, frozen=True):
    """Something on the host side that was not understood and could matter."""

    span: Span
    text: str


class UsedBytes(Struct, frozen=True):
    """An access that work makes for each of some numbers: `size` bytes from `address` in the object on.

    `what` says in words who makes it, at `span`.  `number` is that of a thread of the grid, or of a byte, for which the
    `guards` hold, `line` that of the line that a byte is in.  `extents` are those of the grid and its blocks along x;
    None: it is no kernel.
    """

    what: str
    span: Span
    stores: bool
    address: Term
    size: int
    number: Symbol
    guards: tuple[Term, ...]
    extents: tuple[Term, Term] | None = None
    line: Symbol | None = None


class AtOnce(Struct, frozen=True):
    """Other work, or the host, that surely uses an object while a launch uses it, where `told` holds.

    `name` is that of the object.  `shared` says the same as a note of the launch does.
    """

    name: str
    own: UsedBytes
    other: UsedBytes
    told: frozenset[Term]
    shared: HostNote


class LaunchedAs(Struct, frozen=True):
    """A kernel as it is launched beside other work, by its key; `what` says it in words.

    Its numbers, and its pointers as the key of an object and the bytes into it, come by the number of a parameter and
    the offset in that.
    """

    what: str
    kernel: str
    span: Span
    grid: tuple[Term, Term, Term]
    block: tuple[Term, Term, Term]
    numbers: Mapping[tuple[int, int], Term]
    pointers: Mapping[tuple[int, int], tuple[str, Term]]


class MayMeet(Struct, frozen=True):
    """A launch and other work beside it, where `told` holds: whether they use the same elements of an object is open.

    Or two other pieces of work, which use what the launch uses, too.

    `name` and `key` are those of the object, `extent` its bytes; None: unknown.  `sure`: nothing may order the two.
    `shared` says of the launch that they use the same ones, `assumed` that they do not.
    """

    name: str
    key: str
    own: LaunchedAs | UsedBytes
    other: LaunchedAs | UsedBytes
    told: frozenset[Term]
    sure: bool
    shared: HostNote
    assumed: Fact
    extent: Term | None = None


class LaunchSite(Struct, frozen=True):
    """A kernel launch with symbolic configuration and arguments.

    All symbols in it are shared by all threads.  Extents are at least 1.  `stack` are the call sites
    from the entry point to the launch, outermost first.  `configuration` is the source-like text.  `contents`
    hold where the kernel has not written yet; `made` are objects whose contents the program makes.
    `cluster`: the blocks of a cluster that the launch asks for along each axis; None: unknown.  `overlaps` are objects
    that are not assumed to be different ones; `held` are the pointers that the program puts where kernels find them.
    `bound` says what its textures and surfaces stand for, as far as that is known.
    `begins`: what objects may hold, as far as that is known; an object may have several entries.
    `beside` is what is assumed of work that may run at the same time; `shared` says what does so and uses the same
    elements of memory that one of the two writes; `at_once` are pairs of accesses of which this is sure, `may_meet`
    work of which the kernels decide it.  `any_caller`: its function was followed for any arguments, because no run has
    followed all of its callers to their end.  `untold` are tests on the way to it whose outcome is not known.
    `unseen` says of its function that it is called where no run of `main` comes to.  `image` is the memory that it
    finds where no input decides about that.
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
    made: tuple[ProgramMade, ...] = ()
    cluster: tuple[Term, Term, Term] | None = (const(1), const(1), const(1))
    overlaps: tuple[PossibleOverlap, ...] = ()
    held: tuple[HeldPointers, ...] = ()
    bound: tuple[BoundMemory, ...] = ()
    begins: tuple[Beginning, ...] = ()
    beside: tuple[Fact, ...] = ()
    shared: tuple[HostNote, ...] = ()
    at_once: tuple[AtOnce, ...] = ()
    may_meet: tuple[MayMeet, ...] = ()
    any_caller: bool = False
    untold: tuple[UntoldTest, ...] = ()
    unseen: HostNote | None = None
    image: LaunchImage | None = None


class HostRun(Struct, frozen=True):
    """The result of a run over the host code.

    `cut` says, by the key of a kernel, why it may have launches that are not among `launches`.  `functions` are the
    keys of the functions that were followed.  `never` are launches that constants rule out, of kernels (or instances of
    kernel templates) that `launches` has other launches of: they need no check.
    """

    launches: tuple[LaunchSite, ...]
    notes: tuple[HostNote, ...]
    cut: Mapping[str, HostNote] = field(default_factory=dict[str, HostNote])
    functions: frozenset[str] = frozenset()
    never: tuple[LaunchSite, ...] = ()
