"""Kernel launches: from symbolic values to launch sites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.execution.context import Invocation, Record
from hgrd.host.execution.surviving_iterations import survived
from hgrd.host.execution.symbol_copies import constants_at, facts_of
from hgrd.host.launches.abstraction import view
from hgrd.host.launches.aliases import found_equal
from hgrd.host.launches.alternatives import unified
from hgrd.host.launches.projection import projected
from hgrd.host.launches.relevant_facts import argument_facts, fact, holding, relevant
from hgrd.host.memory.array_contents import after_kernel, fills_of, lose_all
from hgrd.host.memory.unknowns import between, forget_targets, unknown
from hgrd.host.model import Fact, LaunchSite, Making
from hgrd.host.wording import say
from hgrd.program import expressions as ir
from hgrd.program.expressions import Variable
from hgrd.program.span import Span
from hgrd.program.types import VOID, FunctionType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.arithmetic import convert
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import Condition, ConditionKind, State
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Choice,
    Composite,
    FunctionValue,
    MemoryObject,
    Pointer,
    Value,
    pointed_to,
    terms_in,
)
from hgrd.terms import Term, as_int, const, negate

LAUNCH_LIMIT = 512
LAUNCHES_OF_ONE_LINE = 8
MAX_KERNELS = 16  # a launch through a pointer to one of more kernels is not followed
_EXTENT_LIMITS = {"grid": ((1 << 31) - 1, 65535, 65535), "block": (1024, 1024, 64)}


class Request(Struct, frozen=True):
    """A launch as the program asks for it; `type` is that of the kernel, where it is known.

    `written` are the arguments as the source has them, where it has them.
    """

    kernel: Value
    grid: Value
    block: Value
    shared: Value | None
    arguments: tuple[Value, ...]
    span: Span
    cooperative: bool = False
    type: FunctionType | None = None
    written: tuple[ir.Expression, ...] = ()
    later: bool = False  # the kernel does not run here, but when a graph is launched


def launch(record: Record, machine: Machine, state: State, request: Request) -> None:
    """Takes down a launch; then the kernel may have changed what its arguments lead to."""
    if not state.alive:
        return
    match request.kernel:
        case FunctionValue(function=kernel):
            if not machine.speculative and record.wants(kernel.name):
                _add(record, machine, _site(record, machine, state, request, kernel))
            written = after_kernel(record.writes, kernel.key, state, request.arguments)
            by_name = map(machine.object_of, record.writes.by_name(kernel.key))
            record.makers.computes((*written, *by_name), request.span, kernel.name)
        case Choice(condition=condition, then=a, otherwise=b):
            for kernel, test in ((a, condition), (b, negate(condition))):
                branch = state.copy()
                branch.assume(test, ConditionKind.BRANCH, request.span)
                launch(record, machine, branch, replace(request, kernel=kernel))
            lose_all(state)
            forget_targets(state, request.arguments, deep=True)
        case _:
            _launch_any(record, machine, state, request)


def _launch_any(record: Record, machine: Machine, state: State, request: Request) -> None:
    """A launch through a pointer of unknown value: of each kernel that it can point to."""
    kernels = () if request.type is None else record.linked.kernels_behind(request.type)
    if not 0 < len(kernels) <= MAX_KERNELS:
        record.note(machine, "a launch of a kernel that is not known here", request.span)
        lose_all(state)
        return
    for kernel in kernels:
        launch(record, machine, state.copy(), replace(request, kernel=FunctionValue(kernel.ref)))
    lose_all(state)
    forget_targets(state, request.arguments, deep=True)


def _site(record: Record, machine: Machine, state: State, request: Request, kernel: ir.FunctionRef) -> LaunchSite:
    grid, block = _extents(machine, request.grid, "grid"), _extents(machine, request.block, "block")
    shared = as_int(request.shared) if isinstance(request.shared, Term) else None
    roots = [*grid, *block, *([] if shared is None else [shared])]
    function = record.linked.functions.get(kernel.key)
    parameters = () if function is None else function.parameters
    given = found_equal(state.path, _given(machine, request, parameters))
    later = request.later or record.postponed
    constants = () if later else constants_at(record, machine, state, kernel)
    filled = [] if later or record.destroys else _filled(state, given)
    made = _made(record, given, request.written)
    one = unified(given, [c.value for c in constants], [o for o, _ in filled], made)
    values = [*one.arguments, *(c.value for c in constants)]
    roots += [t for a in values for t in terms_in(a)]
    roots += [t for _, f in filled for t in f.terms()]
    path = (*state.path, *_of_iterations_before(record, machine, state))
    conditions, kinds = projected(path, roots, record.kinds)
    conditions = relevant(conditions, roots)
    seen = view(roots, [c.term for c in conditions], values)
    constants = tuple(replace(c, value=seen.composite(c.value)) for c in constants)
    arguments = tuple(map(seen.value, one.arguments))
    grid, block = _map(seen.term, grid), _map(seen.term, block)
    extents = (*grid, *block)
    contents = tuple(holding(seen.place(o), f.mapped(seen.term)) for o, f in filled)
    held = [t for c in constants for t in terms_in(c.value)]
    within = [*held, *(t for h in contents for t in h.fill.terms()), *(t for a in arguments for t in terms_in(a))]
    facts = [fact(c, seen.term(c.term), kinds) for c in conditions]
    named = argument_facts(parameters, arguments, (*extents, *held), request.span)
    return LaunchSite(
        kernel,
        request.span,
        grid,
        block,
        None if shared is None else seen.term(shared),
        arguments,
        (*relevant(facts, (*extents, *within)), *named, *facts_of(machine, constants)),
        f"<<<{_say_extents(grid)}, {_say_extents(block)}>>>",
        request.cooperative,
        tuple(f.call_site for f in machine.frames if f.call_site is not None),
        constants,
        contents,
        tuple(replace(m, target=seen.place(m.target)) for m in one.made),
    )


def _given(machine: Machine, request: Request, parameters: Sequence[Variable]) -> list[Value]:
    """The arguments; where nothing is known of one, something from outside stands for it."""
    return [
        unknown(machine, p.name, p.type, request.span) if a == OPAQUE else a
        for a, p in zip(request.arguments, parameters, strict=False)
    ]


def _filled(state: State, arguments: Iterable[Value]) -> list[tuple[MemoryObject, ArrayPattern]]:
    """What is known of the elements of arrays that a kernel is given, but not where two have the same name."""
    objects = list(dict.fromkeys(o for a in arguments for o in pointed_to(a)))
    alone = [o for o in objects if all(other.key == o.key or other.name != o.name for other in objects)]
    return [(o, f) for o in alone for f in fills_of(state, o)]


def _made(record: Record, arguments: Iterable[Value], written: Iterable[ir.Expression]) -> list[Making]:
    """The objects that a kernel is given or knows by name of which the program makes all that they hold."""
    found: dict[str, Making | None] = {}
    for argument, expression in zip_longest(arguments, written):
        for target in pointed_to(OPAQUE if argument is None else argument):
            elsewhere = _nowhere if expression is None else partial(record.members.made, expression)
            found.setdefault(target.key, record.makers.of(target, elsewhere))
    named = [m.target for key, m in record.makers.made.items() if key in record.linked.globals]
    found |= {target.key: record.makers.of(target, _nowhere) for target in named}
    return [making for making in found.values() if making is not None]


def _nowhere() -> None:
    return None


def _of_iterations_before(record: Record, machine: Machine, state: State) -> Iterator[Condition]:
    """What is known of earlier iterations of the loops around, each of the class of what it comes from."""
    for loop in record.around:
        for told, source in survived(loop, state.path, machine.names):
            if source.term in record.kinds:
                record.kinds[told.term] = record.kinds[source.term]
            yield told


Extents: TypeAlias = tuple[Term, Term, Term]


def _map(change: Callable[[Term], Term], extents: Extents) -> Extents:
    x, y, z = extents
    return change(x), change(y), change(z)


def _extents(machine: Machine, value: Value, name: str) -> Extents:
    """The members of a dim3; what is not known of them is an input within CUDA's limits."""
    cells = value.cells if isinstance(value, Composite) else dict[int, Cell]()
    found: list[Term] = []
    for axis, (offset, limit) in enumerate(zip((0, 4, 8), _EXTENT_LIMITS[name], strict=True)):
        member = cells[offset].value if offset in cells else None
        if isinstance(member, Term):
            found.append(as_int(member))
        elif isinstance(value, Term):
            found.append(as_int(value) if axis == 0 else const(1))
        else:
            found.append(between(machine, f"{name}.{'xyz'[axis]}", 1, limit))
    return found[0], found[1], found[2]


def _say_extents(extents: Extents) -> str:
    one = const(1)
    texts = [say(t) for t in extents]
    if extents[1] is one and extents[2] is one:
        return texts[0]
    return f"({', '.join(texts[:2] if extents[2] is one else texts)})"


def _add(record: Record, machine: Machine, site: LaunchSite) -> None:
    """The same launch again only weakens its facts to those that hold both times."""
    same_line = [i for i, s in enumerate(record.launches) if s.span == site.span and s.kernel == site.kernel]
    for index in same_line:
        known = record.launches[index]
        if _what(known) == _what(site):
            contents = tuple(h for h in known.contents if h in site.contents)
            made = tuple(m for m in known.made if m.target in {n.target for n in site.made})
            facts = _common(known.facts, site.facts)
            record.launches[index] = replace(known, facts=facts, contents=contents, made=made)
            return
    if len(same_line) >= LAUNCHES_OF_ONE_LINE or len(record.launches) >= LAUNCH_LIMIT:
        record.note(machine, "more launches than are looked at", site.span)
        return
    record.launches.append(site)


def _what(site: LaunchSite) -> tuple[object, ...]:
    held = tuple((c.target.key, c.value) for c in site.constants)
    return site.grid, site.block, site.shared_bytes, site.arguments, site.cooperative, held


def _common(a: tuple[Fact, ...], b: tuple[Fact, ...]) -> tuple[Fact, ...]:
    terms = {f.term for f in b}
    return tuple(f for f in a if f.term in terms)


# ---------------------------------------------------------------- launches by function call


def launch_from_function(call: Invocation) -> Value | None:
    """cudaLaunchKernel(kernel, grid, block, arguments, shared bytes, stream): arguments by their addresses."""
    if len(call.arguments) < 4:
        return None
    kernel, shared = call.arguments[0], call.arguments[4] if len(call.arguments) > 4 else None
    arguments = by_address(call, kernel, call.arguments[3])
    cooperative = "Cooperative" in call.name
    request = Request(kernel, call.arguments[1], call.arguments[2], shared, arguments, call.span, cooperative)
    launch(call.record, call.machine, call.state, request)
    return const(0)


def launch_from_graph_node(call: Invocation) -> Value | None:
    """cudaGraphAddKernelNode(node, graph, dependencies, their number, cudaKernelNodeParams*)."""
    if len(call.arguments) < 5:
        return None
    node = call.arguments[4]
    kernel = _member(call, node, "func")
    arguments = by_address(call, kernel, _member(call, node, "kernelParams"))
    return _launch_as_in(call, node, kernel, arguments, "sharedMemBytes", later=True)


def launch_from_configuration(call: Invocation) -> Value | None:
    """cudaLaunchKernelEx(cudaLaunchConfig_t*, kernel, arguments …) and cudaLaunchKernelExC, arguments by address."""
    if len(call.arguments) < 2:
        return None
    config, kernel = call.arguments[0], call.arguments[1]
    if call.name.endswith("ExC"):
        arguments = by_address(call, kernel, call.arguments[2])
    else:
        arguments = tuple(v for i in range(2, len(call.arguments)) if (v := call.argument(i)) is not None)
    return _launch_as_in(call, config, kernel, arguments, "dynamicSmemBytes")


def _launch_as_in(
    call: Invocation, record: Value, kernel: Value, arguments: tuple[Value, ...], shared: str, *, later: bool = False
) -> Value:
    """A launch whose extents stand in a record of the runtime's."""
    grid, block = _member(call, record, "gridDim"), _member(call, record, "blockDim")
    request = Request(kernel, grid, block, _member(call, record, shared), arguments, call.span, later=later)
    launch(call.record, call.machine, call.state, request)
    return const(0)


def _member(call: Invocation, base: Value, name: str) -> Value:
    """A member of the record at an address, if the program sets it at all."""
    element = base.target.element if isinstance(base, Pointer) else None
    key = element.key if isinstance(element, RecordType) else element.name if isinstance(element, OpaqueType) else ""
    record = call.machine.records.get(key)
    for member in () if record is None else record.fields:
        if member.name == name:
            return load(call.machine, call.state, move(base, const(member.offset)), member.type, call.span)
    return OPAQUE


def by_address(call: Invocation, kernel: Value, array: Value) -> tuple[Value, ...]:
    """The values whose addresses stand in an array."""
    function = call.record.linked.functions.get(kernel.function.key) if isinstance(kernel, FunctionValue) else None
    values: list[Value] = []
    for index, parameter in enumerate(() if function is None else function.parameters):
        slot = move(array, const(8 * index))
        address = load(call.machine, call.state, slot, PointerType(VOID), call.span)
        values.append(_behind(call, address, parameter.type, parameter.span))
    return tuple(values)


def _behind(call: Invocation, address: Value, type_: Type, span: Span) -> Value:
    """What an address leads to, as `type_`: a number without a sign stays the same one where the kernel has it with."""
    own = address.target.element if isinstance(address, Pointer) else None
    if not isinstance(own, IntType) or not isinstance(type_, IntType) or own.bits != type_.bits:
        return load(call.machine, call.state, address, type_, span)
    value = convert(load(call.machine, call.state, address, own, span), own, type_, explicit=False)
    return OPAQUE if value is None else value
