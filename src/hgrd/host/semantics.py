"""Host implementation of `Semantics`: what host code means to the symbolic machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from hgrd.host.constructors import constructed, new_object
from hgrd.host.containers.element_changes import note_call, note_store
from hgrd.host.containers.element_lookups import lookup_of, record_lookup
from hgrd.host.containers.elements import begin_container, elements_in, forget_elements
from hgrd.host.device_work.order import record_order, stores_no_pointers
from hgrd.host.device_work.thrust_algorithms import note_policy
from hgrd.host.escapes.callbacks import may_run, pass_all_with_address, pass_to_unknown_code
from hgrd.host.escapes.exceptions import left_by_throwing
from hgrd.host.escapes.followed_calls import follow_calls
from hgrd.host.escapes.kept_pointers import record_kept
from hgrd.host.escapes.wild_stores import escape_by_result, escape_into_containers, wild_store
from hgrd.host.execution.computed_numbers import note_result
from hgrd.host.execution.held_functions import follow_pointed, forwards, invoked
from hgrd.host.execution.host_uses import record_poll, record_use, record_use_anywhere
from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.execution.openmp import is_mark, mark_threads, thread_model
from hgrd.host.execution.ruled_out import leaves_out
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.surviving_iterations import EnclosingLoop
from hgrd.host.execution.symbol_copies import forget_constants
from hgrd.host.execution.unmodelled_stores import outside_code, record_unmodelled, written_by
from hgrd.host.kinds import FactKind
from hgrd.host.library.algorithms import algorithm_model, is_algorithm
from hgrd.host.library.containers import adds_element, container_model, copies_numbers, removes_elements
from hgrd.host.library.cuda_runtime import cuda_model
from hgrd.host.library.host_threads import before_thread, copied, follow_thread
from hgrd.host.library.launch_functions import launch_from_syntax
from hgrd.host.library.libc import LIBC, fails
from hgrd.host.library.lists import list_length
from hgrd.host.library.pointer_holders import gets_held, given_on, holder_model, is_exact
from hgrd.host.linking.external_callers import THROUGH_POINTER, launchers_by_pointer, launchers_passed
from hgrd.host.linking.library_names import (
    copies_memory,
    hides_stores,
    is_of_program,
    of_container,
    stores_elements,
    stores_inside,
)
from hgrd.host.memory.array_contents import (
    drop_aliased_patterns,
    drop_all_patterns,
    drop_reachable_patterns,
    record_patterns,
)
from hgrd.host.memory.given_pointers import held_in, sources_of
from hgrd.host.memory.handed_pointers import hands_on
from hgrd.host.memory.unknowns import direct_targets, unknown, unknown_contents
from hgrd.host.provenance.by_object import inserted_into, keeps_order, makes_results, with_elements_of
from hgrd.host.results import sources_of_result, store_inside, with_origin
from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import Effects
from hgrd.program.expressions import Storage, Variable
from hgrd.program.layout import holds_pointers
from hgrd.program.program import Function
from hgrd.program.sentinels import THROWN
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Statement
from hgrd.program.types import ArrayType, OpaqueType, RecordType, Type
from hgrd.symbolic import floats
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.execution.calls import may_enter
from hgrd.symbolic.execution.calls import run as run_function
from hgrd.symbolic.execution.constructors import constructed_type
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.machine import Machine, Semantics
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, State
from hgrd.symbolic.values import (
    OPAQUE,
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    Value,
)
from hgrd.terms import Origin, Symbol, Term, const, ne

_SPACES = {
    Storage.GLOBAL: MemorySpace.HOST,
    Storage.STATIC: MemorySpace.HOST,
    Storage.DEVICE: MemorySpace.GLOBAL,
    Storage.CONSTANT: MemorySpace.CONSTANT,
    Storage.SHARED: MemorySpace.SHARED,
}
_WRITE_NOTHING = ("a read ", "sizeof ", "pointer arithmetic ")  # of these, only the value is unsupported


@dataclass(slots=True)
class HostSemantics(Semantics):
    """One run from one entry point; what it finds goes into `run`."""

    class_origin: ClassVar[Origin] = Origin.COMPUTED
    run: HostRunState

    def variable_object(self, machine: Machine, variable: Variable) -> MemoryObject | None:
        space = _SPACES.get(variable.storage)
        if space is None:
            return None
        if space is MemorySpace.HOST and variable.key not in self.run.linked.globals:
            self.run.escapes.library_variables.add(variable.key)
        size = machine.size(variable.type)
        bytes_ = const(size) if size else None  # nothing fits into `T a[0]`: its length is not known
        exact = space is MemorySpace.HOST
        return MemoryObject(variable.key, variable.name, space, variable.type, bytes_, variable.span, exact=exact)

    def builtin(self, machine: Machine, variable: Variable) -> Value:
        return unknown(machine, variable.name, variable.type, variable.span)

    def contents(
        self, machine: Machine, target: MemoryObject, generation: Generation, offset: Term, type_: Type
    ) -> Value:
        self.run.provenance.objects.record_look(target)
        if isinstance(type_, OpaqueType):
            return Composite({}, 8, target.key)
        value = unknown_contents(machine, target, generation, offset, type_)
        if target.key in self.run.escapes.library_variables:
            value = unknown(machine, target.name, type_, target.span)
        self.run.record_loaded(machine, target, generation, offset, value)
        return value

    def load(self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool) -> Value:
        """Device memory is not read on the host; managed variables are, and kernels may have changed them."""
        value = unknown(machine, pointer.target.name, type_, span)
        self.run.origins.record_load(pointer.target, Generation(), pointer.offset, value)
        return value

    def store(
        self, machine: Machine, state: State, pointer: Pointer, value: Value, type_: Type, span: Span, volatile: bool
    ) -> None:
        pass

    def before_load(
        self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool
    ) -> None:
        if pointer.target.key in self.run.text.unseen_stores.variables:
            state.store[pointer.target.key] = EMPTY
        record_use(self.run, machine, state, pointer, type_, span, writes=False, unsure=volatile)
        if volatile:
            record_poll(self.run, machine, state)

    def before_store(
        self, machine: Machine, state: State, address: Value, value: Value, type_: Type, span: Span
    ) -> None:
        if isinstance(address, Pointer):
            record_use(self.run, machine, state, address, type_, span, writes=True)
        self.run.record_pointers(machine, address, value)
        wild_store(self.run, state, address, value)
        note_store(state, address, value)
        begin_container(state, address, value, type_)
        drop_aliased_patterns(state, address)
        self.run.provenance.objects.record_store(machine, state, address, value, span)
        self.run.provenance.beginnings.record_store(state, address, value, type_, span)

    def derived(self, machine: Machine, state: State, value: Value, given: FloatValue, span: Span) -> None:
        """An integer type has no infinity: the behaviour is undefined where it is given one (C++ [conv.fpint])."""
        self.run.provenance.objects.record_conversion(machine, value, given)
        truth = isinstance(value, Term) and value.is_bool
        for divisor in () if truth else floats.divisors(given):
            finite = ne(divisor, const(0))
            self.run.launches.fact_kinds[finite] = FactKind.ASSUMPTION
            state.assume(finite, ConditionKind.VALUE, span)

    def note_pointer_targets(self, state: State, values: tuple[Value, ...]) -> None:
        drop_reachable_patterns(state, values)

    def note_unknown_stores(self, state: State, targets: Iterable[MemoryObject], given: Iterable[Value]) -> None:
        named, shared = ((value, None) for value in given), self.run.text.of_callbacks
        self.run.origins.record_written(targets, sources_of(state, named, shared, local=True))

    def origin_of_unsupported(self) -> Origin:
        return Origin.INPUT

    def wants_patterns(self, effects: Effects) -> bool:
        return effects.through_pointers or bool(effects.arrays) or stores_elements(effects.calls)

    def note_patterns(self, state: State, target: MemoryObject, fills: tuple[ArrayPattern, ...]) -> None:
        record_patterns(state, target, fills)

    def call(self, machine: Machine, state: State, call: ir.Call, arguments: tuple[Value, ...]) -> Value | None:
        if call.function == THROWN:
            left_by_throwing(self.run, machine, state, arguments)
            return OPAQUE
        if is_mark(call):
            return mark_threads(self.run, machine, call)
        function = machine.functions.get(call.function.key)
        own = function is not None and function.body is not None and function.user_code
        if function is not None and own and may_enter(machine, function, arguments):
            return None
        if function is not None and own and not machine.speculative:
            self.run.coverage.recursive.add(function.ref.key)
        known = invoked(LibraryCall(self.run, machine, state, call, arguments))
        if known is not None and may_enter(machine, *known):
            return run_function(machine, state, *known, call.span)
        before = before_thread(state, call)
        if before is not None or forwards(self.run, call):
            call, arguments = copied(machine, state, call, arguments)
        if not machine.speculative:
            self.run.coverage.passed_out |= launchers_passed(self.run.linked, state, call, arguments)
        pass_to_unknown_code(self.run, machine, state, call, given_on(call, arguments))
        may_run(self.run, state)
        escape_into_containers(self.run, state, call, arguments)
        if hides_stores(call.function.qualified):
            drop_all_patterns(state)
        mark = machine.names.mark()
        invocation = LibraryCall(self.run, machine, state, call, arguments)
        sources = sources_of_result(invocation)
        self.run.record_handed(machine, state, call, arguments, sources)
        record_order(invocation)
        follow_calls(invocation)
        got = lookup_of(invocation)
        value = self._modelled(invocation, function, own=own)
        exact = value is not None and is_exact(call)
        value = self._not_followed(invocation, function) if value is None else value
        if not of_container(call.function.qualified):
            self.run.provenance.objects.record_result(machine, mark, value)
        if not own and any(keeps_order(a.type) for a in call.arguments):
            to = (*arguments, value, *inserted_into(machine, state, call))
            self.run.provenance.objects.record_remade([*reachable(state, to), *elements_in(state, to)], call.span)
            value = with_elements_of(value, arguments)
        own_elements = copies_numbers(call, machine.records)
        if copies_memory(call.function.name) and len(arguments) > 1:
            self.run.origins.record_copy(machine, state, arguments[0], arguments[1])
            sources = held_in(arguments[1:])
        if not exact and not own_elements and not stores_no_pointers(invocation):
            record_kept(self.run, call, arguments, sources, own=own)
        if stores_inside(call):
            store_inside(invocation, sources)
        if not (own_elements and constructed_type(arguments) is not None):
            value = with_origin(invocation, value, mark, set() if exact and gets_held(call) else sources)
        value = self.run.provenance.objects.record_taken_over(value, arguments)
        if before is not None:
            follow_thread(invocation, value, before)
        record_lookup(invocation, value, got, mark)
        note_call(invocation)
        note_policy(invocation, value)
        return value

    def _modelled(self, invocation: LibraryCall, function: Function | None, *, own: bool) -> Value | None:
        """The result of a call by the model of the function; None: it has none."""
        call, of_program = invocation.call, function is not None and function.user_code
        model = None if own or is_of_program(call.function) else _model(call, of_program=of_program)
        if model is None and not of_program:
            model = algorithm_model(call.function.qualified)
        return None if model is None else model(invocation)

    def _not_followed(self, invocation: LibraryCall, function: Function | None) -> Value:
        """The result of a call whose body is not run and that has no model, by the function's type."""
        machine, state, call, arguments = invocation.machine, invocation.state, invocation.call, invocation.arguments
        if function is not None and function.noreturn:
            return fails(invocation)
        made = constructed(machine, state, call, arguments)
        if made is not None:
            return made
        deep = function is not None and function.user_code
        written, adds = written_by(call, arguments), adds_element(invocation)
        if makes_results(call.function.name):
            self.run.provenance.objects.record_remade(direct_targets(arguments), call.span)
        elif not adds and not removes_elements(call):
            given = reachable(state, written) if deep else [*direct_targets(written), *elements_in(state, written)]
            self.run.provenance.objects.record_input(given)
        if not adds:
            record_unmodelled(self.run, state, call, reachable(state, written))
        forget_elements(state, written)
        outside_code(self.run, machine, state, call, arguments, deep=deep)
        escape_by_result(self.run, call, arguments)
        result = new_object(machine, call, arguments) or invocation.computed() or invocation.unknown()
        note_result(invocation, written, result)
        return result

    def note_computed(self, made: Symbol, given: frozenset[Symbol]) -> None:
        self.run.computed[made] = given

    def through_pointer(
        self, machine: Machine, state: State, call: ir.IndirectCall, arguments: tuple[Value, ...]
    ) -> None:
        follow_pointed(self.run, machine, state, call, arguments)

    def launch(self, machine: Machine, state: State, launch: ir.Launch) -> Value:
        return launch_from_syntax(self.run, machine, state, launch)

    def skips_dead_arm(self, machine: Machine, state: State, arm: Statement) -> bool:
        return leaves_out(self.run, machine, state, arm)

    def ends_program(self, arm: Statement) -> bool:
        self.run.provenance.objects.record_arm(arm.span)
        return self.run.text.endings.has(arm)

    def unrolls_array(self, array: Variable) -> bool:
        """Whether loops over the array are unrolled: arrays of pointers, or of records of some, hold allocations."""
        return isinstance(array.type, ArrayType) and holds_pointers(array.type.of, self.run.linked.records)

    def list_length(self, state: State, place: Pointer, type_: Type | None) -> int | None:
        return list_length(state, place, type_)

    def runs_concretely(self, effects: Effects) -> bool:
        """Whether a loop computes a number and does nothing else."""
        return not (effects.launches or effects.calls or effects.arrays or effects.through_pointers)

    def made_by_loop(self, target: MemoryObject) -> Origin:
        """Elements and members are values that the program has computed, no inputs of it."""
        return Origin.COMPUTED if isinstance(target.element, ArrayType | RecordType) else Origin.UNKNOWN

    def must_record(self, effects: Effects) -> bool:
        text, hands = self.run.text, effects.through_pointers or hands_on(effects.calls)
        if text.host_uses or (text.ordering and hands):
            return True
        followed = text.launchers | text.ordering | text.in_objects.operators
        return effects.launches or not effects.calls.isdisjoint(followed)

    def look_ahead(self, machine: Machine) -> None:
        if not machine.speculative:
            self.run.provenance.beginnings.look_ahead()

    def enter_loop(
        self, machine: Machine, state: State, binder: Symbol, span: Span, *, untold: bool, changed: frozenset[str]
    ) -> None:
        may_run(self.run, state)
        if not machine.speculative:
            self.run.launches.enclosing.append(EnclosingLoop(binder, state.path))
            self.run.trace.enter(binder, machine.names.index[binder.name], state, changed, machine.activations)
            self.run.provenance.beginnings.enter_loop()

    def begin_body(self, machine: Machine, state: State) -> None:
        self.run.origins.begin_iteration(machine, state)
        if not machine.speculative and self.run.launches.enclosing and not self.run.launches.enclosing[-1].begun:
            self.run.launches.enclosing[-1] = replace(self.run.launches.enclosing[-1], path=state.path, begun=True)

    def leave_loop(self, machine: Machine, binder: Symbol, count: Symbol, ends: IterationExits) -> tuple[Term, ...]:
        if not machine.speculative:
            self.run.launches.enclosing = [x for x in self.run.launches.enclosing if x.binder != binder]
            self.run.provenance.beginnings.leave_loop()
            self.run.trace.leave(binder, whole=not ends.breaks and not ends.returns)
        return ()

    def leave_function(self, machine: Machine, state: State, span: Span) -> None:
        pass

    def abort(self, machine: Machine, state: State, span: Span) -> None:
        pass

    def assembly(self, machine: Machine, state: State, statement: Assembly, arguments: tuple[Value, ...]) -> None:
        pass

    def through_unknown(self, machine: Machine, state: State, type_: Type, span: Span, *, writes: bool) -> None:
        record_use_anywhere(self.run, machine, state, type_, span, writes=writes)
        Semantics.through_unknown(self, machine, state, type_, span, writes=writes)

    def unsupported(self, machine: Machine, state: State, reason: str, span: Span) -> None:
        """Unsupported host code matters only for what it may write."""
        if not reason.startswith(_WRITE_NOTHING):
            drop_all_patterns(state)
            forget_constants(self.run, state)
        if reason == THROUGH_POINTER:
            if not machine.speculative:
                self.run.coverage.passed_out |= launchers_by_pointer(self.run.linked)
            pass_all_with_address(self.run, machine)
            may_run(self.run, state)
        if "goto" in reason:
            self.run.notes.add(machine, f"{reason} is not followed: what is behind it may be missing", span)


def _model(call: ir.Call, *, of_program: bool) -> LibraryModel | None:
    """The model of a function by its name; None for members of the program's own classes: they may do anything."""
    name = call.function.name
    if (of_program and "::" in call.function.qualified) or is_algorithm(name, len(call.arguments)):
        return None
    held = holder_model(call.function.qualified)
    return (
        held
        or container_model(call.function.qualified)
        or LIBC.get(name)
        or thread_model(name)
        or cuda_model(name, call.type)
    )
