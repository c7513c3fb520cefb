"""Changes of what objects of the library hold: whether the same lookup gets the same before and after.

auto *p = lanes[0]->p;  std::swap(lanes[0], lanes[1]);  lanes[0]->p;        // another one
"""

from __future__ import annotations

from typing import Final

from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.library_names import adds_only, holds_numbers, keeps_elements
from hgrd.host.memory.holding_types import may_hold
from hgrd.program.types import OpaqueType, PointerType, Type
from hgrd.symbolic.state import INITIAL, Generation, Region, State
from hgrd.symbolic.values import FloatValue, Value, pointed_to
from hgrd.terms import Term

_ELEMENTS: Final = "what objects of the library hold"  # the key of a region that has changed when they may have
_OTHERS: Final = (  # classes of the library that hold no pointers of the program
    "std::basic_", "std::string", "std::ostream", "std::istream", "std::ofstream", "std::ifstream", "std::chrono",
    "std::mersenne", "std::uniform_", "std::normal_", "std::random", "std::thread", "std::mutex", "std::atomic",
)  # fmt: skip


def begin_elements(state: State) -> None:
    """What objects of the library hold at the beginning of a run."""
    state.store[_ELEMENTS] = Region({}, Generation())


def elements_since(state: State) -> Generation:
    """Since when objects of the library hold what they do."""
    region = state.store.get(_ELEMENTS)
    return INITIAL if region is None else region.generation


def note_call(call: LibraryCall) -> None:
    """A call that is not followed may change what objects of the library hold."""
    named = call.call.function
    if call.run.text.ordering and not (keeps_elements(named) or adds_only(named)):
        types = [call.type_of(number) for number in range(len(call.arguments))]
        if any(map(_may_hold_elements, call.arguments, types)):
            begin_elements(call.state)


def note_store(state: State, address: Value, value: Value) -> None:
    """A store through a pointer may change what objects of the library hold, unless it is of a number."""
    if _ELEMENTS in state.store and not isinstance(value, Term | FloatValue) and _is_external(address):
        begin_elements(state)


def _may_hold_elements(value: Value, type_: Type | None) -> bool:
    """Whether an argument leads to an object of the library that holds more than numbers, or into one."""
    inner = type_.to if isinstance(type_, PointerType) else type_
    if isinstance(inner, OpaqueType):
        return not (holds_numbers(inner.name) or inner.name.startswith(_OTHERS))
    return _is_external(value)


def _is_external(value: Value) -> bool:
    return any(target.external and may_hold(target.element) for target in pointed_to(value))
