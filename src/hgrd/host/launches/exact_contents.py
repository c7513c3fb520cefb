"""Exact contents of the arrays that a kernel gets, from the concrete run of the program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from hgrd.host.concrete.images import launch_image
from hgrd.host.concrete.state.machine import Launched, Place
from hgrd.host.concrete.state.values import Object
from hgrd.host.concrete.state.values import Pointer as ConcretePointer
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.memory_image import LaunchImage
from hgrd.host.model import ConstantMemory
from hgrd.program.expressions import FunctionRef, Variable
from hgrd.program.span import NOWHERE, Span
from hgrd.program.types import IntType
from hgrd.symbolic.array_patterns import ArrayPattern, listed
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import Composite, MemoryObject, Pointer, Value
from hgrd.terms import Term, const

_MOST: Final = 1 << 16  # elements
Extents: TypeAlias = tuple[Term, Term, Term]
Contents: TypeAlias = tuple[MemoryObject, ArrayPattern]


def launched_concretely(run: HostRunState, machine: Machine, kernel: FunctionRef, span: Span) -> Launched | None:
    """What the concrete run says of a launch; None: it says nothing."""
    return run.concrete.always.get(_place(machine, kernel, span)) if _is_followed(run, machine) else None


def image_at(
    run: HostRunState, machine: Machine, kernel: FunctionRef, span: Span, parameters: Sequence[Variable]
) -> LaunchImage | None:
    """The memory that a launch finds each time, or else the first time; None: that is not known."""
    if not _is_followed(run, machine):
        return None
    place = _place(machine, kernel, span)
    first, always = run.concrete.first.get(place), run.concrete.always.get(place)
    return None if first is None else launch_image(first, parameters, machine.records, always=_is_same(first, always))


def _is_same(first: Launched, always: Launched | None) -> bool:
    """Whether a launch always finds what it found first."""
    if always is None or (always.given, always.shared_bytes) != (first.given, first.shared_bytes):
        return False
    if always.extents != first.extents or always.variables != first.variables:
        return False
    theirs = always.held
    return all(
        key in theirs and (o.cells, o.zero) == (theirs[key].cells, theirs[key].zero) for key, o in first.held.items()
    )


def _is_followed(run: HostRunState, machine: Machine) -> bool:
    """Whether the concrete run says what is in memory: it begins in `main`, and runs no destructors."""
    return machine.frames[0].function.key == "main" and not run.text.destructors_write


def _place(machine: Machine, kernel: FunctionRef, span: Span) -> Place:
    return tuple(f.call_site for f in machine.frames if f.call_site is not None), span, kernel.key


def exact_numbers(launched: Launched | None, arguments: Sequence[Value]) -> list[Value]:
    """The arguments with what is known of numbers, and of the sizes of what pointers lead to."""
    return list(arguments) if launched is None else [_exact(launched, (i, 0), a) for i, a in enumerate(arguments)]


def _exact(launched: Launched, place: tuple[int, int], value: Value) -> Value:
    match value:
        case Composite(cells=cells):
            new = {at: replace(c, value=_exact(launched, (place[0], at), c.value)) for at, c in cells.items()}
            return replace(value, cells=new)
        case Term() if place in launched.numbers and not value.is_bool and not value.is_const:
            return const(launched.numbers[place])
        case Pointer(target=target) if target.size is not None and not target.size.is_const:
            found = dict(launched.arguments).get(place)
            size = None if found is None else found.target.size
            return value if size is None else replace(value, target=replace(target, size=const(size)))
        case _:
            return value


def exact_constants(launched: Launched | None, constants: Iterable[ConstantMemory]) -> tuple[ConstantMemory, ...]:
    """What variables of constant memory hold, with the numbers that are known."""
    if launched is None:
        return tuple(constants)
    return tuple(replace(c, value=_exact_numbers(c.value, launched.symbols.get(c.target.key))) for c in constants)


def _exact_numbers(value: Composite, held: Object | None) -> Composite:
    cells = dict(value.cells)
    for at, cell in value.cells.items():
        known = None if held is None else held.cells.get(at)
        unknown = isinstance(cell.value, Term) and not cell.value.is_bool and not cell.value.is_const
        if unknown and known is not None and known.size == cell.size and isinstance(known.value, int):
            cells[at] = replace(cell, value=const(known.value))
    return replace(value, cells=cells)


def exact_extents(launched: Launched | None, extents: Sequence[Extents]) -> list[Extents]:
    """The extents of the grid and of a block, with what is known of them."""
    if launched is None:
        return list(extents)
    flat = [e for three in extents for e in three]
    x, y, z, u, v, w = (
        e if known is None or e.is_const else const(known) for e, known in zip(flat, launched.extents, strict=True)
    )
    return [(x, y, z), (u, v, w)]


def exact_contents(
    run: HostRunState, machine: Machine, launched: Launched | None, arguments: Sequence[Value]
) -> list[Contents]:
    """What the arguments of a launch lead to, and variables on the device hold, where no input decides about it."""
    if launched is None:
        return []
    found = [*_behind(launched, arguments), *_named(run, machine, launched)]
    named = [target.name for target, _ in found]
    alone = [(t, held) for t, held in found if named.count(t.name) == 1]
    return [(target, fill) for target, held in alone for fill in _patterns(held)]


def _behind(launched: Launched, arguments: Sequence[Value]) -> Iterator[tuple[MemoryObject, Object]]:
    """The objects of the two runs that are the same one: all arguments that lead to it point to one byte of both."""
    pointers = dict(_pointers(arguments))
    given = dict(launched.arguments)
    seen_as: dict[int, set[str]] = {}
    stands_for: dict[str, set[int]] = {}
    for place in given.keys() | pointers.keys():
        concrete, pointer = given.get(place), pointers.get(place)
        both = _one_byte(concrete, pointer)
        if concrete is not None:
            seen_as.setdefault(id(concrete.target), set()).add(pointer.target.key if both and pointer else "")
        if pointer is not None:
            stands_for.setdefault(pointer.target.key, set()).add(id(concrete.target) if both and concrete else 0)
    for target in dict.fromkeys(p.target for p in pointers.values()):
        numbers = stands_for[target.key]
        number = next(iter(numbers))
        if len(numbers) == 1 and number in launched.held and seen_as[number] == {target.key}:
            yield target, launched.held[number]


def _one_byte(concrete: ConcretePointer | None, pointer: Pointer | None) -> bool:
    """Whether two pointers have the same constant offset in their objects."""
    if concrete is None or pointer is None or not pointer.offset.is_const:
        return False
    return pointer.offset.value == concrete.offset


def _pointers(arguments: Iterable[Value]) -> Iterator[tuple[tuple[int, int], Pointer]]:
    for index, argument in enumerate(arguments):
        match argument:
            case Pointer():
                yield (index, 0), argument
            case Composite(cells=cells):
                yield from (((index, at), c.value) for at, c in cells.items() if isinstance(c.value, Pointer))
            case _:
                pass


def _named(run: HostRunState, machine: Machine, launched: Launched) -> Iterator[tuple[MemoryObject, Object]]:
    """The variables in constant memory that are followed, and those in global memory that no argument leads to."""
    if run.text.independent_streams:
        return
    for key, held in launched.symbols.items():
        followed = run.linked.constants.variables.get(key)
        if followed is not None:
            yield machine.object_of(followed.variable), held
    given = {id(pointer.target) for _, pointer in launched.arguments}
    for key, variable in launched.variables.items():
        if key in run.linked.constants.single and id(variable) in launched.held and id(variable) not in given:
            yield machine.object_of(run.linked.globals[key].variable), launched.held[id(variable)]


def _patterns(held: Object) -> Iterator[ArrayPattern]:
    """What an object holds, as arrays of each type of integers in it."""
    types = dict.fromkeys(c.type for c in held.cells.values() if isinstance(c.type, IntType))
    for type_ in types:
        values = _elements(held, type_)
        if values:
            span = held.written if held.written.line else NOWHERE
            size = type_.bits // 8
            yield ArrayPattern(const(0), size, const(len(values)), type_, size, listed(values), span)


def _elements(held: Object, type_: IntType) -> tuple[int | None, ...]:
    """The numbers of a type in an object, by their places; () if they do not stand where an array has them."""
    size = type_.bits // 8
    own = {at: c.value for at, c in held.cells.items() if c.type == type_}
    if any(at % size for at in own):
        return ()
    whole = held.size if held.zero and held.size is not None else max(own) + size
    count = whole // size
    if not 0 < count <= _MOST:
        return ()
    values: list[int | None] = [0 if held.zero else None] * count
    for at, cell in held.cells.items():
        for k in range(max(at // size, 0), min(-(-(at + cell.size) // size), count)):
            values[k] = None
    for at, value in own.items():
        if isinstance(value, int) and 0 <= at < whole:
            values[at // size] = value
    return tuple(values)
