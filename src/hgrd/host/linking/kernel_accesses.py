"""What a kernel surely does through its pointers, by the form of its own body.

int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i < n) x[first + i] += y[n - 1 - i];          // where i < n: reads and stores x[first + i], reads y[n - 1 - i]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Storage, Variable
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import FloatType, IntType, Type
from hgrd.program.walk import nodes

Member: TypeAlias = tuple[Variable, int]
"""A pointer: a parameter, or what is at an offset in bytes in it."""
Test: TypeAlias = tuple[ir.Expression, bool]
"""A condition, and whether it holds."""


class Access(Struct, frozen=True):
    """An access through a pointer that is not atomic, at `pointer[index]` (None: 0).

    `stride` is the size of an element.  Where `tests` hold of a thread, it comes there; None: that is not plain to see.
    `again`: each thread does so for the numbers of further threads, too, in steps of the size of the grid.
    `within`: it keeps to the bytes of this element.  `constant`: it stores a constant.
    `maybe`: it stands in a part of an expression that may not be evaluated.
    """

    index: ir.Expression | None
    stride: int
    reads: bool
    stores: bool
    tests: tuple[Test, ...] | None
    again: bool
    within: bool = True
    span: Span | None = None
    constant: bool = False
    maybe: bool = False


class KernelUses(Struct, frozen=True):
    """The accesses of a kernel through its pointers; those through pointers in `whole` are all there are.

    `initials` are the first values of variables that keep them; the step of a loop may change those in `stepped`.
    """

    accesses: Mapping[Member, tuple[Access, ...]] = field(default_factory=dict[Member, "tuple[Access, ...]"])
    whole: frozenset[Member] = frozenset()
    initials: Mapping[Variable, ir.Expression] = field(default_factory=dict[Variable, ir.Expression])
    stepped: frozenset[Variable] = frozenset()


class ByName(Struct, frozen=True):
    """The variables of device and constant memory that a kernel, or what it calls, knows by name, and reads."""

    known: tuple[Variable, ...]
    loaded: frozenset[Variable]


class KernelAccesses(Struct):
    """Accesses of a program's kernels, looked at when first asked for; by the key of the kernel."""

    functions: Mapping[str, Function]
    uses: dict[str, KernelUses] = field(default_factory=dict[str, KernelUses])
    names: dict[str, ByName] = field(default_factory=dict[str, ByName])

    def of(self, key: str) -> KernelUses:
        """What a kernel surely does through its pointers."""
        if key not in self.uses:
            function = self.functions.get(key)
            self.uses[key] = KernelUses() if function is None else _uses_of(function)
        return self.uses[key]

    def by_name(self, key: str) -> ByName:
        """The variables that a kernel knows by name."""
        if key not in self.names:
            known = sorted(_named_by(key, self.functions), key=lambda v: v.key)
            self.names[key] = ByName(tuple(known), _loaded_by_name(key, self.functions))
        return self.names[key]


def _uses_of(kernel: Function) -> KernelUses:
    """What a kernel surely does through each of its pointers; what is not plain to see is left out."""
    everything = tuple(nodes(kernel.body))
    changed = {v for n in everything if (v := _changed(n)) is not None}
    steps = {_changed(n.step) for n in everything if isinstance(n, st.Loop)}
    declared = [n for n in everything if isinstance(n, st.Declare) and n.initial is not None]
    initials = {n.variable: n.initial for n in declared if n.initial and n.variable not in changed - steps}
    stepped = frozenset(v for v in changed & initials.keys())
    found: dict[Member, tuple[Access, ...]] = {}
    maybe = {id(n) for part in _arms(everything) for n in nodes(part)}
    for node, tests, loops in _visited(kernel.body, (), frozenset()):
        for (variable, offset), access in _through(node, tests, again=not stepped.isdisjoint(loops)):
            if variable in kernel.parameters and variable not in changed:
                known = replace(access, maybe=id(node) in maybe)
                found[variable, offset] = (*found.get((variable, offset), ()), known)
    loaded = [m for n in everything if isinstance(n, ir.Load) and (m := member_of(n.place)) is not None]
    whole = frozenset(m for m, accesses in found.items() if loaded.count(m) == len(accesses))
    return KernelUses(found, whole, initials, stepped)


def _changed(node: object) -> Variable | None:
    match node:
        case ir.Assign(place=ir.VariablePlace(variable=v)) | ir.Update(place=ir.VariablePlace(variable=v)):
            return v
        case ir.AddressOf(place=ir.VariablePlace(variable=v)):
            return v
        case _:
            return None


def _visited(
    statement: st.Statement | None, tests: tuple[Test, ...] | None, loops: frozenset[Variable | None]
) -> Iterator[tuple[object, tuple[Test, ...] | None, frozenset[Variable | None]]]:
    """The expressions of a body, each with what holds where it is come to, and what the steps of loops change."""
    match statement:
        case None:
            return
        case st.Block(body=body):
            for part in body:
                yield from _visited(part, tests, loops)
                tests = _after(part, tests)
        case st.If(condition=condition, then=then, otherwise=otherwise):
            yield from ((n, tests, loops) for n in nodes(condition))
            yield from _visited(then, _also(tests, condition, holds=True), loops)
            yield from _visited(otherwise, _also(tests, condition, holds=False), loops)
        case st.Loop(condition=condition, step=step, body=body):
            inside = tests if condition is None else _also(tests, condition, holds=True)
            yield from ((n, tests, loops) for part in (condition, step) for n in nodes(part))
            yield from _visited(body, inside, loops | {_changed(step)})
        case st.Evaluate() | st.Declare() | st.Return():
            yield from ((n, tests, loops) for n in nodes(statement))
        case _:
            yield from ((n, None, loops) for n in nodes(statement))


def _arms(everything: Iterable[object]) -> Iterator[ir.Expression]:
    """The parts of expressions that may not be evaluated."""
    for node in everything:
        match node:
            case ir.Conditional(then=then, otherwise=otherwise):
                yield from (then, otherwise)
            case ir.Logical(right=right):
                yield right
            case _:
                pass


def _also(tests: tuple[Test, ...] | None, condition: ir.Expression, *, holds: bool) -> tuple[Test, ...] | None:
    return None if tests is None else (*tests, (condition, holds))


def _after(part: st.Statement, tests: tuple[Test, ...] | None) -> tuple[Test, ...] | None:
    """What holds of the threads that come past a statement."""
    leaves = (st.Return, st.Goto, st.Break, st.Continue)
    if not any(isinstance(n, leaves) for n in nodes(part)) or isinstance(part, st.Loop | st.DoWhile | st.Switch):
        return None if any(isinstance(n, st.Return | st.Goto) for n in nodes(part)) else tests
    if isinstance(part, st.If) and part.otherwise is None:
        return _also(tests, part.condition, holds=False)
    return None


def _through(node: object, tests: tuple[Test, ...] | None, *, again: bool) -> Iterator[tuple[Member, Access]]:
    """The pointer that an access goes through, and the access."""
    match node:
        case ir.Load(place=place):
            reads, stores = True, False
        case ir.Assign(place=place):
            reads, stores = False, True
        case ir.Update(place=place):
            reads, stores = True, True
        case _:
            return
    found = _pointer(place)
    if found is not None:
        member, index, stride = found
        constant = isinstance(node, ir.Assign) and isinstance(bare(node.value), ir.IntConst | ir.FloatConst)
        yield member, Access(index, stride or 1, reads, stores, tests, again, stride > 0, place.span, constant)


def _pointer(place: ir.Place) -> tuple[Member, ir.Expression | None, int] | None:
    match place:
        case ir.FieldPlace(base=base):
            return _pointer(base)
        case ir.Deref(pointer=pointer):
            index, stride = None, _width(place.type)
            if isinstance(pointer, ir.PointerAdd):
                pointer, index, stride = pointer.pointer, pointer.index, pointer.stride
            pointer = bare(pointer)
            member = member_of(pointer.place) if isinstance(pointer, ir.Load) else None
            return None if member is None else (member, index, stride)
        case _:
            return None


def _width(type_: Type) -> int:
    """The bytes of a number; 0: it is of another type."""
    match type_:
        case IntType(bits=bits) | FloatType(bits=bits) if bits <= 64:
            return bits // 8
        case _:
            return 0


def member_of(place: ir.Place) -> Member | None:
    """The variable that a place is a part of, and where in it; None: it is reached through a pointer."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable, 0
        case ir.FieldPlace(base=base, field=member):
            found = member_of(base)
            return None if found is None else (found[0], found[1] + member.offset)
        case _:
            return None


def bare(expression: ir.Expression) -> ir.Expression:
    """An expression without conversions around it."""
    while isinstance(expression, ir.Convert):
        expression = expression.operand
    return expression


def _named_by(kernel: str, functions: Mapping[str, Function]) -> frozenset[Variable]:
    """The variables of device and constant memory that a kernel, or what it calls, knows by name."""
    return _device(n for function in run_by(kernel, functions) for n in nodes(function.body))


def _loaded_by_name(kernel: str, functions: Mapping[str, Function]) -> frozenset[Variable]:
    """The variables of device and constant memory that a kernel, or what it calls, reads by name."""
    everything = (n for function in run_by(kernel, functions) for n in nodes(function.body))
    return _device(p for n in everything if isinstance(n, ir.Load) for p in nodes(n.place))


def _device(everything: Iterable[object]) -> frozenset[Variable]:
    places = (n.variable for n in everything if isinstance(n, ir.VariablePlace))
    return frozenset(v for v in places if v.storage in (Storage.DEVICE, Storage.CONSTANT))
