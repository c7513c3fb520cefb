"""Handles that functions of the runtime make: streams, nodes of graphs; and the streams that those of libraries have.

Where one is stored, there is a value that is not known; what is loaded from there later says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hgrd.host.concurrency.addresses import Place
from hgrd.host.concurrency.not_ready import NOT_READY, QUERIES
from hgrd.host.concurrency.trace import choices_of
from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.linking.stream_flags import kind_waits, waits_for_default
from hgrd.host.memory.array_contents import drop_reachable_patterns
from hgrd.host.memory.unknowns import between, direct_targets, forget_bytes, forget_targets
from hgrd.program.types import POINTER_SIZE, VOID, PointerType
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.names import unnumbered
from hgrd.symbolic.values import NULL, OPAQUE, Pointer, Value
from hgrd.terms import Op, Term, const
from hgrd.terms.rewrite import unwrapped

_GET: Final = 2  # arguments of cublasGetStream


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


def stream_of_handle(call: LibraryCall, handle: Value) -> Value | None:
    """The stream that a handle of a library was given, by default 0; None: the handle comes from elsewhere."""
    trace = call.run.trace
    given = trace.handles.get(place := trace.address_of(handle))
    if given is not None:
        within = tuple(loop.binder for loop in trace.inside)[: len(given.loops)] == given.loops
        return given.stream if within and given.choices <= choices_of(call.state) else OPAQUE
    if trace.handles:
        return OPAQUE
    loaded = call.run.origins.loaded.get(place.key) if isinstance(place, Place) else None
    made = isinstance(handle, Term) or (loaded is not None and loaded.holder in trace.made_handles)
    return NULL if made else None


def _tell_stream(call: LibraryCall) -> Value | None:
    """cublasGetStream(handle, &stream): what the handle was given last."""
    handle = call.argument(0)
    known = None if handle is None or len(call.arguments) < _GET else stream_of_handle(call, handle)
    if known is None or known is OPAQUE:
        return None
    call.store_at(call.arguments[1], known, PointerType(VOID))
    return const(0)


def _asked(call: LibraryCall) -> Value | None:
    """Whether work is complete: success, or that it is not (CUDA Runtime API, "cudaEventQuery")."""
    return between(call.machine, call.name, 0, NOT_READY)


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
    **dict.fromkeys(
        [f"{library}GetStream" for library in ("cublas", "cusparse", "cudnn", "cusolverDn", "cusolverSp")]
        + ["cublasGetStream_v2"],
        _tell_stream,
    ),
    **dict.fromkeys(QUERIES, _asked),
    **dict.fromkeys(("cudaEventCreate", "cudaEventCreateWithFlags"), _makes(note_handle)),
}
"""Models of the functions that make streams and events, ask them, or tell the stream of a handle."""
