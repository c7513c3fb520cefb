"""Calls of functions that objects of `std::function` hold: their launches, with the arguments of each call.

    std::map<std::string, std::function<void(int *, int)>> table{{"scan", [](int *a, int n) { scan<<<1, n>>>(a); }}};
    if (n <= 1024) table["scan"](a, n);

Any function that such an object may hold is followed at each call.  Where that covers all calls of a function, its
launches are those that were found there, and it need not be followed for any arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from hgrd.host.concurrency.trace import Trace
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.external_callers import calls_object
from hgrd.host.linking.link import LaunchPlace
from hgrd.host.memory.unknowns import external, fresh_name, unknown
from hgrd.host.model import HostNote, LaunchSite
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType, VoidType
from hgrd.symbolic.execution.calls import may_enter
from hgrd.symbolic.execution.calls import run as run_function
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import OPAQUE, Value

_DEPTH: Final = 6  # calls that lead to one that is followed


def follow_calls(call: LibraryCall) -> None:
    """Finds the launches of the functions that a call of an object of `std::function` may be a call of."""
    run, machine = call.run, call.machine
    if not calls_object(call.call.function) or machine.speculative or not call.state.alive:
        return
    run.launches.calls.add(call.span)
    for key in sorted(run.text.in_objects.functions):
        function = run.linked.functions[key]
        parameters = _own_parameters(function)
        if len(call.arguments) - 1 > len(parameters):
            continue
        if machine.frames[0].function.key != "main" or len(machine.frames) > _DEPTH:
            run.launches.missed.add(key)
            continue
        state = call.state.copy()
        values = (*_object(run, machine, state, function), *_given(call, state, parameters))
        if may_enter(machine, function, values):
            run.launches.by_calls.setdefault(key, []).extend(_launches(call, state, function, values))
        else:
            run.launches.missed.add(key)


def _own_parameters(function: Function) -> tuple[Variable, ...]:
    return function.parameters[1:] if function.ref.name == "operator()" else function.parameters


def _object(run: HostRunState, machine: Machine, state: State, function: Function) -> Iterator[Value]:
    """The address of the functor: of what it has captured nothing is known."""
    if function.ref.name == "operator()":
        yield _any(run, machine, state, function.parameters[0])


def _given(call: LibraryCall, state: State, parameters: tuple[Variable, ...]) -> Iterator[Value]:
    """The arguments, as far as they are of the types of the parameters; others are converted to unknown values."""
    for index, parameter in enumerate(parameters, 1):
        known = index < len(call.arguments) and call.type_of(index) == parameter.type
        value = call.arguments[index] if known else OPAQUE
        yield _any(call.run, call.machine, state, parameter) if value == OPAQUE else value


def _any(run: HostRunState, machine: Machine, state: State, parameter: Variable) -> Value:
    match parameter.type:
        case PointerType(to=to) if not isinstance(to, VoidType):
            pointer = external(machine, fresh_name(machine, parameter.name), parameter.type, parameter.span)
            state.store[pointer.target.key] = EMPTY
            value: Value = pointer
        case type_:
            value = unknown(machine, parameter.name, type_, parameter.span)
    run.origins.record_unknown((value,))
    return value


def _launches(call: LibraryCall, state: State, function: Function, values: tuple[Value, ...]) -> Iterator[LaunchSite]:
    """The launches of a function that is called with these values; their order is followed elsewhere."""
    run, launches = call.run, call.run.launches
    outer = launches.sites, run.trace, run.provenance.beginnings, launches.only_traced
    escaped, run.escapes.written_by_callbacks = run.escapes.written_by_callbacks, dict(run.escapes.written_by_callbacks)
    launches.sites, run.trace, launches.only_traced = [], Trace(), False
    run.provenance.beginnings = ObjectBeginnings(whole=False)
    try:
        run_function(call.machine, state, function, values, call.span)
        note = HostNote(function.span, f"what {function.ref.name} has captured is not followed")
        unseen = note if _captures(call.machine, function) else None
        yield from (replace(site, unseen=unseen) for site in launches.sites)
    finally:
        launches.sites, run.trace, run.provenance.beginnings, launches.only_traced = outer
        run.escapes.written_by_callbacks = escaped


def _captures(machine: Machine, function: Function) -> bool:
    """Whether a functor has members, which nothing is known of."""
    match function.parameters[0].type if function.ref.name == "operator()" else None:
        case PointerType(to=RecordType(key=key)):
            return key not in machine.records or bool(machine.records[key].fields)
        case type_:
            return type_ is not None


def all_followed(run: HostRunState) -> list[str]:
    """The functions, by their keys, all calls of which a run of `main` to its end has followed, to all launches."""
    objects, entered = run.text.in_objects, run.coverage.entered
    missed = any(key in entered and place not in run.launches.calls for key, place in objects.calls)
    if missed or run.coverage.recursive or not objects.calls_seen:
        return []
    return [key for key in sorted(run.launches.by_calls.keys() - run.launches.missed) if _found_all(run, key)]


def _found_all(run: HostRunState, key: str) -> bool:
    sites = run.launches.by_calls[key]
    reached = {LaunchPlace(site.span, kernel) for site in sites for kernel in (site.kernel.key, "")}
    return run.linked.launches_below(key) <= reached
