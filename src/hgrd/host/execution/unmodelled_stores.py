"""Unmodelled stores: where functions without a model may write, and what they leave for kernels to begin with."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.mangled_names import may_write
from hgrd.program.expressions import Call
from hgrd.program.types import PointerType, Type
from hgrd.symbolic.state import State
from hgrd.symbolic.values import MemoryObject, Value

_LIBRARIES: Final = ("std::", "thrust::")
_ALGORITHMS: Final = frozenset(
    (
        "generate", "generate_n", "transform", "for_each", "for_each_n", "replace", "replace_if", "replace_copy",
        "fill", "fill_n", "copy", "copy_n", "copy_if", "copy_backward", "move_backward", "tabulate",
        "uninitialized_fill", "uninitialized_fill_n", "uninitialized_copy", "swap_ranges", "rotate", "iota", "sequence",
    )
)  # fmt: skip  # of the C++ library, where no declaration of it was found that fits
_TAKING: Final = ("clear", "erase", "pop_back", "shrink_to_fit")  # of what a container holds, but store nothing new


def written_by(call: Call, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments through which a function without a body may write, by its name in the object file."""
    its_object, others = may_write(call.function.key)
    return arguments if others else arguments[: int(its_object)]


def given_to(call: Call, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments without those that are places where a function puts a pointer."""
    typed = zip_longest(arguments[: len(call.arguments)], (e.type for e in call.arguments))
    return tuple(v for v, t in typed if v is not None and not _takes_pointer(t))


def _takes_pointer(type_: Type | None) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.to, PointerType)


def record_unmodelled(run: HostRunState, state: State, call: Call, targets: Iterable[MemoryObject]) -> None:
    """A function without a model has stored numbers that are input, or that the C++ library computes."""
    name, qualified = call.function.name, call.function.qualified
    computes = qualified.startswith(_LIBRARIES) or (qualified == name and name in _ALGORITHMS)
    if computes and "stream" not in qualified and name not in _TAKING:
        run.provenance.beginnings.record_computed(state, targets)
    else:
        run.provenance.beginnings.record_anything(state, targets)
