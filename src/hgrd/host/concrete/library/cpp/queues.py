"""Models of queues in the concrete run: deques, queues and stacks, as far as they are used at their ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cpp.containers import container_model, without
from hgrd.host.concrete.library.cpp.elements import container_at, forget_elements
from hgrd.host.concrete.state.values import UNKNOWN, StoppedError, Value
from hgrd.program.expressions import FunctionRef

_OWNERS: Final = ("std::deque", "std::queue", "std::stack")
_AS_IN_VECTORS: Final[Mapping[str, str]] = {
    **{name: name for name in ("operator=", "size", "empty", "front", "back", "operator[]", "at", "clear")},
    **{name: name for name in ("push_back", "emplace_back", "pop_back")},
    "top": "back", "push": "push_back", "emplace": "emplace_back",
}  # fmt: skip


def queue_model(function: FunctionRef) -> Model | None:
    """The model of a member of such a class; None: of another one.  The run stops at members without one."""
    owner, _, name = function.qualified.rpartition("::")
    if owner not in _OWNERS:
        return None
    if owner.rpartition("::")[2] == name:
        return _as_in_vector("vector")
    if name == "pop_front" or (name == "pop" and owner == "std::queue"):
        return _pop_front
    same = "pop_back" if name == "pop" else _AS_IN_VECTORS.get(name)
    return _stops if same is None else _as_in_vector(same)


def _as_in_vector(name: str) -> Model:
    """The model of a member of a vector for one of a queue."""

    def model(call: LibraryCall) -> Value | None:
        function = replace(call.function, name=name, qualified=f"std::vector::{name}")
        found = container_model(function)
        return None if found is None else found(replace(call, function=function))

    return model


def _pop_front(call: LibraryCall) -> Value | None:
    container = container_at(call)
    if container.width is None:
        return forget_elements(call)
    without(call, container, 0)
    return UNKNOWN


def _stops(call: LibraryCall) -> Value | None:
    raise StoppedError
