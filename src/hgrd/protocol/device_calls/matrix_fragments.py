"""Elements of matrices that the lanes of a warp hold together, as they are loaded and stored.

CUDA Programming Guide, "Warp Matrix Functions": which lane holds an element is unspecified, but fragments of one type
have one mapping.  So any lane may be the one, and it is the same one that stores the element, and loads it again.
"""

from __future__ import annotations

from typing import Final

from hgrd.cuda.builtins import builtin
from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind
from hgrd.program.expressions import Call
from hgrd.program.types import PointerType
from hgrd.protocol.device_calls.memory import branches, constant, may_be_elsewhere
from hgrd.protocol.device_calls.warp_collectives import thread_number
from hgrd.protocol.inference.events import AccessEvent, users_place
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.model import Joint
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Value
from hgrd.terms import Term, as_int, const, div

_ONE_LANE: Final = "one lane holds an element of an accumulator, and the same one in all of its type"


def element_access(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Access to an element of an accumulator by the lane that holds it; None where that is not understood."""
    row, address, *numbers = builtin(call.function.name), *arguments
    type_ = call.arguments[0].type
    fragment = constant(numbers[0])
    places = tuple(as_int(n) for n in numbers[1:] if isinstance(n, Term))
    size = machine.size(type_.to) if isinstance(type_, PointerType) else None
    if row is None or fragment is None or size is None or len(places) != 2 or may_be_elsewhere(address):
        return None
    once = _by_its_holder(device, fragment, places)
    kind = AccessKind.WRITE if row.operation == "store" else AccessKind.READ
    for pointer, branch in branches(state, address, call.span):
        device.access(machine, branch, AccessEvent(kind, pointer, size, call.span, once=once))
    if not machine.speculative:
        device.assumptions.assume(_ONE_LANE, users_place(machine, call.span))
    return OPAQUE


def _by_its_holder(device: DeviceSemantics, fragment: int, place: tuple[Term, ...]) -> Joint:
    """Which element it is: of all lanes of a warp, one accesses that of a row and column, for fragments of one type."""
    return Joint(f"accumulator {fragment}", (div(thread_number(device), const(WARP_SIZE)), *place))
