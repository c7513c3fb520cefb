"""Handles that functions of the runtime make: streams, nodes of graphs.

Where one is stored, there is a value that is not known; what is loaded from there later says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.linking.stream_flags import kind_waits, waits_for_default
from hgrd.host.memory.array_contents import drop_reachable_patterns
from hgrd.host.memory.unknowns import direct_targets, forget_bytes, forget_targets
from hgrd.program.types import POINTER_SIZE, VOID, PointerType
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.names import unnumbered
from hgrd.symbolic.values import Pointer, Value
from hgrd.terms import Op, const
from hgrd.terms.rewrite import unwrapped


def note_stream(call: LibraryCall) -> None:
    """cudaStreamCreate(&stream), or WithFlags(&stream, flags): one of its own, that may wait for the default stream."""
    given, waits = call.arguments[0], _waits(call)
    if not call.machine.speculative and isinstance(given, Pointer) and waits is not None:
        kinds, holder = call.run.trace.made, given.target.key
        if kinds.setdefault(holder, waits) != waits:  # an array of both kinds
            kinds[holder] = True
    note_handle(call)


def _waits(call: LibraryCall) -> bool | None:
    """Whether a new stream waits for the default stream, by the flags as they are written or by their value."""
    if len(call.arguments) < 2:
        return True
    written, given = waits_for_default(call.call.arguments[1]), call.number(1)
    if written is not None or given is None:
        return written
    value = unwrapped(given)
    if value.op is Op.VAR:
        return kind_waits(unnumbered(value.symbol.name))
    return value.value == 0 if value.is_const else None


def note_handle(call: LibraryCall) -> None:
    """A function has made a new handle, and stored it where its first argument points to."""
    given = call.arguments[0]
    if not call.machine.speculative and isinstance(given, Pointer) and given.target.key in call.state.store:
        call.run.trace.born[call.state.store[given.target.key].generation] = call.machine.names.mark()


def made_handle(call: LibraryCall, to: Value) -> Value:
    """The handle that a call has stored at an address."""
    forget_targets(call.state, (to,), deep=False)
    return load(call.machine, call.state, to, PointerType(VOID), call.span)


def _makes(note: Callable[[LibraryCall], None]) -> LibraryModel:
    """The model of a function that stores a new handle where its first argument points to, and nothing else."""

    def model(call: LibraryCall) -> Value | None:
        to = call.arguments[0]
        call.run.provenance.objects.record_computed(direct_targets((to,)), call.span)
        drop_reachable_patterns(call.state, (to,))
        forget_bytes(call.state, to, POINTER_SIZE)
        note(call)
        return const(0)

    return model


MODELS: Final[dict[str, LibraryModel]] = {
    **dict.fromkeys(
        ("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"), _makes(note_stream)
    ),
    **dict.fromkeys(("cudaEventCreate", "cudaEventCreateWithFlags"), _makes(note_handle)),
}
"""Models of the functions that make streams and events."""
