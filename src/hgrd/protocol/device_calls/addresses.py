"""Device functions that compute with addresses: in which space one is, and conversions between spaces.

CUDA C++ Programming Guide, "Address Space Predicate Functions" and "Address Space Conversion Functions".
"""

from __future__ import annotations

from hgrd.program.expressions import Call
from hgrd.protocol.device_calls.unknown_functions import foreign
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import MemorySpace, Value, pointed_to
from hgrd.terms import FALSE, TRUE, Term

_SPACES = {
    "Global": MemorySpace.GLOBAL,
    "Shared": MemorySpace.SHARED,
    "Constant": MemorySpace.CONSTANT,
    "Local": MemorySpace.LOCAL,
}


def address_function(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a function of one address; of an unknown one that of an unknown function."""
    name, (given, *_) = call.function.name, arguments
    known: Value | None = None
    if name.startswith("__cvta_generic_to_"):
        known = machine.address_of(given) if _in(given, name.removeprefix("__cvta_generic_to_").capitalize()) else None
    elif name.startswith("__cvta_") and isinstance(given, Term):
        pointer = machine.pointer_at(given)
        space = name.removeprefix("__cvta_").removesuffix("_to_generic").capitalize()
        known = pointer if pointer is not None and _in(pointer, space) else None
    elif name.startswith("__is") and name.removeprefix("__is") in _SPACES:
        where = {t.space for t in pointed_to(given)}
        known = (TRUE if _in(given, name.removeprefix("__is")) else FALSE) if len(where) == 1 else None
    elif name == "__nv_associate_access_property":
        known = given
    return foreign(device, machine, state, call, arguments) if known is None else known


def _in(pointer: Value, space: str) -> bool:
    """Whether a pointer leads into a space, wherever it leads."""
    where = {t.space for t in pointed_to(pointer)}
    return space in _SPACES and where == {_SPACES[space]}
