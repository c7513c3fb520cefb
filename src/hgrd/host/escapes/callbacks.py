"""Callbacks: what the program's own functions may write when unknown code calls them.

Unknown code is passed functions, lambdas and objects with a call operator.  It may call them at once (`std::for_each`)
or keep them (`std::function`, `std::thread`, `cudaLaunchHostFunc`): from then on any call that is not followed may run
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.external_callers import functions_passed
from hgrd.host.memory.array_contents import drop_patterns
from hgrd.host.memory.unknowns import direct_targets
from hgrd.program import expressions as ir
from hgrd.program.expressions import Storage
from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType
from hgrd.program.walk import nodes
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, reachable
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import Composite, MemoryObject, Pointer, Value

_REFERENCES = ("ref", "reference_wrapper")


def pass_to_unknown_code(
    run: HostRunState, machine: Machine, state: State, call: ir.Call, arguments: tuple[Value, ...]
) -> None:
    """Passes the functions in these arguments to a call that is not followed.

    A function of the program itself is assumed to keep no object that it gets a reference to: classes with a call
    operator (`m(i, j)` of a matrix) are common there.
    """
    own = machine.functions.get(call.function.key)
    copied = own is not None and own.user_code
    for key in functions_passed(run.linked, state, call, arguments, copied=copied):
        function = run.linked.functions[key]
        if function.body is not None and function.user_code:
            for target in _written(run, machine, state, function, arguments):
                run.escapes.written_by_callbacks[target.key] = target
    if call.function.name in _REFERENCES:
        run.escapes.written_by_callbacks |= {target.key: target for target in direct_targets(arguments)}


def pass_all_with_address(run: HostRunState, machine: Machine) -> None:
    """A call through a pointer of unknown value may run any function whose address is taken."""
    for key in run.linked.taken & run.linked.uses.keys():
        for target in _globals(machine, run.linked.functions[key]):
            run.escapes.written_by_callbacks[target.key] = target


def may_run(run: HostRunState, state: State) -> None:
    """Functions that unknown code has may run: the objects that they may write hold unknown values afterwards."""
    run.origins.record_lost(run.escapes.written_by_callbacks.values())
    run.provenance.beginnings.record_possible(state, run.escapes.written_by_callbacks.values())
    for target in run.escapes.written_by_callbacks.values():
        drop_patterns(state, target)
        if target.space not in SHARED_SPACES and target.key in state.store:
            forget(state, target)


def _written(
    run: HostRunState, machine: Machine, state: State, function: Function, arguments: tuple[Value, ...]
) -> Iterator[MemoryObject]:
    """The objects that a function may write if it gets these arguments, or finds them in its own object."""
    yield from _globals(machine, function)
    if run.text.mod_sets.of(function.ref.key) != frozenset():
        spared = _only_read(function, state, arguments)
        yield from (target for target in reachable(state, arguments) if target.key not in spared)


def _globals(machine: Machine, function: Function) -> Iterator[MemoryObject]:
    """The global, static and managed variables that a function, or what it calls, may assign to by name."""
    effects = machine.effects.of(function.body)
    for variable in effects.assigned | effects.exposed | effects.arrays:
        if variable.storage in (Storage.GLOBAL, Storage.STATIC, Storage.DEVICE):
            target = machine.semantics.variable_object(machine, variable)
            if target is not None:
                yield target


def _only_read(function: Function, state: State, arguments: tuple[Value, ...]) -> frozenset[str]:
    """The keys of variables that a lambda has captured by reference and only reads."""
    read = _fields_only_read(function)
    found: set[str] = set()
    others: set[str] = set()
    for cells in _objects(state, arguments) if read else ():
        for offset, target in cells:
            (found if offset in read else others).add(target.key)
    return frozenset(found - others)


def _objects(state: State, arguments: Iterable[Value]) -> Iterator[list[tuple[int, MemoryObject]]]:
    """The targets of pointers in records, each with the offset of the pointer."""
    for argument in arguments:
        match argument:
            case Composite(cells=cells):
                pass
            case Pointer(target=target):
                cells = state.store.get(target.key, EMPTY).cells
            case _:
                continue
        yield [(at, target) for at, cell in cells.items() for target in direct_targets((cell.value,))]


def _fields_only_read(function: Function) -> frozenset[int]:
    """The offsets of references in an object through which its method only reads."""
    type_ = function.parameters[0].type if function.parameters else None
    if not isinstance(type_, PointerType) or not isinstance(type_.to, RecordType):
        return frozenset()
    everything = list(nodes(function.body))
    uses = [at for node in everything if (at := _reference(node)) is not None]
    reads = [at for node in everything if isinstance(node, ir.Load) and (at := _referred(node.place)) is not None]
    return frozenset(at for at in uses if uses.count(at) == reads.count(at))


def _reference(node: object) -> int | None:
    """The offset of a reference member of `*this` that the expression loads; None: it loads none."""
    match node:
        case ir.Load(
            place=ir.FieldPlace(base=ir.Deref(pointer=ir.Load(place=ir.VariablePlace(variable=this))), field=member)
        ) if this.name == "this" and isinstance(member.type, PointerType) and member.type.reference:
            return member.offset
        case _:
            return None


def _referred(place: ir.Place) -> int | None:
    """The offset of the reference member of `*this` that the place is reached through; None: through none."""
    match place:
        case ir.Deref(pointer=pointer):
            return _reference(pointer)
        case ir.FieldPlace(base=base):
            return _referred(base)
        case _:
            return None
