"""Wild stores: stores through pointers of unknown value, made of numbers, member pointers or variadic arguments.

They may change any object whose address is taken, and all memory that is not a variable.  A store through a pointer
that unknown code returned may change the objects to which the program passed pointers before.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.memory.array_contents import drop_all_patterns
from hgrd.host.memory.unknowns import direct_targets
from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import local_effects
from hgrd.program.program import Function
from hgrd.program.statements import Declare
from hgrd.program.types import ArrayType, IntType, PointerType, RecordType, Type, VoidType
from hgrd.program.walk import nodes
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget
from hgrd.symbolic.memory.members import slot_of_member
from hgrd.symbolic.state import EMPTY, Generation, Region, State
from hgrd.symbolic.values import FloatValue, MemoryObject, Value, may_be_any, pointed_to

_HOLDERS: Final = (
    "std::vector", "std::array", "std::list", "std::deque", "std::map", "std::unordered_map", "std::set", "std::queue",
    "std::stack", "std::unique_ptr", "std::shared_ptr", "std::optional", "std::pair", "std::tuple",
)  # fmt: skip
_COPYING: Final = ("push_back", "push_front", "operator=", "assign", "insert")
_OF_ELEMENTS: Final = ("std::vector", "std::array", "std::list", "std::deque")  # their constructors copy, too


def wild_store(run: HostRunState, state: State, address: Value, value: Value) -> None:
    """A value is stored at an address: if that is unknown, all objects it may lead to hold unknown values afterwards.

    The elements of a container of the program are no such object.  A floating-point number changes only objects that
    hold such numbers (C++, [basic.lval]).
    """
    if any(target.external and target.key not in run.origins.elements for target in direct_targets((address,))):
        for target in run.escapes.escaped.values():
            forget(state, target)
        _escape(run, pointed_to(value))
    if not may_be_any(address):
        return
    drop_all_patterns(state)
    if run.escapes.private is None:
        functions = (run.linked.functions[key] for key in run.linked.uses)
        run.escapes.private = _private(functions) | run.linked.constants.variables.keys()
    for key, region in state.store.items():
        fraction = isinstance(value, FloatValue)
        able = not fraction or any(isinstance(c.value, FloatValue) for c in region.cells.values())
        if able and key.partition("@")[0] not in run.escapes.private:
            state.store[key] = Region({}, Generation())


def escape_into_containers(run: HostRunState, state: State, call: ir.Call, arguments: tuple[Value, ...]) -> None:
    """Containers and smart pointers keep the pointers that they get: the targets escape.

    Of an element or a container that is given by reference they keep a copy ([sequence.reqmts]): what it points to
    escapes.
    """
    if not call.function.qualified.startswith(_HOLDERS):
        return
    copies = call.function.name in _COPYING or _constructs(call.function)
    for value, given in zip(arguments[1:], call.arguments[1:], strict=False):
        copied = copies and isinstance(given.type, PointerType) and given.type.reference
        for target in direct_targets((value,)):
            inside = tuple(cell.value for cell in state.store.get(target.key, EMPTY).cells.values())
            kept = () if copied else (target,)
            _escape(run, (*kept, *(t for value in inside for t in pointed_to(value))))


def _constructs(function: ir.FunctionRef) -> bool:
    """Whether a function is a constructor of a container, all of which copy what they are given by reference."""
    owner = function.qualified.rpartition("::")[0].partition("<")[0]
    return owner in _OF_ELEMENTS and owner.rpartition("::")[2] == function.name.partition("<")[0]


def escape_by_result(run: HostRunState, call: ir.Call, arguments: tuple[Value, ...]) -> None:
    """A call that is not followed may return a pointer to its arguments' targets of that type (C++, [basic.lval])."""
    if isinstance(call.type, PointerType):
        to = call.type.to
        typed = zip_longest(arguments, (a.type for a in call.arguments[: len(arguments)]))
        whole = tuple(v for v, t in typed if v is not None and not slot_of_member(run.linked.records, v, t))
        _escape(run, (target for target in direct_targets(whole) if _may_lead(to, target.element)))


def _escape(run: HostRunState, targets: Iterable[MemoryObject]) -> None:
    """The objects may be written through pointers of unknown value from now on."""
    run.escapes.escaped |= {target.key: target for target in targets if target.space not in SHARED_SPACES}


def _may_lead(to: Type, element: Type | None) -> bool:
    """Whether a pointer to `to` may lead to (a part of) an object with this element type; None: any type."""
    if isinstance(to, VoidType) or isinstance(element, RecordType | ArrayType) or to == element:
        return True
    if isinstance(to, IntType) and isinstance(element, IntType):
        return to.bits in (8, element.bits)
    return False


def _private(functions: Iterable[Function]) -> frozenset[str]:
    """The keys of local variables and parameters whose address is not taken; methods take that of their object."""
    own: set[str] = set()
    exposed: set[str] = set()
    for function in functions:
        declared = (node.variable for node in nodes(function.body) if isinstance(node, Declare))
        own |= {variable.key for variable in (*function.parameters, *declared) if not _is_object(variable.type)}
        exposed |= {variable.key for variable in local_effects(function.body).exposed}
    return frozenset(own - exposed)


def _is_object(type_: Type) -> bool:
    while isinstance(type_, ArrayType):
        type_ = type_.of
    return isinstance(type_, RecordType)
