"""Capture of kernel launches: from symbolic values to launch sites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.surviving_iterations import survived
from hgrd.host.execution.symbol_copies import constants_at, facts_of
from hgrd.host.launches.abstraction import abstraction_of
from hgrd.host.launches.aliases import found_equal
from hgrd.host.launches.alternatives import unified
from hgrd.host.launches.bound_memory import bound_at, seen_at_launch
from hgrd.host.launches.contradictory import contradictory
from hgrd.host.launches.exact_contents import (
    exact_constants,
    exact_contents,
    exact_extents,
    exact_numbers,
    image_at,
    launched_concretely,
)
from hgrd.host.launches.projection import projected
from hgrd.host.launches.relevant_facts import argument_facts, connected, fact, holding, relevant
from hgrd.host.launches.traced_grids import TracedLaunch, trace_grid
from hgrd.host.launches.untold_tests import untold_tests
from hgrd.host.memory.array_contents import after_kernel, drop_all_patterns, patterns_of
from hgrd.host.memory.pointer_origins import ANYTHING
from hgrd.host.memory.possible_overlaps import possible_overlaps
from hgrd.host.memory.unknowns import between, forget_targets, unknown
from hgrd.host.model import Fact, HostNote, LaunchSite, ProgramMade
from hgrd.host.provenance.recordings import Entered, RecordedLaunch
from hgrd.host.wording import place_name, say
from hgrd.program import expressions as ir
from hgrd.program.expressions import Variable
from hgrd.program.layout import scalars
from hgrd.program.span import Span
from hgrd.program.types import POINTER_SIZE, FunctionType, IntType, PointerType, RecordType
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import Condition, ConditionKind, State
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Choice,
    Composite,
    FunctionValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    Value,
    pointed_to,
    terms_in,
)
from hgrd.terms import Term, as_int, const, negate
from hgrd.terms.rewrite import arrays_of

Extents: TypeAlias = tuple[Term, Term, Term]
LAUNCH_LIMIT = 512
LAUNCHES_OF_ONE_LINE = 64
_MOST_MEMBERS = 256
MAX_KERNELS = 16  # a launch through a pointer to one of more kernels is not followed
_EXTENT_LIMITS = {"grid": ((1 << 31) - 1, 65535, 65535), "block": (1024, 1024, 64)}


class LaunchRequest(Struct, frozen=True):
    """A launch as the program asks for it, in values of the host.

    `type` is that of the kernel, None: unknown.  `written` are the arguments in the source, (): the source has none.
    """

    kernel: Value
    grid: Value
    block: Value
    shared: Value | None
    arguments: tuple[Value, ...]
    span: Span
    cooperative: bool = False
    type: FunctionType | None = None
    written: tuple[ir.Expression, ...] = ()
    in_graph: bool = False  # the kernel does not run here, but when a graph is launched
    cluster: Extents | None = (const(1), const(1), const(1))  # blocks of a cluster; None: unknown
    stream: Value | None = None  # None: the default stream
    early: bool = False  # it may begin before the kernel before it in the stream has ended


def capture_launch(run: HostRunState, machine: Machine, state: State, request: LaunchRequest) -> None:
    """Adds a launch to those of the run; then the kernel may have changed what its arguments lead to."""
    if not state.alive:
        return
    match request.kernel:
        case FunctionValue(function=kernel):
            if not machine.speculative:
                captured = request.in_graph or run.launches.in_graph
                grid, block = _extents(machine, request.grid, "grid"), _extents(machine, request.block, "block")
                launch = TracedLaunch(
                    kernel, request.arguments, grid, block, request.stream, request.span, captured, request.early
                )
                trace_grid(run, state, launch)
            if run.launches.only_traced:
                return
            if not machine.speculative and run.options.wants(kernel.name):
                site, entered = _site(run, machine, state, request, kernel)
                recording = run.provenance.beginnings.recording
                if recording is not None:
                    recording.entries.append(RecordedLaunch(site, entered))
                if recording is None or not recording.is_on(state.path):
                    site = replace(site, begins=run.provenance.beginnings.begins(entered, state.path))
                add_site(run, machine, site)
            written = after_kernel(run.text.mod_sets, kernel.key, state, request.arguments)
            by_name = [machine.object_of(v) for v in run.text.mod_sets.by_name(kernel.key)]
            if run.origins.visible.by_kernel(kernel.key, run.text.mod_sets):
                given = (t for value in request.arguments for t in pointed_to(value))
                run.origins.record_kernel(kernel.key, given, (v.key for v in by_name))
            run.provenance.objects.record_computed((*written, *by_name), request.span, kernel.name)
            passed_on = map(machine.object_of, run.text.mod_sets.passed_on(kernel.key))
            filled = _record_filled(run, machine, state, request, kernel)
            changed = [t for t in (*written, *by_name, *passed_on) if t.key not in filled]
            numbers = _numbers_stored(run, request, kernel)
            run.provenance.beginnings.record_launch(
                state, changed, kernel.key, numbers, request.arguments, request.span
            )
        case Choice(condition=condition, then=a, otherwise=b):
            for kernel, test in ((a, condition), (b, negate(condition))):
                branch = state.copy()
                branch.assume(test, ConditionKind.BRANCH, request.span)
                if not contradictory(c.term for c in branch.path):
                    capture_launch(run, machine, branch, replace(request, kernel=kernel))
            drop_all_patterns(state)
            forget_targets(state, request.arguments, deep=True)
        case _:
            _launch_any(run, machine, state, request)


def _numbers_stored(run: HostRunState, request: LaunchRequest, kernel: ir.FunctionRef) -> frozenset[int]:
    """Numbers that a kernel stores: those in its source, and those that it is given."""
    function = run.linked.functions.get(kernel.key)
    given = dict(zip(() if function is None else function.parameters, request.arguments, strict=False))
    found = (_number(value, given) for value in run.text.mod_sets.numbers_stored(kernel.key))
    return frozenset(value.value for value in found if isinstance(value, Term) and value.is_const)


def _record_filled(
    run: HostRunState, machine: Machine, state: State, request: LaunchRequest, kernel: ir.FunctionRef
) -> set[str]:
    """A kernel that only fills an argument, or a variable, with one number has been launched: it holds that.

    The result are the keys of what it has filled.
    """
    filled: set[str] = set()
    function, effects = run.linked.functions.get(kernel.key), run.text.mod_sets
    given = dict(zip(() if function is None else function.parameters, request.arguments, strict=False))
    changed = [(argument, effects.only_stores(kernel.key, index)) for index, argument in enumerate(given.values())]
    named = {*effects.by_name(kernel.key), *effects.passed_on(kernel.key)}
    changed += [(Pointer(machine.object_of(v), const(0)), effects.only_assigned(kernel.key, v)) for v in named]
    for place, stores in changed:
        numbers = {_number(store.value, given) for store in stores}
        size = machine.size(stores[0].value.type) if stores else None
        number = next(iter(numbers), None)
        if isinstance(place, Pointer) and len(numbers) == 1 and number is not None and size is not None:
            one = len(stores) == 1 and _is_at_its_begin(stores[0].place)
            bytes_ = const(size) if one else place.target.size
            run.provenance.beginnings.record_fill(state, place, number, bytes_, request.span, size)
            filled.add(place.target.key)
    return filled


def _is_at_its_begin(place: ir.Place) -> bool:
    """Whether a store goes to one place of what it is given, not to a place for each thread."""
    match place:
        case ir.VariablePlace():
            return True
        case ir.Deref(pointer=pointer):
            return not isinstance(pointer, ir.PointerAdd) or isinstance(pointer.index, ir.IntConst)
        case _:
            return False


def _number(value: ir.Expression, given: Mapping[Variable, Value]) -> Value | None:
    """The value of a number that a kernel is given, or has in its source; None: of any other expression."""
    match value:
        case ir.Convert(operand=operand, type=IntType()) if isinstance(operand.type, IntType):
            return _number(operand, given)
        case ir.IntConst(value=number):
            return const(number)
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return given.get(variable)
        case _:
            return None


def _launch_any(run: HostRunState, machine: Machine, state: State, request: LaunchRequest) -> None:
    """A launch through a pointer of unknown value: one of each kernel that it can point to."""
    kernels = () if request.type is None else run.linked.kernels_pointed_to(request.type)
    if not 0 < len(kernels) <= MAX_KERNELS:
        run.notes.add(machine, "a launch of a kernel that is not known here", request.span)
        for key in run.linked.taken_kernels():
            run.notes.leave_out(machine, key, HostNote(request.span, "a kernel that is not known here is launched"))
        drop_all_patterns(state)
        return
    for kernel in kernels:
        capture_launch(run, machine, state.copy(), replace(request, kernel=FunctionValue(kernel.ref)))
    drop_all_patterns(state)
    forget_targets(state, request.arguments, deep=True)


def _site(
    run: HostRunState, machine: Machine, state: State, request: LaunchRequest, kernel: ir.FunctionRef
) -> tuple[LaunchSite, Entered]:
    """A launch, but for what it begins with."""
    in_graph = request.in_graph or run.launches.in_graph
    known = None if in_graph else launched_concretely(run, machine, kernel, request.span)
    asked = _extents(machine, request.grid, "grid"), _extents(machine, request.block, "block")
    grid, block = exact_extents(known, asked)
    shared = as_int(request.shared) if isinstance(request.shared, Term) else None
    roots = [*grid, *block, *([] if shared is None else [shared])]
    function = run.linked.functions.get(kernel.key)
    parameters = () if function is None else function.parameters
    arguments = exact_numbers(known, _arguments(run, machine, request, parameters))
    arguments = found_equal(state.path, arguments)
    constants = () if in_graph else exact_constants(known, constants_at(run, machine, state, kernel))
    filled = [] if in_graph or run.text.destructors_write else _known_contents(state, arguments)
    filled += exact_contents(run, machine, known, arguments)
    made = _program_made(run, arguments, request.written)
    by_name = [key for key, item in run.linked.globals.items() if item.variable.storage is ir.Storage.DEVICE]
    held_values = [c.value for c in constants]
    bound = bound_at(run, (*arguments, *held_values))
    behind = [place for b in bound for place in b.memory]
    one = unified(arguments, [*held_values, *behind], [o for o, _ in filled], made)
    values = [*one.arguments, *held_values, *behind]
    roots += [t for a in values for t in terms_in(a)]
    roots += [t for _, f in filled for t in f.terms()]
    path = (*state.path, *_of_iterations_before(run, machine, state))
    launches = run.launches
    conditions, kinds = projected(connected(path, roots), roots, launches.fact_kinds, launches.projections)
    conditions = relevant(conditions, roots)
    seen = abstraction_of(roots, [c.term for c in conditions], values)
    overlaps = run.timed(possible_overlaps(run.origins, values, by_name, state.path, seen.objects))
    constants = tuple(replace(c, value=seen.composite(c.value)) for c in constants)
    arguments = tuple(map(seen.value, one.arguments))
    grid, block = _map(seen.term, grid), _map(seen.term, block)
    extents = (*grid, *block)
    contents = tuple(holding(seen.place(o), f.mapped(seen.term)) for o, f in filled)
    held = [t for c in constants for t in terms_in(c.value)]
    within = [*held, *(t for h in contents for t in h.fill.terms()), *(t for a in arguments for t in terms_in(a))]
    facts = [fact(c, seen.term(c.term), kinds) for c in conditions]
    named = argument_facts(parameters, arguments, (*extents, *held), request.span)
    keys = (*(t.key for v in values for t in pointed_to(v)), *by_name)
    site = LaunchSite(
        kernel,
        request.span,
        grid,
        block,
        None if shared is None else seen.term(shared),
        arguments,
        (*relevant(facts, (*extents, *within)), *named, *facts_of(machine, constants)),
        f"<<<{_say_extents(grid)}, {_say_extents(block)}>>>",
        request.cooperative,
        tuple(f.call_site for f in machine.frames if f.call_site is not None),
        constants,
        contents,
        (*(replace(m, target=seen.place(m.target)) for m in one.made), *_made_elements(run, machine, roots)),
        request.cluster,
        tuple(overlaps),
        bound=tuple(seen_at_launch(seen, b) for b in bound),
        untold=tuple(untold_tests(run, machine, path, roots, seen)),
        image=None if in_graph else image_at(run, machine, kernel, request.span, parameters),
    )
    return site, Entered(kernel.key, request.arguments, keys, seen.term)


def _arguments(
    run: HostRunState, machine: Machine, request: LaunchRequest, parameters: Sequence[Variable]
) -> list[Value]:
    """The arguments, with a new input in place of each unknown one; an unknown pointer may lead anywhere."""
    found: list[Value] = []
    for argument, parameter in zip(request.arguments, parameters, strict=False):
        value = unknown(machine, parameter.name, parameter.type, request.span) if argument == OPAQUE else argument
        if argument == OPAQUE:
            run.origins.record_result(pointed_to(value), (ANYTHING,))
        found.append(_with_members(run, machine, value, parameter) if isinstance(value, Composite) else value)
    return found


def _with_members(run: HostRunState, machine: Machine, value: Composite, parameter: Variable) -> Composite:
    """A record with a new input in place of each unknown pointer in it, which may lead anywhere."""
    if not isinstance(parameter.type, RecordType):
        return value
    cells = dict(value.cells)
    whole = MemoryObject(parameter.name, parameter.name, MemorySpace.HOST, parameter.type, None, parameter.span)
    for at, type_ in scalars(parameter.type, machine.records, _MOST_MEMBERS):
        known = cells.get(at)
        if isinstance(type_, PointerType) and (known is None or known.value == OPAQUE):
            name, _ = place_name(whole, at, machine.records)
            pointer = unknown(machine, name, type_, parameter.span)
            run.origins.record_result(pointed_to(pointer), (ANYTHING,))
            cells[at] = Cell(pointer, POINTER_SIZE)
    return replace(value, cells=cells)


def _known_contents(state: State, arguments: Iterable[Value]) -> list[tuple[MemoryObject, ArrayPattern]]:
    """Known contents of arrays that a kernel gets, but for those that share a name with another object."""
    objects = list(dict.fromkeys(o for a in arguments for o in pointed_to(a)))
    alone = [o for o in objects if all(other.key == o.key or other.name != o.name for other in objects)]
    return [(o, f) for o in alone for f in patterns_of(state, o)]


def _program_made(run: HostRunState, arguments: Iterable[Value], written: Iterable[ir.Expression]) -> list[ProgramMade]:
    """The objects that a kernel gets, or knows by name, whose contents the program makes."""
    found: dict[str, ProgramMade | None] = {}
    for argument, expression in zip_longest(arguments, written):
        for target in pointed_to(OPAQUE if argument is None else argument):
            by_name = _nowhere if expression is None else partial(run.provenance.names.program_made, expression)
            found.setdefault(target.key, run.provenance.objects.of(target, by_name))
    named = [m.target for key, m in run.provenance.objects.made.items() if key in run.linked.globals]
    found |= {target.key: run.provenance.objects.of(target, _nowhere) for target in named}
    return [making for making in found.values() if making is not None]


def _made_elements(run: HostRunState, machine: Machine, values: Iterable[Term]) -> Iterator[ProgramMade]:
    """The arrays of the host, under their names in terms, that the program makes and that values are read from."""
    for array in sorted(arrays_of(*values)):
        making = run.provenance.of_elements(machine.names.owners.get(array, ""))
        if making is not None:
            yield replace(making, target=replace(making.target, key=array, name=array))


def _nowhere() -> None:
    return None


def _of_iterations_before(run: HostRunState, machine: Machine, state: State) -> Iterator[Condition]:
    """Conditions on earlier iterations of enclosing loops, each of the class of the condition that it comes from."""
    for loop in run.launches.enclosing:
        for told, source in survived(loop, state.path, machine.names):
            if source.term in run.launches.fact_kinds:
                run.launches.fact_kinds[told.term] = run.launches.fact_kinds[source.term]
            yield told


def _map(change: Callable[[Term], Term], extents: Extents) -> Extents:
    x, y, z = extents
    return change(x), change(y), change(z)


def _extents(machine: Machine, value: Value, name: str) -> Extents:
    """The members of a dim3; an unknown one is an input within CUDA's limits."""
    cells = value.cells if isinstance(value, Composite) else dict[int, Cell]()
    found: list[Term] = []
    for axis, (offset, limit) in enumerate(zip((0, 4, 8), _EXTENT_LIMITS[name], strict=True)):
        member = cells[offset].value if offset in cells else None
        if isinstance(member, Term):
            found.append(as_int(member))
        elif isinstance(value, Term):
            found.append(as_int(value) if axis == 0 else const(1))
        else:
            found.append(between(machine, f"{name}.{'xyz'[axis]}", 1, limit))
    return found[0], found[1], found[2]


def _say_extents(extents: Extents) -> str:
    one = const(1)
    texts = [say(t) for t in extents]
    if extents[1] is one and extents[2] is one:
        return texts[0]
    return f"({', '.join(texts[:2] if extents[2] is one else texts)})"


def add_site(run: HostRunState, machine: Machine, site: LaunchSite) -> None:
    """Adds a launch site; the same launch again leaves only the facts that hold both times."""
    same_line = [i for i, s in enumerate(run.launches.sites) if s.span == site.span and s.kernel == site.kernel]
    for index in same_line:
        known = run.launches.sites[index]
        if _what(known) == _what(site):
            contents = tuple(h for h in known.contents if h in site.contents)
            made = tuple(m for m in known.made if m.target in {n.target for n in site.made})
            facts = _common(known.facts, site.facts)
            begins = tuple(dict.fromkeys((*known.begins, *site.begins)))
            run.launches.sites[index] = replace(known, facts=facts, contents=contents, made=made, begins=begins)
            return
    if len(same_line) >= LAUNCHES_OF_ONE_LINE or len(run.launches.sites) >= LAUNCH_LIMIT:
        run.notes.leave_out(machine, site.kernel.key, HostNote(site.span, "there are more launches than are looked at"))
        return
    run.launches.sites.append(site)


def _what(site: LaunchSite) -> tuple[object, ...]:
    held = tuple((c.target.key, c.value) for c in site.constants)
    return site.grid, site.block, site.shared_bytes, site.arguments, site.cooperative, held, site.cluster, site.bound


def _common(a: tuple[Fact, ...], b: tuple[Fact, ...]) -> tuple[Fact, ...]:
    terms = {f.term for f in b}
    return tuple(f for f in a if f.term in terms)
