"""Grids as work on the device: what a kernel may touch by its arguments, and by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.concurrency.addresses import ANYWHERE, Address, Place, places
from hgrd.host.concurrency.trace import Grid, Touch, Work, choices_of, pointers_of, told_of
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.launches.touched_elements import LaunchedKernel
from hgrd.host.linking.early_accesses import used_before_wait
from hgrd.host.linking.kernel_accesses import Member
from hgrd.program.expressions import FunctionRef, Variable
from hgrd.program.span import Span
from hgrd.program.types import PointerType
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import (
    Cell,
    Choice,
    Composite,
    FloatValue,
    NullValue,
    OpaqueValue,
    Pointer,
    Value,
    pointed_to,
)
from hgrd.terms import Term, as_int, const

Extents: TypeAlias = tuple[Term, Term, Term]


class TracedLaunch(Struct, frozen=True):
    """A launch as the trace gets it."""

    kernel: FunctionRef
    arguments: tuple[Value, ...]
    grid: Extents
    block: Extents
    stream: Value | None
    span: Span
    captured: bool
    early: bool = False


def trace_grid(run: HostRunState, state: State, grid: TracedLaunch) -> None:
    """Adds the grid of a launch to what the run puts on the device."""
    function = run.linked.functions.get(grid.kernel.key)
    given = list(zip(() if function is None else function.parameters, grid.arguments, strict=False))
    uses = run.text.accesses.of(grid.kernel.key)
    launched = LaunchedKernel(
        uses, {m: as_int(v) for m, v in _members(given) if isinstance(v, Term)}, grid.grid[0], grid.block[0]
    )
    touches = (
        *_by_arguments(run, launched, grid.kernel.key, given),
        *_found_in_memory(run, state, grid.kernel.key, given),
        *_by_name(run, grid.kernel),
    )
    if grid.early and function is not None:
        touches = tuple(_before_wait(touches, given, used_before_wait(function)))
    run.trace.add(
        Work(
            f"kernel '{grid.kernel.name}'",
            grid.kernel.key,
            grid.span,
            run.trace.address_of(grid.stream),
            run.trace.device,
            touches,
            tuple(_number(v) for _, v in _members(given) if _counts(v)),
            choices_of(state),
            captured=grid.captured,
            graph=run.trace.graphs if grid.captured else 0,
            early=grid.early,
            told=told_of(state),
            sure=run.trace.is_sure(state) and not run.launches.only_traced,
            grid=Grid(grid.grid, grid.block, tuple(_parts(run, given))),
        )
    )


def _before_wait(
    touches: Iterable[Touch],
    given: Iterable[tuple[Variable, Value]],
    used: frozenset[Variable] | None,
) -> Iterator[Touch]:
    """The touches, marked where the kernel may do so before it waits for those before it; `used` None: any."""
    early = {t.key for p, value in given if used is None or p in used for t in pointed_to(value)}
    early |= {v.key for v in used or ()}
    for touch in touches:
        yield replace(touch, early=used is None or any(p.key in early for p in places(touch.at)))


def _members(given: Iterable[tuple[Variable, Value]]) -> Iterator[tuple[Member, Value]]:
    """The values that a kernel is given, records that hold pointers apart."""
    for parameter, value in given:
        if isinstance(value, Composite) and any(True for _ in pointed_to(value)):
            yield from (((parameter, at), cell.value) for at, cell in sorted(value.cells.items()))
        else:
            yield (parameter, 0), value


def _parts(run: HostRunState, given: Iterable[tuple[Variable, Value]]) -> Iterator[tuple[int, int, Term | Address]]:
    """The numbers and the pointers that a kernel is given, by the number of a parameter and the offset in it."""
    for number, (_, value) in enumerate(given):
        cells = value.cells if isinstance(value, Composite) else {0: Cell(value, 0)}
        for at, cell in sorted(cells.items()):
            match cell.value:
                case Term() as term:
                    yield number, at, as_int(term)
                case Pointer() | Choice() as pointer:
                    yield number, at, run.trace.address_of(pointer)
                case _:
                    pass


def _by_arguments(
    run: HostRunState, launched: LaunchedKernel, kernel: str, given: list[tuple[Variable, Value]]
) -> Iterator[Touch]:
    written, stored = run.text.mod_sets.of(kernel), run.text.mod_sets.stored(kernel)
    index = {parameter: number for number, (parameter, _) in enumerate(given)}
    for (parameter, at), value in _members(given):
        writes = written is None or index[parameter] in written
        if isinstance(value, OpaqueValue) and isinstance(parameter.type, PointerType):
            anywhere = Place(f"{ANYWHERE}{parameter.name}", const(0))
            run.trace.names[anywhere.key] = parameter.name
            yield Touch(anywhere, writes)
        accesses = launched.uses.accesses.get((parameter, at), ())
        rows, whole = launched.rows((parameter, at))
        reads, stores = any(a.reads for a in accesses), any(a.stores for a in accesses)
        stores = stores or (index[parameter] in stored and isinstance(parameter.type, PointerType))
        for pointer in pointers_of(value):
            run.trace.name(pointer)
            at = run.trace.address_of(pointer)
            covered = whole and all(a.within for a in accesses)
            own = writes and not stores
            kinds = run.text.mod_sets.kinds_stored(kernel) if own and written is None else None
            extent = next((t.size for t in pointed_to(pointer)), None)
            yield Touch(at, writes, reads, writes and stores, rows, whole, covered, kinds, extent=extent)


def _found_in_memory(
    run: HostRunState, state: State, kernel: str, given: list[tuple[Variable, Value]]
) -> Iterator[Touch]:
    """The objects that a kernel comes to by pointers that it finds in those that it is given."""
    if not (run.text.host_uses or run.text.ordering):
        return
    writes = run.text.mod_sets.of(kernel) is None
    direct = {t.key: t for _, value in given for t in pointed_to(value)}
    for target in reachable(state, tuple(value for _, value in given)):
        holds = target.element is None or run.text.mod_sets.leads(target.element)
        if target.key not in direct or holds:
            run.trace.names.setdefault(target.key, target.name)
            yield Touch(Place(target.key, const(0)), writes, kinds=run.text.mod_sets.kinds_stored(kernel), found=True)


def _by_name(run: HostRunState, kernel: FunctionRef) -> list[Touch]:
    effects = run.text.mod_sets
    stored, passed = effects.by_name(kernel.key), effects.passed_on(kernel.key)
    by_name = run.text.accesses.by_name(kernel.key)
    run.trace.names |= {v.key: v.name for v in by_name.known}
    return [
        Touch(Place(v.key, const(0)), v in stored | passed, v in by_name.loaded, v in stored) for v in by_name.known
    ]


def _counts(value: Value) -> bool:
    """Whether a value may say which elements a kernel uses, besides pointers."""
    return not isinstance(value, FloatValue | NullValue) and not any(True for _ in pointed_to(value))


def _number(value: Value) -> Term | None:
    return as_int(value) if isinstance(value, Term) else None
