"""Handles that functions of the runtime make: streams, nodes of graphs.

Where one is stored, there is a value that is not known; what is loaded from there later says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.stream_flags import waits_for_default
from hgrd.host.memory.unknowns import forget_targets
from hgrd.program.types import VOID, PointerType
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.values import Pointer, Value


def note_stream(call: LibraryCall) -> None:
    """cudaStreamCreate(&stream), or WithFlags(&stream, flags): one of its own, that may wait for the default stream."""
    given, flags = call.arguments[0], call.call.arguments[1:2]
    waits = waits_for_default(flags[0]) if flags else True
    if not call.machine.speculative and isinstance(given, Pointer) and waits is not None:
        kinds, holder = call.run.trace.made, given.target.key
        if kinds.setdefault(holder, waits) != waits:  # an array of both kinds
            kinds[holder] = True
    note_handle(call)


def note_handle(call: LibraryCall) -> None:
    """A function has made a new handle, and stored it where its first argument points to."""
    given = call.arguments[0]
    if not call.machine.speculative and isinstance(given, Pointer) and given.target.key in call.state.store:
        call.run.trace.born[call.state.store[given.target.key].generation] = call.machine.names.mark()


def made_handle(call: LibraryCall, to: Value) -> Value:
    """The handle that a call has stored at an address."""
    forget_targets(call.state, (to,), deep=False)
    return load(call.machine, call.state, to, PointerType(VOID), call.span)


BESIDES: Final[dict[str, Callable[[LibraryCall], None]]] = {
    **dict.fromkeys(("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"), note_stream),
    **dict.fromkeys(("cudaEventCreate", "cudaEventCreateWithFlags"), note_handle),
}
"""What functions do that make streams, besides what any function of the runtime may do."""
