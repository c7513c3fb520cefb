"""Runs the host code of a program from its entry points to every launch."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache
from math import inf
from time import perf_counter

from msgspec.structs import replace

from hgrd.host.concrete.run import run_concretely
from hgrd.host.concurrency.iterations import Iterations
from hgrd.host.concurrency.keyed_pointers import KeyedPointers
from hgrd.host.concurrency.trace import Trace
from hgrd.host.containers.element_changes import begin_elements
from hgrd.host.containers.elements import fixed_count
from hgrd.host.entry_points import EntryPoints, share_of, why_cut
from hgrd.host.escapes.followed_calls import all_followed
from hgrd.host.escapes.thread_arguments import relate_to_threads
from hgrd.host.execution.ruled_out import enter
from hgrd.host.execution.run_state import HostRunState, Options, begin_run
from hgrd.host.execution.symbol_copies import begin_with
from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.early_accesses import may_wait_for_others
from hgrd.host.linking.hidden_launches import hidden_launches
from hgrd.host.linking.link import LaunchPlace, Linked, link
from hgrd.host.memory.closure import Closure
from hgrd.host.memory.pointer_origins import IN
from hgrd.host.memory.possible_overlaps import decided_by
from hgrd.host.memory.stored_targets import StoredTargets
from hgrd.host.memory.stored_twice import Part
from hgrd.host.memory.unknowns import external, fresh_name, unknown
from hgrd.host.model import Fact, FactKind, HostNote, HostRun, LaunchSite
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.host.semantics import HostSemantics
from hgrd.host.sharing.beside import find_beside
from hgrd.program.analysis.effects import Effects
from hgrd.program.expressions import Storage, Variable
from hgrd.program.program import Function, Program
from hgrd.program.span import Span
from hgrd.program.types import OpaqueType, PointerType, Type, VoidType
from hgrd.symbolic.execution.calls import run as run_function
from hgrd.symbolic.execution.construction import initialise
from hgrd.symbolic.execution.interpreter import INTERPRETER
from hgrd.symbolic.limits import OUT_OF_TIME, StepLimitError, TimeLimitError, until
from hgrd.symbolic.machine import Frame, Machine
from hgrd.symbolic.names import Names
from hgrd.symbolic.state import EMPTY, Region, State
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value, pointed_to
from hgrd.terms import TRUE, Term, const

STEPS = 200_000  # for one entry point
_COMPARED = 1.0  # seconds to compare what a function puts on the device, at least
_GLOBAL_CELLS = 512  # a larger table is not read
_OF_CONCRETE_RUN = 4  # it may take one part in so many of the time that there is
_GIVEN = "given by callers"  # stands for a pointer that callers have put into several members of a record


class _InitialValues(HostSemantics):
    """The host code that makes initial values of constant memory: a constructor fills its object in loops."""

    def runs_concretely(self, effects: Effects) -> bool:
        return not effects.launches


def _any(_kernel: str) -> bool:
    return True


def run_host(
    programs: tuple[Program, ...],
    *,
    asserts: bool = True,
    wants: Callable[[str], bool] = _any,
    deadline: float = inf,
) -> HostRun:
    """All launches that the host code of the programs, linked together, makes, with the facts there.

    `asserts` False: assertions are not facts.  `wants`: only kernels of these unqualified names are looked at.
    Nothing is followed after `deadline`, a value of perf_counter().  Never raises; unsupported code is in the notes.
    """
    launches: list[LaunchSite] = []
    notes: dict[HostNote, None] = {}
    cut: dict[str, HostNote] = {}
    functions: set[str] = set()
    never: list[LaunchSite] = []
    for linked in link(programs, wants):
        run = begin_run(linked, Options(asserts, wants))
        now = perf_counter()
        run.concrete = run_concretely(linked, run.text.mod_sets, now + (deadline - now) / _OF_CONCRETE_RUN)
        ruled_out = _run_all(linked, run, deadline)
        stored = StoredTargets(run.origins, Closure(run.origins.steps))
        launches += [_with_held(linked, run, site, stored) for site in run.launches.sites if site not in ruled_out]
        never += ruled_out
        notes |= run.notes.found
        cut |= hidden_launches(linked, run.launches.by_handle) | run.notes.cut
        functions |= run.coverage.entered
    return HostRun(tuple(launches), tuple(notes), cut, frozenset(functions), tuple(never))


def _run_all(linked: Linked, run: HostRunState, deadline: float) -> list[LaunchSite]:
    """Runs entry points one after another, as long as there are launches that none of them has reached for sure.

    Where constants ruled out launches in the first one (`if (debug) …`), these are followed there: it knows more about
    them than the functions that it calls.  Functions with deeper recursion than is followed come last, for any
    arguments.  The result are launches that constants rule out, of kernels that have other launches.
    """
    names, points = Names(), EntryPoints(linked)
    dead: list[LaunchSite] = []
    entries = _entries(linked, run)
    found_all: set[str] = set()  # entries whose launches have all been found for any arguments
    for number, entry in enumerate(entries):
        wanted = linked.launches_below(entry.ref.key) - _reached(run) | points.open_in(entry)
        begins_threads = number == 0 and entry.ref.key == "main" and _calls_unseen(run)
        if not (wanted or begins_threads):
            continue
        before = len(run.launches.sites)
        machine = _run_entry(run, names, entry, points, share_of(deadline, entry))
        _drop_known(run, before, wanted)
        found_all |= {entry.ref.key} if wanted == linked.launches_below(entry.ref.key) else set()
        if number == 0 and entry.ref.key == "main" and not points.cuts:
            found_all |= _add_followed(run)
        if number == 0 and not points.cuts:
            dead += _enter_ruled_out(run, machine, entry, points, share_of(deadline, entry))
    dead += _run_ruled_out(run, names, points, deadline)
    if (stored := run.text.unseen_stores.pointer) is not None:
        for entry in entries[:1]:
            run.cut_short(entry, f"the library runs the destructor that stores a pointer at {stored}", (entry.body,))
    while deeper := sorted(run.coverage.recursive - found_all):
        found_all.add(deeper[0])
        _run_entry(run, names, linked.functions[deeper[0]], points, deadline)
    for key in sorted(run.coverage.passed_out - found_all):
        run.left_out(linked.functions[key], "may be called by code that is not followed")
    run.notes.cut = points.cut_kernels(run) | run.notes.cut
    made = {_defined(linked, site) for site in run.launches.sites if site not in dead}
    return [site for site in dead if _defined(linked, site) in made]


def _add_followed(run: HostRunState) -> set[str]:
    """Adds the launches of functions all calls of which `main` shows; the keys of these."""
    followed, before = set(all_followed(run)), len(run.launches.sites)
    run.launches.sites += [site for key in sorted(followed) for site in run.launches.by_calls[key]]
    _decide_overlaps(run, before)
    return followed


def _entries(linked: Linked, run: HostRunState) -> tuple[Function, ...]:
    """The entry points; where `main` begins threads of the host, these may make all of its launches."""
    entries, main = linked.entries(), linked.functions.get("main")
    begins = _calls_unseen(run) and main is not None and main.body is not None and main not in entries[:1]
    return (main, *entries) if begins and main is not None else entries


def _calls_unseen(run: HostRunState) -> bool:
    """Whether the program runs launching functions that no call names: threads, and what libraries are given."""
    if run.text.threads or run.text.holds_functions:
        return True
    several = run.text.ordering or run.text.host_uses
    functions = (run.linked.functions[key] for key in run.linked.uses)
    return bool(several) and any(
        run.linked.called_unseen(f) and run.linked.launches_below(f.ref.key) for f in functions
    )


def _enter_ruled_out(
    run: HostRunState, machine: Machine, entry: Function, points: EntryPoints, deadline: float
) -> list[LaunchSite]:
    """Launches in arms that constants rule out, which the run of an entry point has kept."""
    missed, before = run.linked.launches_below(entry.ref.key) - _reached(run), len(run.launches.sites)
    run.launches.overlooked, run.trace = missed, Trace()
    machine.steps, machine.deadline = 0, deadline
    try:
        with until(deadline):
            for kept in run.launches.ruled_out if missed else ():
                enter(run, machine, kept)
    except (StepLimitError, RecursionError) as limit:
        points.cut(entry, why_cut(entry, limit), limit if isinstance(limit, StepLimitError) else None)
    _decide_overlaps(run, before)
    run.notes.found |= dict.fromkeys(cut.note for cut in points.cuts)
    run.launches.overlooked = frozenset()
    _drop_known(run, before, missed)
    return _noted_as_dead(run, before)


def _run_ruled_out(run: HostRunState, names: Names, points: EntryPoints, deadline: float) -> list[LaunchSite]:
    """Launches that no run has come to: constants of the functions that make them rule them out."""
    dead: list[LaunchSite] = []
    for entry in points.linked.entries():
        missed = points.linked.launches_below(entry.ref.key) - _reached(run)
        if missed and entry.ref.key in points.covered():
            before, run.launches.overlooked = len(run.launches.sites), missed
            _run_entry(run, names, entry, points, share_of(deadline, entry))
            _drop_known(run, before, missed)
            dead += _noted_as_dead(run, before)
    run.launches.overlooked = frozenset()
    return dead


def _noted_as_dead(run: HostRunState, before: int) -> list[LaunchSite]:
    found = run.launches.sites[before:]
    for site in found:
        run.notes.found[HostNote(site.span, "the program as it stands never makes this launch")] = None
    return found


def _with_held(linked: Linked, run: HostRunState, site: LaunchSite, stored: StoredTargets) -> LaunchSite:
    """The launch with the pointers that the program, anywhere in it, stores where the kernel may find them.

    And with what it may run beside.
    """
    values = (*site.arguments, *(c.value for c in site.constants))
    by_name = [key for key, item in linked.globals.items() if item.variable.storage is Storage.DEVICE]
    launched = site.span, site.kernel.key
    return replace(
        site,
        held=tuple(stored.of(values, by_name)),
        beside=tuple(run.beside.assumed.get(launched, ())),
        shared=tuple(run.beside.shared.get(launched, ())),
        at_once=tuple(run.beside.at_once.get(launched, ())),
        may_meet=tuple(run.beside.may_meet.get(launched, ())),
    )


def _defined(linked: Linked, site: LaunchSite) -> Span | str:
    """The place where the kernel of a launch is defined, the same for all instances of a template; or its key."""
    kernel = linked.functions.get(site.kernel.key)
    return site.kernel.key if kernel is None else kernel.span


def _reached(run: HostRunState) -> frozenset[LaunchPlace]:
    return frozenset(place for site in run.launches.sites for place in _places(site))


def _places(site: LaunchSite) -> tuple[LaunchPlace, LaunchPlace]:
    return LaunchPlace(site.span, site.kernel.key), LaunchPlace(site.span, "")


def _drop_known(run: HostRunState, before: int, wanted: frozenset[LaunchPlace]) -> None:
    """Drops launches of a further entry that were found before: it knows less about them."""
    run.launches.sites[before:] = [s for s in run.launches.sites[before:] if not wanted.isdisjoint(_places(s))]


def _run_entry(run: HostRunState, names: Names, entry: Function, points: EntryPoints, deadline: float) -> Machine:
    """Runs one function on arguments from outside, until `deadline`, a value of perf_counter(); its machine."""
    linked = run.linked
    machine = Machine(
        linked.functions, linked.records, HostSemantics(run), INTERPRETER, names, step_limit=STEPS, deadline=deadline
    )
    state = State({}, ())
    run.escapes.library_variables |= run.text.unseen_stores.variables
    run.trace, run.launches.ruled_out = Trace(), []
    alone, before = bool(points.cuts and points.callers.get(entry.ref.key)), len(run.launches.sites)
    related = points.shared(entry) if alone else frozenset[tuple[int, int]]()
    try:
        with until(deadline):
            is_main = entry.ref.key == "main"
            run.provenance.beginnings = ObjectBeginnings(whole=is_main)
            begin_elements(state)
            _set_globals(run, machine, state, linked, is_main=is_main)
            arguments = tuple(_argument(machine, state, p) for p in entry.parameters)
            unseen = linked.called_unseen(entry) or (alone and entry.ref.key in points.anyhow)
            unseen = unseen or entry.ref.key in run.text.of_threads
            shown = "main" in points.whole or "main" not in linked.functions
            whole = shown and not (points.cuts or run.coverage.recursive)
            if unseen and not (whole and relate_to_threads(run, machine, state, entry, arguments)):
                run.origins.record_unknown(arguments)
            for parameter, argument in zip(entry.parameters, arguments, strict=True):
                if alone and points.repeats(parameter.type):
                    run.origins.record_written(pointed_to(argument), (_GIVEN,))
            for one, other in related:
                same = (other, one) in related
                run.origins.record_inside(arguments[one], arguments[other], same=same)
            run_function(machine, state, entry, arguments, None)
        if not (related and machine.effects.of(entry.body).through_pointers):  # host memory may have two names
            points.whole.add(entry.ref.key)
    except StepLimitError as limit:
        points.cut(entry, why_cut(entry, limit), limit)
    except RecursionError as limit:
        points.cut(entry, why_cut(entry, limit), None)
    _decide_overlaps(run, before, once=not alone and not run.coverage.recursive)
    run.notes.found |= dict.fromkeys(cut.note for cut in points.cuts)
    run.coverage.entered |= machine.entered
    if alone:
        _mark_alone(run, before, entry)
    if entry.ref.key != "main" and "main" in linked.functions and linked.called_unseen(entry):
        note = HostNote(entry.span, f"{entry.ref.name} is called by code that is not followed")
        run.launches.sites[before:] = [replace(site, unseen=note) for site in run.launches.sites[before:]]
    if not run.launches.overlooked:
        _compare(run, names, entry, max(deadline, perf_counter() + _COMPARED))
    return machine


def _decide_overlaps(run: HostRunState, before: int, *, once: bool = False) -> None:
    """Leaves the new launches the pairs of objects that may be one; `once`: as for `decided_by`."""
    decide = decided_by(run.origins, once=once)
    run.launches.sites[before:] = [
        replace(site, overlaps=tuple(left for o in site.overlaps if (left := decide(o)) is not None))
        for site in run.launches.sites[before:]
    ]


def _mark_alone(run: HostRunState, before: int, entry: Function) -> None:
    """Marks launches of a function whose callers are not followed whole: they put other work on the device."""
    run.launches.sites[before:] = [replace(site, any_caller=True) for site in run.launches.sites[before:]]
    text = f"nothing that callers of {entry.ref.name} put on other streams uses its memory at the same time"
    for site in run.launches.sites[before:] if run.text.ordering else ():
        fact = Fact(TRUE, FactKind.ASSUMPTION, text, entry.span)
        run.beside.assumed.setdefault((site.span, site.kernel.key), {})[fact] = None


def _compare(run: HostRunState, names: Names, entry: Function, deadline: float) -> None:
    """Finds what the launches of the run of a function may run beside."""
    threads = run.text.threads and run.linked.called_unseen(entry) and entry.ref.key not in run.coverage.in_threads
    closure = Closure(run.origins.steps)
    run.trace.common |= run.copies.page_locked
    keyed = KeyedPointers(run.origins, closure, run.trace.lookups, names)
    functions = run.linked.functions
    alone = (entry.ref.key != "main" and "main" in functions) or run.text.waits_unseen
    blocking = None if alone and run.text.independent_streams else run.text.blocking_streams

    @cache
    def waits(kernel: str) -> bool:
        return may_wait_for_others(run_by(kernel, functions))

    made = run.trace.once | run.trace.again

    def may_be(key: str) -> Set[str]:
        return closure.of((key,))

    @cache
    def stored_twice(holder: str) -> frozenset[Part]:
        return run.origins.stored_twice(holder, closure)

    def same(holder: str, objects: Set[str], class_: Type | None, places: tuple[Term, Term]) -> bool | None:
        if not (run.origins.may_be.get(holder) or isinstance(class_, OpaqueType)):
            return None
        made_here = frozenset(key for key in objects & made if "~" not in key)
        return run.handed.same(closure.of((holder, IN + holder)), made_here, class_, places, may_be)

    iterations = Iterations(
        names,
        run.origins.loaded,
        run.trace.born,
        run.trace.lookups,
        run.trace.results,
        may_be,
        keyed.held,
        stored_twice,
        same,
        lambda holder, one, other: run.origins.stored_at_both(holder, one, other, closure),
    )
    try:
        with until(deadline):
            waiting = None if alone else waits
            find_beside(run.trace, iterations, blocking, threads, waiting, run.beside, unseen=run.text.destroys_unseen)
    except TimeLimitError:
        why = f"{OUT_OF_TIME}: what {entry.ref.name} puts on the device at the same time is not known"
        run.cut_short(entry, why, (entry.body,))


def _argument(machine: Machine, state: State, parameter: Variable) -> Value:
    """An argument for a parameter of an entry point: an input of its name."""
    match parameter.type:
        case PointerType(to=to) if not isinstance(to, VoidType):
            pointer = external(machine, fresh_name(machine, parameter.name), parameter.type, parameter.span)
            state.store[pointer.target.key] = EMPTY
            return pointer
        case type_:
            return unknown(machine, parameter.name, type_, parameter.span)


def _set_globals(run: HostRunState, machine: Machine, state: State, linked: Linked, *, is_main: bool) -> None:
    """Stores initial values: of constants, and for `main` of all globals (zero without an initialiser)."""
    machine.frames.append(Frame(0, next(iter(linked.functions.values())).ref, None))
    for item in linked.globals.values():
        variable = item.variable
        if variable.storage not in (Storage.GLOBAL, Storage.STATIC):
            continue
        size = machine.size(variable.type)
        known = is_main or item.constant
        state.store[variable.key] = Region(zeroed=known and item.initial is None)
        count = fixed_count(variable.type) if size is None else size // 8
        if known and item.initial is not None and count is not None and count <= _GLOBAL_CELLS:
            whole = None if size is None else const(size)
            target = MemoryObject(variable.key, variable.name, MemorySpace.HOST, variable.type, whole, variable.span)
            initialise(machine, state, Pointer(target, const(0)), item.initial, variable.type, variable.span)
    semantics, machine.semantics = machine.semantics, _InitialValues(run)
    for key, item in linked.constants.variables.items():
        state.store[key] = Region()
        initial = linked.constants.begins(key, is_main=is_main)
        if initial is not None:
            begin_with(machine, state, item.variable, machine.evaluate(state, initial))
    machine.semantics = semantics
    machine.frames.pop()
