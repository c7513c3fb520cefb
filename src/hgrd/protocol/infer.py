"""Protocol inference: runs a kernel symbolically at a launch and records its protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf

from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Level
from hgrd.host.model import Beginning, Fact, FactKind, LaunchSite
from hgrd.program.expressions import Binary, BinaryOp, Convert, Variable
from hgrd.program.layout import scalars
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.types import (
    ArrayType,
    BoolType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    Type,
)
from hgrd.program.walk import nodes
from hgrd.protocol.cluster_memory import ClusterMemory
from hgrd.protocol.copies.followed import copies_followed
from hgrd.protocol.device_calls.annotations import assume_axioms
from hgrd.protocol.device_calls.dispatch import DEVICE_CALLS
from hgrd.protocol.inference.assumptions import Assumptions
from hgrd.protocol.inference.block_symmetry import has_symmetric_blocks
from hgrd.protocol.inference.function_pointers import NUMBERS, FunctionNumbers
from hgrd.protocol.inference.memory_knowledge import MemoryKnowledge
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.inference.stored_pointers import fetch_gaps, held_gaps
from hgrd.protocol.model import (
    Barrier,
    Configuration,
    Gap,
    Item,
    LaunchInfo,
    MemoryFacts,
    Protocol,
    ProtocolLoop,
    SymbolInfo,
    Uniformity,
    accesses,
)
from hgrd.protocol.named_barriers import NamedBarriers
from hgrd.protocol.overlaps import declared_apart, overlap_assumptions, overlap_gaps
from hgrd.symbolic.execution.calls import run
from hgrd.symbolic.execution.interpreter import INTERPRETER
from hgrd.symbolic.limits import OUT_OF_TIME, StepLimitError, TimeLimitError, until
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.names import Names
from hgrd.symbolic.state import State, symbols_in
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    OpaqueValue,
    Pointer,
    Value,
    pointed_to,
)
from hgrd.terms import TRUE, Origin, Symbol, Term, const, ne, read, symbols_of, var

_MOST_RUNS = 6  # after that, nothing is assumed of variables in shared memory


def infer(
    tables: Tables,
    kernel: Function,
    launch: LaunchSite | None,
    configuration: Configuration,
    parameters: Mapping[str, int] | None = None,
    *,
    asserts: bool = True,
    deadline: float = inf,
) -> Protocol:
    """Protocol of `kernel`, with the arguments of the launch; if `launch` is None, with unknown arguments.

    Objects that are never written hold the same value at every read: a first run finds out which are written, and
    which variables in shared memory are given one value only.
    A kernel that does not run to its end before `deadline`, a value of perf_counter(), has a gap.
    """
    functions = FunctionNumbers(tables)
    written: frozenset[str] = frozenset()
    kept: dict[str, Value] = {}
    set_once: frozenset[str] = frozenset()
    runs = 0
    while True:
        known, once = (kept, set_once) if runs < _MOST_RUNS else ({}, frozenset[str]())
        device = _semantics(tables, functions, configuration, written, known, once, asserts=asserts)
        protocol = _run(tables, kernel, launch, device, parameters or {}, deadline)
        found, kept = protocol.memory.written | written, device.memory.single_valued.found()
        set_once = device.memory.single_valued.set_once()
        settled = found == written and (runs >= _MOST_RUNS or (kept, set_once) == (known, once))
        if settled or not _reads_written(protocol):
            if not _waits_for_grid(protocol.items):
                return protocol
            device = _semantics(tables, functions, configuration, written, known, once, asserts=asserts, of_grid=True)
            return _of_grid(protocol, _run(tables, kernel, launch, device, parameters or {}, deadline))
        written = found
        runs += 1


def _semantics(
    tables: Tables,
    functions: FunctionNumbers,
    configuration: Configuration,
    written: frozenset[str],
    single_values: Mapping[str, Value],
    set_once: frozenset[str],
    *,
    asserts: bool,
    of_grid: bool = False,
) -> DeviceSemantics:
    """Semantics for a run that knows which objects are `written`, the single values of shared variables, and which of
    them are `set_once`.
    """
    memory = MemoryKnowledge(tables.globals, written, single_values, set_once)
    aligned = tables.naturally_aligned
    assumed = Assumptions(asserts)
    return DeviceSemantics(configuration, functions, DEVICE_CALLS, memory, assumed, of_grid, naturally_aligned=aligned)


def _waits_for_grid(items: Iterable[Item]) -> bool:
    """Whether a barrier of the grid is among the items: only then equal reads of threads of two blocks matter."""
    return any(_waits_for_grid(item.items) if isinstance(item, ProtocolLoop) else _is_of_grid(item) for item in items)


def _is_of_grid(item: Item) -> bool:
    return isinstance(item, Barrier) and item.scope.covers(Level.INTER_BLOCK)


def _of_grid(protocol: Protocol, seen: Protocol) -> Protocol:
    """The protocol with the symbols that are the same for all threads of the grid, as the run `seen` recorded them."""
    if seen.items != protocol.items:  # cut short
        return protocol
    of_grid = {**seen.uniform.broadcast, **seen.uniform.in_iteration}
    of_block = {**protocol.uniform.broadcast, **protocol.uniform.in_iteration}
    names = frozenset(n for n, loops in of_grid.items() if of_block.get(n) == loops)
    return replace(protocol, uniform=replace(protocol.uniform, of_grid=names))


def _reads_written(protocol: Protocol) -> bool:
    return any(a.kind is AccessKind.READ and a.target.key in protocol.memory.written for a in accesses(protocol.items))


def _run(
    tables: Tables,
    kernel: Function,
    launch: LaunchSite | None,
    device: DeviceSemantics,
    parameters: Mapping[str, int],
    deadline: float,
) -> Protocol:
    configuration = device.configuration
    held = () if launch is None else launch.constants
    device.memory.constants = {c.target.key: c.value for c in held}
    device.memory.bound = () if launch is None else launch.bound
    names = Names()
    for symbol in _outside(launch, configuration):
        names.unique(symbol.name)
    machine = Machine(tables.functions, tables.records, device, INTERPRETER, names, deadline=deadline)
    given = () if launch is None else launch.arguments
    arguments = [
        _completed(machine, given[i], p) if i < len(given) else parameter_value(machine, p, parameters)
        for i, p in enumerate(kernel.parameters)
    ]
    outside = frozenset(names.index)
    apart = (*configuration.thread, *(configuration.block_index if device.of_grid else ()))
    device.uniformity.common = outside - {s.name for s in apart if s is not None}
    device.number_arguments = frozenset(t for value in arguments for t in _numbers(value))
    state = State({}, ())
    try:
        with until(deadline):
            assume_axioms(device, machine, state, kernel)
            run(machine, state, kernel, tuple(arguments), None)
    except TimeLimitError:
        device.recorder.gaps.append(Gap(OUT_OF_TIME, (), kernel.span))
    except StepLimitError:
        device.recorder.gaps.append(Gap("the kernel is too large to be followed whole", (), kernel.span))
    barriers = NamedBarriers(configuration, device.uniformity.agrees)
    known = copies_followed(tuple(device.recorder.open[0]), device.recorder.exchanges, machine.names)
    cluster = ClusterMemory(configuration, device.recorder.copies)
    items, unclear, lags = barriers.resolved(cluster.joined(known.items))
    used, given = accesses(items), tuple(zip(kernel.parameters, arguments, strict=True))
    overlaps = declared_apart(kernel, given, () if launch is None else launch.overlaps)
    gaps = (
        *device.recorder.gaps,
        *known.gaps,
        *dict.fromkeys(cluster.gaps),
        *unclear,
        *device.memory.stored_pointers.gaps(used),
        *overlap_gaps(overlaps.possible, used, device.memory.fetched, kernel.span),
        *fetch_gaps(device.memory.fetched, used, kernel.span),
        *held_gaps(() if launch is None else launch.held, tables, used, kernel.span),
    )
    written = frozenset(a.target.key for a in accesses(items) if a.changes)
    told_apart = gaps or lags
    symmetric = not told_apart and has_symmetric_blocks(
        tables.functions, machine.entered, items, device.memory.collectives
    )
    return Protocol(
        kernel=kernel.ref.name,
        span=kernel.span,
        functions=frozenset(machine.entered),
        configuration=configuration,
        items=items,
        gaps=(*gaps, *device.memory.collectives.gaps(written)),
        assumed=(
            *dict.fromkeys(device.assumptions.facts),
            *_present(tables, kernel, arguments, machine.entered),
            *overlap_assumptions(overlaps, used, device.memory.fetched, kernel.span),
        ),
        across=tuple(device.assumptions.across),
        symbols=SymbolInfo(
            private=frozenset(names.index) - outside,
            observed=cluster.observed(device.observed),
            first_tests=dict(device.tests.found),
            converted=dict(device.uniformity.converted),
            exchanged=frozenset(device.uniformity.exchanged),
        ),
        uniform=Uniformity(
            broadcast={} if lags else dict(device.uniformity.broadcast),  # what is read between two barriers
            in_iteration={} if lags else device.uniformity.by_iterations(items),
            groups=dict(device.uniformity.groups),
            masks=dict(device.uniformity.masks),
            scans=dict(device.uniformity.scans),
            told=dict(device.uniformity.told),
            symmetric_blocks=symmetric,
        ),
        memory=MemoryFacts(written=written, declared=_declared(machine, device), constants=held),
        launch=LaunchInfo(
            arguments=tuple(arguments),
            numbers=tuple(n for p, a in given for n in _named(machine, p, a)),
            pointers=tuple((p.name, a) for p, a in given if isinstance(a, Pointer)),
        ),
        exchanges=known.exchanges,
        lags=lags,
    )


def _declared(machine: Machine, device: DeviceSemantics) -> dict[str, tuple[Beginning, ...]]:
    """Initial numbers in the declarations of observed variables, by key."""
    keys = {o.target.key for o in device.observed.values()}
    return {key: tuple(device.memory.declared_numbers(machine, key)) for key in keys}


def _present(tables: Tables, kernel: Function, arguments: Iterable[Value], entered: Iterable[str]) -> Iterator[Fact]:
    """Assumption on pointers of unknown origin, in a kernel that compares pointers."""
    names = [
        p.name for p, a in zip(kernel.parameters, arguments, strict=True) if any(o.external for o in pointed_to(a))
    ]
    functions = (tables.functions.get(key) for key in {kernel.ref.key, *entered})
    if names and any(_compares_pointers(n) for f in functions if f is not None for n in nodes(f.body)):
        text = f"{', '.join(names)}: pointers that are given are not null, and do not point to one object"
        yield Fact(TRUE, FactKind.ASSUMPTION, text, kernel.span)


def _compares_pointers(node: object) -> bool:
    match node:
        case Binary(op=BinaryOp.EQ | BinaryOp.NE, left=compared) | Convert(operand=compared, type=BoolType()):
            return isinstance(compared.type, PointerType)
        case _:
            return False


def _numbers(value: Value) -> Iterator[Term]:
    """Numbers in an argument: itself, or the members of a record that are numbers."""
    match value:
        case Term():
            yield value
        case Composite(cells=cells):
            for cell in cells.values():
                yield from _numbers(cell.value)
        case _:
            pass


def _named(machine: Machine, parameter: Variable, value: Value) -> Iterator[tuple[str, Term]]:
    """Numbers in an argument, itself or members of a record, each with its name in the source."""
    match value:
        case Term():
            yield parameter.name, value
        case Composite(cells=cells):
            places = scalars(parameter.type, machine.records, 256)
            for (at, _), path in zip(places, _paths(machine, parameter.type, parameter.name), strict=False):
                cell = cells.get(at)
                if cell is not None and isinstance(cell.value, Term):
                    yield path, cell.value
        case _:
            pass


def _outside(launch: LaunchSite | None, configuration: Configuration) -> frozenset[Symbol]:
    """Outside symbols: those that exist before the kernel runs."""
    terms = [*configuration.grid, *configuration.block, *configuration.cluster, *(f.term for f in configuration.facts)]
    symbols = symbols_of(*terms) | {s for s in (*configuration.thread, *configuration.block_index) if s is not None}
    if launch is not None:
        symbols |= symbols_of(*(f.term for f in launch.facts))
        values = (*launch.arguments, *(c.value for c in launch.constants))
        symbols |= frozenset[Symbol]().union(*map(symbols_in, values))
    return symbols


def parameter_value(machine: Machine, parameter: Variable, known: Mapping[str, int]) -> Value:
    """Value of a kernel argument of which only name and type are known; pointers get objects of their own."""
    if parameter.name in known:
        return const(known[parameter.name])
    return _unknown(machine, parameter.name, parameter.key, parameter.type, parameter)


def _completed(machine: Machine, value: Value, parameter: Variable) -> Value:
    """Argument with its parts that are unknown to the host replaced as if there were no host."""
    match value, parameter.type:
        case Pointer(), PointerType(to=FunctionType()) as type_:
            return _unknown(machine, parameter.name, parameter.key, type_, parameter)
        case OpaqueValue(), type_:
            return _unknown(machine, parameter.name, parameter.key, type_, parameter)
        case Composite() as known, RecordType() as type_:
            unknown = _unknown(machine, parameter.name, parameter.key, type_, parameter)
            if not isinstance(unknown, Composite):
                return known
            held = {at: c for at, c in known.cells.items() if not isinstance(c.value, OpaqueValue)}
            return Composite({**unknown.cells, **held}, known.size)
        case _:
            return value


def _unknown(machine: Machine, name: str, key: str, type_: Type, parameter: Variable) -> Value:
    match type_:
        case BoolType():
            return ne(var(Symbol(machine.names.unique(name), 0, 1, Origin.INPUT)), const(0))
        case IntType():
            return var(Symbol(machine.names.unique(name), *type_.range, Origin.INPUT))
        case FloatType():
            return FloatValue(read(f"float {machine.names.unique(name)}"))
        case PointerType(to=FunctionType() as to):
            number = var(Symbol(machine.names.unique(name), *NUMBERS, Origin.INPUT))
            return machine.semantics.pointer_to_function(machine, number, name, to, parameter.span)
        case PointerType(to=to):
            target = MemoryObject(key, name, MemorySpace.GLOBAL, to, None, parameter.span, external=True)
            return Pointer(target, const(0))
        case RecordType() | ArrayType():
            cells: dict[int, Cell] = {}
            members = scalars(type_, machine.records, 256)
            for (at, member), path in zip(members, _paths(machine, type_, name), strict=False):
                value = _unknown(machine, path, f"{key}+{at}", member, parameter)
                cells[at] = Cell(value, machine.size(member) or 1)
            return Composite(cells, machine.size(type_) or 0)
        case _:
            return OPAQUE


def _paths(machine: Machine, type_: Type, prefix: str) -> list[str]:
    """Source names of the scalar members, in the order of `scalars`."""
    match type_:
        case RecordType(key=key) if key in machine.records:
            record = machine.records[key]
            return [
                p for f in record.fields for p in _paths(machine, f.type, f"{prefix}.{f.name}" if f.name else prefix)
            ]
        case ArrayType(of=element, count=count):
            return [p for i in range(count or 0) for p in _paths(machine, element, f"{prefix}[{i}]")]
        case _:
            return [prefix]
