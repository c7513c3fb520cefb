"""Unmodelled stores: where functions without a model may write, and what they leave for kernels to begin with."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.symbol_copies import forget_constants
from hgrd.host.linking.library_names import looks_up
from hgrd.host.linking.mangled_names import may_write
from hgrd.host.memory.array_contents import drop_all_patterns, drop_reachable_patterns
from hgrd.host.memory.unknowns import forget_given, forget_targets, within_records
from hgrd.program.expressions import Call
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.machine import Machine
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
_HARMLESS: Final = (  # write only their own object
    "std::chrono::", "std::uniform_", "std::normal_", "std::mersenne_twister",
)  # fmt: skip
_TAKING: Final = ("clear", "erase", "pop_back", "shrink_to_fit")  # of what a container holds, but store nothing new


def written_by(call: Call, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments through which a function without a body may write, by its name in the object file."""
    its_object, others = may_write(call.function.key)
    return arguments if others and not looks_up(call.function) else arguments[: int(its_object)]


def outside_code(
    run: HostRunState, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...], *, deep: bool
) -> None:
    """A function without a body may change everything but what its signature protects.

    `deep`: it is the program's, and may follow the pointers that it finds.
    """
    written = written_by(call, arguments)
    calls_back = any(isinstance(a.type, RecordType) for a in call.arguments)  # a lambda, or what is like one
    if deep:
        forget_constants(run, state)
        forget_targets(state, (*within_records(state, arguments), *written), deep=True)
    else:
        forget_given(machine, state, zip_longest(written, (a.type for a in call.arguments[: len(written)])))
    if deep or calls_back:
        drop_all_patterns(state)
    elif not call.function.qualified.startswith(_HARMLESS):
        drop_reachable_patterns(state, arguments)


def given_to(call: Call, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments without those that are places where a function puts a pointer."""
    typed = zip_longest(arguments[: len(call.arguments)], (e.type for e in call.arguments))
    return tuple(v for v, t in typed if v is not None and not _takes_pointer(t))


def may_name_local(type_: Type) -> bool:
    """Whether what a call returns may lead to pointers in variables that it was given by reference."""
    match type_:
        case PointerType(to=to):
            return isinstance(to, PointerType | RecordType | OpaqueType)
        case _:
            return isinstance(type_, OpaqueType)


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
