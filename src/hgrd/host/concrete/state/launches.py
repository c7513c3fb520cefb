"""Launches of the concrete run: what they find in memory, and what is not known after them."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from hgrd.host.concrete.state.machine import Device, Launched, Machine
from hgrd.host.concrete.state.memory import element_count, forget, forget_reachable, reachable, snapshot
from hgrd.host.concrete.state.values import UNKNOWN, Object, Parts, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef, Storage
from hgrd.program.span import Span
from hgrd.program.types import PointerType, RecordType, Type


def record_launch(
    machine: Machine,
    kernel: FunctionRef,
    shape: tuple[Value, Value],
    shared_bytes: Value,
    arguments: tuple[Value, ...],
    span: Span,
    stream: Value = 0,
) -> None:
    """Notes what a launch finds behind its arguments; the kernel may change what it writes through.

    `shape` are the extents of the grid and of a block.
    """
    if machine.queue is not None and machine.queue.capture(
        stream, lambda: record_launch(machine, kernel, shape, shared_bytes, arguments, span, stream)
    ):
        return
    machine.look()
    where = (tuple(f.call_site for f in machine.frames if f.call_site is not None), span, kernel.key)
    if machine.device is None and where in machine.seen and machine.seen[where] is None:  # it is never the same again
        _run_kernel(machine, kernel, arguments)
        return
    given = tuple((place, v) for place, v in _given(arguments) if isinstance(v, Pointer))
    numbers = {place: v for place, v in _given(arguments) if isinstance(v, int)}
    extents = tuple(extent for dim3 in shape for extent in _extents(dim3))
    symbols = {k: o for k, o in machine.statics.items() if k in machine.globals and _is_constant(machine, k)}
    variables = {k: o for k, o in machine.statics.items() if o.on_device and not _is_fixed(machine, k)}
    found = reachable((*arguments, *(Pointer(o, 0) for o in variables.values())))
    now = Launched(
        given,
        numbers,
        extents,
        {id(target): target if machine.device is not None else _snapshot(machine, target) for target in found},
        {key: _snapshot(machine, o) for key, o in symbols.items()},
        arguments,
        shared_bytes if isinstance(shared_bytes, int) else None,
        variables,
        tuple(found),
        final=machine.loops == 0,
    )
    if machine.device is None:
        machine.seen[where] = _common(machine.seen[where], now) if where in machine.seen else now
        machine.first.setdefault(where, now)
    if machine.device is None or not _runs_on(machine.device, machine, kernel, now, stream, span):
        _run_kernel(machine, kernel, arguments)


def _runs_on(device: Device, machine: Machine, kernel: FunctionRef, now: Launched, stream: Value, span: Span) -> bool:
    """Puts a kernel into its stream, and runs it; False: what it leaves in memory is not known."""
    if machine.queue is None:
        return False
    work = machine.queue.put(f"kernel '{kernel.name}'", span, stream, kernel.key)
    for target in now.originals:
        machine.queue.lead_to(work, target)
    begin = perf_counter()
    known = device.run(machine, kernel, now, work)
    machine.besides += perf_counter() - begin
    return known


def _is_fixed(machine: Machine, key: str) -> bool:
    """Whether a variable always holds what it is initialised with."""
    return key in machine.globals and machine.globals[key].constant


def _is_constant(machine: Machine, key: str) -> bool:
    return machine.globals[key].variable.storage is Storage.CONSTANT


def _given(arguments: tuple[Value, ...]) -> Iterator[tuple[tuple[int, int], Value]]:
    for index, argument in enumerate(arguments):
        if isinstance(argument, Parts):
            yield from (((index, at), cell.value) for at, cell in argument.cells.items())
        else:
            yield (index, 0), argument


def _extents(dim3: Value) -> tuple[int | None, ...]:
    """The three members of a dim3."""
    if not isinstance(dim3, Parts):
        return None, None, None
    values = (dim3.cells[at].value if at in dim3.cells else None for at in (0, 4, 8))
    return tuple(v if isinstance(v, int) else None for v in values)


def _snapshot(machine: Machine, target: Object) -> Object:
    """What an object holds now; nothing of one that is too long."""
    return Object(target.name) if element_count(target) > machine.most_elements else snapshot(target)


def _common(before: Launched | None, now: Launched) -> Launched | None:
    """What a launch finds each time that it is made; None: it does not always get the same objects."""
    if before is None or before.arguments != now.arguments:
        return None
    held = {key: _same(o, now.held[key]) for key, o in before.held.items() if key in now.held}
    symbols = {key: _same(o, now.symbols[key]) for key, o in before.symbols.items()}
    numbers = {place: n for place, n in before.numbers.items() if now.numbers.get(place) == n}
    extents = tuple(a if a == b else None for a, b in zip(before.extents, now.extents, strict=True))
    given = now.given if now.given == before.given else ()
    shared = now.shared_bytes if now.shared_bytes == before.shared_bytes else None
    return Launched(now.arguments, numbers, extents, held, symbols, given, shared, now.variables)


def _same(one: Object, other: Object) -> Object:
    """The contents that two states of an object have in common."""
    if one.cells == other.cells and one.zero == other.zero:
        return one
    return Object(one.name, other.size, {at: c for at, c in one.cells.items() if other.cells.get(at) == c})


def _leads_anywhere(argument: Value, type_: Type) -> bool:
    """Whether a kernel is given a pointer, or finds one, of which it is not known where it leads."""
    if argument is UNKNOWN:
        return isinstance(type_, PointerType | RecordType)
    held = [target.held for target in reachable((argument,))]
    held += [argument.cells] if isinstance(argument, Parts) else []
    return any(c.value is UNKNOWN and isinstance(c.type, PointerType) for cells in held for c in cells.values())


def _run_kernel(machine: Machine, kernel: FunctionRef, arguments: tuple[Value, ...]) -> None:
    through = machine.mod_sets.of(kernel.key)
    declared = machine.functions.get(kernel.key)
    types = () if declared is None else (p.type for p in declared.parameters)
    given = list(zip(arguments, types, strict=False))
    if any(_leads_anywhere(*one) for i, one in enumerate(given) if through is None or i in through):
        raise StoppedError  # what it writes there may be anything that the run knows
    if through is None:
        forget_reachable(arguments)
        machine.forget_device()
        return
    forget_reachable(a for i, a in enumerate(arguments) if i in through)
    for variable in (*machine.mod_sets.by_name(kernel.key), *machine.mod_sets.passed_on(kernel.key)):
        forget(machine.object_of(variable))
