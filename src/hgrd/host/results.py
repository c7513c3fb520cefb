"""Results of calls that are not followed: what the pointers in them, and those that they store, may lead to."""

from __future__ import annotations

from itertools import zip_longest

from msgspec.structs import replace

from hgrd.host.containers.made_elements import made_inside
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.unmodelled_stores import given_to, may_name_local
from hgrd.host.library.host_threads import gives_nothing_back
from hgrd.host.library.object_makers import makes_object
from hgrd.host.linking.library_names import makes_memory
from hgrd.host.memory.given_pointers import sources_of
from hgrd.program.types import OpaqueType, RecordType
from hgrd.symbolic.execution.constructors import constructed_type
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import Generation, Region
from hgrd.symbolic.values import OPAQUE, Composite, Value, pointed_to


def sources_of_result(invocation: LibraryCall) -> set[str]:
    """What pointers that a call returns or stores may lead to, besides memory that it makes."""
    run, state, call, arguments = invocation.run, invocation.state, invocation.call, invocation.arguments
    if makes_memory(call.function) or gives_nothing_back(invocation):
        return set()
    made = constructed_type(arguments)
    typed = list(zip_longest(arguments, (a.type for a in call.arguments)))[made is not None :]
    given = sources_of(state, typed, run.text.of_callbacks, local=may_name_local(made or call.type))
    given |= made_inside(invocation)
    if makes_object(call.function.name):
        return given
    return given | run.origins.names_of_call(call.function.key, given_to(call, arguments))


def store_inside(invocation: LibraryCall, sources: set[str]) -> None:
    """A call stores in what the objects lead to that it gets: what these hold is not known, nor what callbacks give."""
    origins, state = invocation.run.origins, invocation.state
    made = invocation.machine.names.unique(hidden(invocation.name))
    for key in origins.inside(invocation.arguments) & state.store.keys():
        state.store[key] = Region({}, Generation())
        origins.record_written_key(key, {*sources, made})
        origins.stored.setdefault(key, set()).add(made)


def with_origin(invocation: LibraryCall, value: Value, mark: int, sources: set[str]) -> Value:
    """The result of a call, after what it may lead to has been recorded; `mark`: the first name that is new with it."""
    machine, call, origins = invocation.machine, invocation.call, invocation.run.origins
    type_ = constructed_type(invocation.arguments) or call.type
    unseen = value == OPAQUE if not isinstance(value, Composite) else not value.cells
    if isinstance(type_, OpaqueType | RecordType) and unseen:
        made = origins.record_object(machine.names.unique(hidden(call.function.name)), sources)
        return replace(value, origin=made.origin) if isinstance(value, Composite) else made
    new = (t for t in pointed_to(value) if machine.names.index.get(t.key, -1) >= mark)
    origins.record_result(new, sources)
    return value
