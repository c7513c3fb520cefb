"""Stream ordering: whether a copy is complete before later launches run."""

from __future__ import annotations

from hgrd.host.execution.library_call import LibraryCall
from hgrd.symbolic.values import NullValue
from hgrd.terms import const


def done_before_launches(call: LibraryCall, stream: int) -> bool:
    """Whether a copy is complete before any later launch; `stream` is the index of its stream argument.

    A copy on a stream of its own is not ordered with launches on others, nor is one on the default stream with those on
    streams that do not wait for it (CUDA Runtime API, "API synchronization behavior", "Stream synchronization
    behavior").
    """
    if not call.name.endswith("Async"):
        return True
    if call.run.text.independent_streams:
        return False
    given = call.argument(stream)
    return given is None or given == const(0) or isinstance(given, NullValue)
