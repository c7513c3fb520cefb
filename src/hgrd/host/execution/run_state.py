"""State of a run over host code: what has been executed, found and noted so far, each kind in a struct of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.concrete.run import ConcreteRun
from hgrd.host.concurrency.trace import Trace
from hgrd.host.concurrency.unseen_destructors import UnseenStores, destroys_unseen, unseen_stores
from hgrd.host.execution.endings import Endings
from hgrd.host.execution.polls import impatient_queries
from hgrd.host.execution.result_names import ResultNames
from hgrd.host.execution.surviving_iterations import EnclosingLoop
from hgrd.host.linking.common_memory import uses_memory_of_kernels, variables_of_callbacks
from hgrd.host.linking.external_callers import FunctionsInObjects, functions_in_objects, functions_of_threads
from hgrd.host.linking.kernel_accesses import KernelAccesses
from hgrd.host.linking.kernel_effects import ModSets, writes_when_destroyed
from hgrd.host.linking.link import LaunchPlace, Linked
from hgrd.host.linking.stream_flags import (
    holds_functions,
    kinds_of_streams,
    ordering_functions,
    polling_calls,
    uses_threads,
    waits_unseen,
)
from hgrd.host.memory.handed_pointers import HandedPointers
from hgrd.host.memory.pointer_origins import IN, PointerOrigins
from hgrd.host.memory.stepped_iterators import stepped_elements
from hgrd.host.model import BoundMemory, FactKind, HostNote, LaunchSite, MadeSurface, PossibleOverlap, ProgramMade
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.host.provenance.by_name import NamedProvenance
from hgrd.host.provenance.by_object import ObjectProvenance
from hgrd.host.provenance.selected_input import SelectedInput, selected_input
from hgrd.host.sharing.told import Beside
from hgrd.program.expressions import Call, Expression, Variable
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.statements import Statement
from hgrd.symbolic.machine import Frame, Machine
from hgrd.symbolic.state import Generation, State
from hgrd.symbolic.values import MemoryObject, Value
from hgrd.terms import Symbol, Term

NOTE_LIMIT = 100


class Options(Struct, frozen=True):
    """What the caller asks for.

    `asserts`: assertions are facts.  `wants`: whether launches of a kernel of this unqualified name are looked for.
    """

    asserts: bool
    wants: Callable[[str], bool]


class ProgramText(Struct, frozen=True):
    """Properties of the whole program that its text shows without execution.

    `ordering` are the keys of functions that put work on the device or order it, where the program has more streams,
    devices or threads than one.  `launchers` are the keys of runtime functions that launch kernels.  `mod_sets` say
    what kernels may write, `accesses` what they surely do, `endings` which arms end it.  `destructors_write`: some
    destructor writes memory outside its object.  `stream_kinds`: whether the streams that it makes wait for work on the
    default stream (None: not known of some).  `polling` are the places of calls in the tests of loops.  `threads`: the
    program makes threads of the host.  `host_uses`: the host may use memory itself that kernels use.
    `holds_functions`: the program calls functions that objects of the library hold, `in_objects` are such functions.
    `waits_unseen`: the library may destroy objects whose destructors wait for the device, `destroys_unseen`: some whose
    destructors do more than give back what they hold, `unseen_stores` are what these store.  `stepped` are the places
    of calls that get one element of a container after the other, `impatient` those of queries in loops that may end
    while work is not complete.  `of_callbacks` are the keys of variables that functions which streams call may use,
    `of_threads` the functions that only new threads call, with the places where these begin.  `selected`: input that
    the host selects, or may refuse.
    """

    launchers: frozenset[str]
    mod_sets: ModSets
    accesses: KernelAccesses
    endings: Endings
    destructors_write: bool
    stream_kinds: frozenset[bool | None]
    ordering: frozenset[str] = frozenset()
    polling: frozenset[Span] = frozenset()
    threads: bool = False
    host_uses: bool = False
    holds_functions: bool = False
    in_objects: FunctionsInObjects = FunctionsInObjects()
    waits_unseen: bool = False
    destroys_unseen: bool = False
    unseen_stores: UnseenStores = UnseenStores()
    stepped: frozenset[Span] = frozenset()
    impatient: frozenset[Span] = frozenset()
    of_callbacks: frozenset[str] = frozenset()
    of_threads: Mapping[str, frozenset[Span]] = MappingProxyType({})
    selected: SelectedInput = SelectedInput()

    @property
    def independent_streams(self) -> bool:
        """Whether some streams may not wait for work on the default stream."""
        return self.blocking_streams is not True

    @property
    def blocking_streams(self) -> bool | None:
        """Whether all streams wait for work on the default stream, or none does (None: not known).

        Those that the program does not make wait, as a rule.
        """
        kinds = self.stream_kinds or {True}
        return next(iter(kinds)) if len(kinds) == 1 else None


class Projections(Struct):
    """Projections of conditions so far: the paths to launches have most in common.

    `shorter` and `told` have them by the symbols that they lose, `sizes` are those of conditions in nodes.
    """

    sizes: dict[Term, int] = field(default_factory=dict[Term, int])
    shorter: dict[tuple[Term, frozenset[Symbol]], Term] = field(
        default_factory=dict[tuple[Term, frozenset[Symbol]], Term]
    )
    told: dict[tuple[Term, frozenset[Symbol]], Term] = field(default_factory=dict[tuple[Term, frozenset[Symbol]], Term])


class RuledOut(Struct, frozen=True):
    """An arm of an `if`, or a case, that is never entered: the state where it would be, the calls and loops there."""

    arm: Statement
    state: State
    frames: tuple[Frame, ...]
    loops: tuple[EnclosingLoop, ...]


class Launches(Struct):
    """Launches found so far, and what is needed to describe the next one.

    `fact_kinds` has the class of a path condition where its own kind does not say it.  `enclosing` are the loops that
    the run is in, outermost first.  `overlooked` are launches that constants rule out: while it is not empty, arms of
    an `if` that lead to them are entered all the same; `ruled_out` are those that the present run has not entered.
    `by_handle` has launches by the driver API, and whether their kernels were known each time.  `in_graph`: launches
    may be recorded into a graph, which runs them when memory may hold something else.  `only_traced`: another thread of
    the host makes the launches, which are found elsewhere.
    `by_calls` are those of functions that objects hold, at the `calls` of these that were followed, `missed` are
    such functions of which some calls were not.
    """

    sites: list[LaunchSite] = field(default_factory=list[LaunchSite])
    fact_kinds: dict[Term, FactKind] = field(default_factory=dict[Term, FactKind])
    enclosing: list[EnclosingLoop] = field(default_factory=list[EnclosingLoop])
    overlooked: frozenset[LaunchPlace] = frozenset()
    ruled_out: list[RuledOut] = field(default_factory=list[RuledOut])
    by_handle: dict[Span, bool] = field(default_factory=dict[Span, bool])
    projections: Projections = field(default_factory=Projections)
    in_graph: bool = False
    only_traced: bool = False
    by_calls: dict[str, list[LaunchSite]] = field(default_factory=dict[str, list[LaunchSite]])
    calls: set[Span] = field(default_factory=set[Span])
    missed: set[str] = field(default_factory=set[str])


class Coverage(Struct):
    """Functions by their keys, as far as the run has come to them.

    `entered` were followed.  `recursive` call themselves once more than is followed.  `passed_out` launch kernels and
    were passed to unknown code, which may call them; `in_threads` were followed where threads of the host begin, by the
    places there with what each one was given.
    """

    entered: set[str] = field(default_factory=set[str])
    recursive: set[str] = field(default_factory=set[str])
    passed_out: set[str] = field(default_factory=set[str])
    in_threads: dict[str, dict[Span, list[tuple[Value, ...]]]] = field(
        default_factory=dict[str, "dict[Span, list[tuple[Value, ...]]]"]
    )


class Escapes(Struct):
    """Objects that unknown code may write, by their keys.

    `written_by_callbacks` are objects that functions write which were passed to unknown code.  `escaped` are objects
    of the host that pointers of unknown origin may lead to.  `library_variables` belong to libraries and change at any
    time.  `private` are local variables to which no pointer leads; None: not computed yet.
    """

    written_by_callbacks: dict[str, MemoryObject] = field(default_factory=dict[str, MemoryObject])
    escaped: dict[str, MemoryObject] = field(default_factory=dict[str, MemoryObject])
    library_variables: set[str] = field(default_factory=set[str])
    private: frozenset[str] | None = None


class ProvenanceTables(Struct):
    """Provenance of array contents: of the objects of this run, and by name for what the run has not seen made.

    `beginnings` are numbers that flags and counters begin with.  `containers` has the elements of containers by their
    keys, each with the expression that names the container.  `given_away` are the keys of containers whose elements
    another one has taken over: from then on they may have elements of their own, or not.
    """

    objects: ObjectProvenance
    names: NamedProvenance
    beginnings: ObjectBeginnings = field(default_factory=ObjectBeginnings)
    containers: dict[str, tuple[MemoryObject, Expression]] = field(
        default_factory=dict[str, "tuple[MemoryObject, Expression]"]
    )
    given_away: set[str] = field(default_factory=set[str])

    def of_elements(self, key: str) -> ProgramMade | None:
        """What of the program made the elements of a container; None: some of them may be input."""
        if key not in self.containers:
            return None
        elements, container = self.containers[key]
        seen = self.objects.of(elements, lambda: self.names.program_made(container))
        span = None if seen or key in self.objects.inputs else self.names.program_made(container)
        return seen if span is None else ProgramMade(elements, "", span)


class Copies(Struct):
    """Copies between host and device.

    `page_locked` are the keys of objects that copies may read later.  `to_symbols` has the last copy to each variable
    of constant memory, `used_symbols` the variables of constant memory that each kernel uses; by their keys.
    """

    page_locked: set[str] = field(default_factory=set[str])
    to_symbols: dict[str, Span] = field(default_factory=dict[str, Span])
    used_symbols: dict[str, Mapping[str, Variable]] = field(default_factory=dict[str, "Mapping[str, Variable]"])


class Notes(Struct):
    """Notes for the report; `cut` says, by the key of a kernel, why it may have further launches."""

    found: dict[HostNote, None] = field(default_factory=dict[HostNote, None])
    cut: dict[str, HostNote] = field(default_factory=dict[str, HostNote])

    def add(self, machine: Machine, text: str, span: Span) -> None:
        """Adds a note, but for those of a run that is only tried, and at most NOTE_LIMIT."""
        if not machine.speculative and len(self.found) < NOTE_LIMIT:
            self.found[HostNote(span, text)] = None

    def leave_out(self, machine: Machine, kernel: str, why: HostNote) -> None:
        """Adds why the kernel of this key may have further launches, but for those of a run that is only tried."""
        if not machine.speculative:
            self.found[why] = None
            self.cut.setdefault(kernel, why)


CallPath: TypeAlias = tuple[Span | None, ...]
"""The place of a call, and the places of the calls that led to it."""


class HostRunState(Struct):
    """All that is known of one program's host code while it is executed; shared by the runs from all entry points.

    `trace` is what the present run puts on the device, `beside` what the launches so far may run beside.
    `concrete` has what launches find in memory where no input decides about it.
    `bound` has what textures and surfaces stand for, by the names of their handles and the keys of their references,
    `surfaces` and `textures` are what the program makes, by the places of the calls.
    `computed` are numbers that the program computes from others by steps that are not followed, with these.
    `origins` say what pointers lead to, `handed` which of them the program has put where.
    """

    linked: Linked
    options: Options
    text: ProgramText
    provenance: ProvenanceTables
    result_names: ResultNames
    launches: Launches = field(default_factory=Launches)
    coverage: Coverage = field(default_factory=Coverage)
    escapes: Escapes = field(default_factory=Escapes)
    copies: Copies = field(default_factory=Copies)
    origins: PointerOrigins = field(default_factory=PointerOrigins)
    handed: HandedPointers = field(default_factory=HandedPointers)
    notes: Notes = field(default_factory=Notes)
    trace: Trace = field(default_factory=Trace)
    beside: Beside = field(default_factory=Beside)
    bound: dict[str, BoundMemory] = field(default_factory=dict[str, BoundMemory])
    surfaces: dict[CallPath, list[MadeSurface]] = field(default_factory=dict[CallPath, list[MadeSurface]])
    textures: dict[CallPath, list[MadeSurface]] = field(default_factory=dict[CallPath, list[MadeSurface]])
    concrete: ConcreteRun = field(default_factory=ConcreteRun)
    computed: dict[Symbol, frozenset[Symbol]] = field(default_factory=dict[Symbol, frozenset[Symbol]])

    def timed(self, overlaps: Iterable[PossibleOverlap]) -> Iterable[PossibleOverlap]:
        """The pairs at a launch, with what code that is not followed has `written` before it, if that is known."""
        in_order = not (self.launches.enclosing or self.text.threads or self.trace.teams)
        return (replace(o, written=self.origins.written) for o in overlaps) if in_order else overlaps

    def record_pointers(self, machine: Machine, address: Value, value: Value) -> None:
        """A value, which may have pointers, is stored at an address."""
        loops = tuple(loop.binder for loop in self.trace.inside)
        self.origins.record_store(machine, address, value)
        self.handed.record_store(self.origins, machine, address, value, loops)

    def record_handed(
        self, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...], sources: set[str]
    ) -> None:
        """A function of the library gets arguments, which may have pointers; `sources` name what it may return."""
        given = zip(arguments, (e.type for e in call.arguments), strict=False)
        loops = tuple(loop.binder for loop in self.trace.inside)
        made = [name for name in sources if name.startswith(IN)]
        self.handed.record_call(self.origins, machine, state, call.function.qualified, given, loops, made)

    def record_loaded(
        self, machine: Machine, target: MemoryObject, generation: Generation, offset: Term, value: Value
    ) -> None:
        """A value was found in memory of unknown contents."""
        self.origins.record_load(target, generation, offset, value)
        if not machine.speculative:
            self.trace.look(generation)

    def cut_short(self, entry: Function, text: str, left: Iterable[Statement | None]) -> None:
        """An entry point was not followed to its end; `left` are the statements that were still to come."""
        note = HostNote(entry.span, text)
        self.notes.found[note] = None
        for key in self.linked.kernels_in(statement for statement in left if statement is not None):
            self.notes.cut.setdefault(key, note)

    def left_out(self, function: Function, why: str) -> None:
        """A function is called once more, which is not followed."""
        if self.linked.launches_below(function.ref.key):
            self.cut_short(function, f"{function.ref.name} {why}", (function.body,))


def begin_run(linked: Linked, options: Options) -> HostRunState:
    """The state before anything is executed."""
    functions = linked.functions
    text = ProgramText(
        linked.launchers(),
        ModSets(functions, linked.records),
        KernelAccesses(functions),
        Endings(functions),
        writes_when_destroyed(functions.values()),
        kinds_of_streams(functions.values()),
        ordering_functions(functions),
        polling_calls(functions),
        threads := uses_threads(functions),
        uses_memory_of_kernels(functions),
        held := holds_functions(functions),
        functions_in_objects(linked) if held else FunctionsInObjects(),
        waits_unseen(functions),
        destroys := destroys_unseen(functions),
        unseen_stores(functions) if destroys else UnseenStores(),
        stepped_elements(functions),
        impatient_queries(functions),
        variables_of_callbacks(functions),
        functions_of_threads(linked) if threads else {},
        selected := selected_input(functions),
    )
    provenance = ProvenanceTables(ObjectProvenance(selected), NamedProvenance(linked))
    return HostRunState(linked, options, text, provenance, ResultNames(functions))
