"""Copies to constant memory by the host, and the contents of constant memory at a launch."""

from __future__ import annotations

from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.streams import done_before_launches
from hgrd.host.linking.constant_memory import used_by
from hgrd.host.model import ConstantMemory, Fact, FactKind
from hgrd.host.wording import place_name, say_value
from hgrd.program.expressions import FunctionRef, Variable
from hgrd.program.layout import scalars
from hgrd.program.types import PointerType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import forget, load, read_at
from hgrd.symbolic.state import EMPTY, Generation, Region, State
from hgrd.symbolic.values import (
    Cell,
    Choice,
    Composite,
    MemoryObject,
    MemorySpace,
    OpaqueValue,
    Pointer,
    Value,
)
from hgrd.terms import TRUE, Term, as_int, const

_MOST = 256  # scalars of a variable; larger variables hold unknown values
_SAID = 8  # elements of an array that facts name
_TO_DEVICE = (1, 4)  # cudaMemcpyHostToDevice, cudaMemcpyDefault


def copy_to_symbol(call: LibraryCall) -> Value | None:
    """cudaMemcpyToSymbol(symbol, from, size, offset, kind, stream)."""
    call.replaced_by(1)
    if call.number(3) in (None, const(0)):
        call.run.provenance.beginnings.record_copy(
            call.state, call.arguments[0], call.argument(1), call.number(2), call.span
        )
    target = _symbol(call)
    if target is not None and target.key in call.run.linked.constants.variables:
        cells = _copied(call, target)
        if cells is None:
            forget(call.state, target)
        else:
            call.state.store[target.key] = Region(cells, Generation())
        call.run.copies.to_symbols[target.key] = call.span
    return const(0)


def _symbol(call: LibraryCall) -> MemoryObject | None:
    """The constant variable that the first argument is or points to; None: unknown."""
    value = call.arguments[0]
    if isinstance(value, Pointer) and value.target.space is not MemorySpace.CONSTANT:
        value = load(call.machine, call.state, value, PointerType(call.call.type), call.span)
    return value.target if isinstance(value, Pointer) and value.target.space is MemorySpace.CONSTANT else None


def _copied(call: LibraryCall, target: MemoryObject) -> dict[int, Cell] | None:
    """The contents of the variable after a copy, by offset; None: unknown."""
    source, size = call.argument(1), call.number(2)
    first = call.number(3) or const(0)
    if not isinstance(source, Pointer) or not source.offset.is_const or not _at_once(call, source):
        return None
    if size is None or not size.is_const or not first.is_const or target.element is None:
        return None
    begin, end = first.value, first.value + size.value
    cells: dict[int, Cell] = {}
    for at, type_ in scalars(target.element, call.machine.records, _MOST):
        width = call.machine.size(type_)
        if width is None or at < end < at + width or at < begin < at + width:
            return None
        if begin <= at < end:
            region = call.state.store.get(source.target.key, EMPTY)
            value = read_at(call.machine, region, source.target, source.offset.value + at - begin, type_)
            cells[at] = Cell(value, width)
    before = call.state.store.get(target.key, EMPTY).cells
    kept = {at: cell for at, cell in before.items() if at + cell.size <= begin or at >= end}
    return {**kept, **cells} if cells else None


def _at_once(call: LibraryCall, source: Pointer) -> bool:
    """Whether the copy reads host memory now and is complete before any later launch.

    A copy from memory that may be page-locked may read it later (CUDA Runtime API, "API synchronization behavior").
    """
    kind = call.number(4)
    if source.target.space not in (MemorySpace.HOST, MemorySpace.LOCAL):
        return False
    if kind is not None and not (kind.is_const and kind.value in _TO_DEVICE):
        return False
    at_once = not call.name.endswith("Async") or source.target.space is MemorySpace.LOCAL
    return at_once and done_before_launches(call, 5)


def forget_constants(run: HostRunState, state: State, *, all_: bool = False) -> None:
    """Unknown code ran, which may have called functions that copy to symbols (`all_`: also `main`)."""
    constants = run.linked.constants
    for key in (constants.copied if all_ else constants.open) & constants.variables.keys():
        state.store[key] = Region({}, Generation())


def constants_at(run: HostRunState, machine: Machine, state: State, kernel: FunctionRef) -> tuple[ConstantMemory, ...]:
    """The known contents of the variables of constant memory that a kernel uses, at a launch of it."""
    if kernel.key not in run.copies.used_symbols:
        run.copies.used_symbols[kernel.key] = used_by(kernel.key, run.linked.functions)
    found: list[ConstantMemory] = []
    for key, variable in sorted(run.copies.used_symbols[kernel.key].items()):
        region = state.store.get(key)
        if region is None or key not in run.linked.constants.variables:
            continue
        cells = {o: c for o, c in sorted(region.cells.items()) if not isinstance(c.value, OpaqueValue)}
        if cells and len(cells) <= _MOST:
            target = MemoryObject(key, variable.name, MemorySpace.CONSTANT, variable.type, None, variable.span)
            whole = Composite(cells, machine.size(variable.type) or 0)
            found.append(ConstantMemory(target, whole, run.copies.to_symbols.get(key, variable.span)))
    return tuple(found)


def begin_with(machine: Machine, state: State, variable: Variable, value: Value) -> None:
    """Stores the initial value of a variable of constant memory."""
    width = machine.size(variable.type)
    if isinstance(value, Composite):
        state.store[variable.key] = Region(dict(value.cells), Generation())
    elif width is not None:
        state.store[variable.key] = Region({0: Cell(value, width)}, Generation())


def facts_of(machine: Machine, constants: tuple[ConstantMemory, ...]) -> tuple[Fact, ...]:
    """Facts that say what constant memory holds; their terms are true, since the values stand in the launch itself."""
    found: list[Fact] = []
    for constant in constants:
        known = [
            (at, c.value) for at, c in constant.value.cells.items() if isinstance(c.value, Term | Pointer | Choice)
        ]
        if len(known) > _SAID:
            text = f"{constant.target.name} holds {len(known)} known values"
            found.append(Fact(TRUE, FactKind.CONSTANT_MEMORY, text, constant.span))
            continue
        for at, value in known:
            name, _ = place_name(constant.target, at, machine.records)
            said = say_value(as_int(value) if isinstance(value, Term) else value)
            if said != name:
                found.append(Fact(TRUE, FactKind.CONSTANT_MEMORY, f"{name} == {said}", constant.span))
    return tuple(found)
