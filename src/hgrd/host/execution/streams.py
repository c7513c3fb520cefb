"""When copies of the host are done."""

from __future__ import annotations

from hgrd.host.execution.library_call import LibraryCall
from hgrd.symbolic.values import NullValue
from hgrd.terms import const


def done_before_launches(call: LibraryCall, stream: int) -> bool:
    """Whether a copy is done before any launch behind it; `stream` is the number of its argument.

    One on a stream of its own is not ordered with launches on others, nor is one on no stream with those on streams
    that do not wait for it (CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior").
    """
    if not call.name.endswith("Async"):
        return True
    if call.run.text.independent_streams:
        return False
    given = call.argument(stream)
    return given is None or given == const(0) or isinstance(given, NullValue)
