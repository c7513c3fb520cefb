"""Memory that is given back in a stream: other memory may be there as soon as the stream comes to that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.concurrency.trace import pointers_of
from hgrd.host.device_work.names import runtime_name
from hgrd.host.device_work.work import add_work, all_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.passed_functions import passed_function
from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.walk import nodes
from hgrd.symbolic.values import OPAQUE

_OWNERS: Final = ("std::unique_ptr", "std::shared_ptr")


def add_release(call: LibraryCall) -> None:
    """cudaFreeAsync: other memory may be there as soon as the stream comes to it."""
    add_work(call, "the release", call.stream(1), all_of(call, call.arguments[:1]))


def add_hidden_release(call: LibraryCall) -> None:
    """A smart pointer gets a deleter that gives memory back in a stream: that may happen at any time from here on."""
    if not call.call.function.qualified.startswith(_OWNERS):
        return
    for index in range(1, len(call.arguments)):
        found = passed_function(call, index, launching=False)
        if found is not None and _releases_later(found[0], call.run.linked.functions):
            pointers = [p for v in call.arguments[1:index] for p in pointers_of(v)]
            add_work(call, "the release by a deleter", OPAQUE, all_of(call, pointers))


def _releases_later(function: Function, functions: Mapping[str, Function]) -> bool:
    calls = (n for f in run_by(function.ref.key, functions) for n in nodes(f.body) if isinstance(n, ir.Call))
    return any(runtime_name(n.function.name) == "cudaFreeAsync" for n in calls)
