"""What a kernel surely does through its pointers, by the form of its own body.

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += y[n - 1 - i];          // sweeps over x, from its first element on; reads y

A kernel sweeps where each thread, but for those at the end, uses the element with its number in the grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Storage, Variable
from hgrd.program.program import Function
from hgrd.program.walk import nodes

_BELOW: Final = (ir.BinaryOp.LT, ir.BinaryOp.LE)
_ABOVE: Final = (ir.BinaryOp.GT, ir.BinaryOp.GE)


class Use(Struct, frozen=True):
    """Accesses through a parameter that are not atomic: whether there are reads, stores, and a sweep."""

    reads: bool = False
    stores: bool = False
    sweeps: bool = False


def uses_of(kernel: Function) -> tuple[Use, ...]:
    """What a kernel surely does through each of its parameters; what is not plain to see is left out."""
    everything = tuple(nodes(kernel.body))
    changed = {v for n in everything if (v := _changed(n)) is not None}
    numbers = _numbers(everything, changed)
    found = {p: Use() for p in kernel.parameters if p not in changed}
    for node, swept in _accesses(kernel.body, numbers):
        for variable, index, reads, stores in _through(node):
            if variable in found:
                known = found[variable]
                sweeps = swept and index is not None and _is_number(index, numbers)
                found[variable] = Use(known.reads or reads, known.stores or stores, known.sweeps or sweeps)
    return tuple(found.get(p, Use()) for p in kernel.parameters)


def _changed(node: object) -> Variable | None:
    match node:
        case ir.Assign(place=ir.VariablePlace(variable=v)) | ir.Update(place=ir.VariablePlace(variable=v)):
            return v
        case ir.AddressOf(place=ir.VariablePlace(variable=v)):
            return v
        case _:
            return None


def _numbers(everything: Iterable[object], changed: set[Variable]) -> frozenset[Variable]:
    """The variables that hold the number of the thread in the grid; the step of a loop may change them."""
    stepped = {_changed(n.step) for n in everything if isinstance(n, st.Loop)}
    found: set[Variable] = set()
    for node in everything:
        if isinstance(node, st.Declare) and node.initial is not None and _is_number(node.initial, frozenset()):
            found.add(node.variable)
    return frozenset(v for v in found if v not in changed or v in stepped)


def _accesses(
    statement: st.Statement | None, numbers: frozenset[Variable], swept: bool = True
) -> Iterator[tuple[object, bool]]:
    """The expressions of a body, each with whether every thread comes there whose number is small enough."""
    match statement:
        case None:
            return
        case st.Block(body=body):
            for part in body:
                yield from _accesses(part, numbers, swept)
                leaves = isinstance(part, st.If) and any(map(_leaves, nodes(part)))
                swept = swept and not (leaves and not (isinstance(part, st.If) and _ends(part.condition, numbers)))
        case st.If(condition=condition, then=then, otherwise=otherwise):
            yield from ((n, swept) for n in nodes(condition))
            yield from _accesses(then, numbers, swept and _begins(condition, numbers))
            yield from _accesses(otherwise, numbers, False)
        case st.Loop(condition=condition, step=step, body=body):
            yield from ((n, swept) for part in (condition, step) for n in nodes(part))
            first = condition is not None and _begins(condition, numbers)
            yield from _accesses(body, numbers, swept and first)
        case st.Evaluate() | st.Declare() | st.Return():
            yield from ((n, swept) for n in nodes(statement))
        case _:
            yield from ((n, False) for n in nodes(statement))


def _leaves(node: object) -> bool:
    return isinstance(node, st.Return | st.Goto | st.Break | st.Continue)


def _begins(condition: ir.Expression, numbers: frozenset[Variable]) -> bool:
    """Whether a condition holds of the first threads: their number is below a limit."""
    match _bare(condition):
        case ir.Binary(op=op, left=left, right=right) if op in (*_BELOW, *_ABOVE):
            small, limit = (left, right) if op in _BELOW else (right, left)
            return _is_number(small, numbers) and _is_limit(limit)
        case _:
            return False


def _ends(condition: ir.Expression, numbers: frozenset[Variable]) -> bool:
    """Whether a condition holds of the last threads only: their number is above a limit."""
    match _bare(condition):
        case ir.Binary(op=op, left=left, right=right) if op in (*_BELOW, *_ABOVE):
            limit, large = (left, right) if op in _BELOW else (right, left)
            return _is_number(large, numbers) and _is_limit(limit)
        case _:
            return False


def _is_limit(expression: ir.Expression) -> bool:
    """Whether an expression is the same for all threads."""
    return not any(
        isinstance(n, ir.Call | ir.IndirectCall)
        or (isinstance(n, ir.VariablePlace) and n.variable.storage not in (Storage.PARAMETER, Storage.CONSTANT))
        for n in nodes(expression)
    )


def _bare(expression: ir.Expression) -> ir.Expression:
    while isinstance(expression, ir.Convert):
        expression = expression.operand
    return expression


def _is_number(expression: ir.Expression, numbers: frozenset[Variable]) -> bool:
    """Whether an expression is the number of the thread in the grid, along x."""
    match _bare(expression):
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return variable in numbers
        case ir.Binary(op=ir.BinaryOp.ADD, left=left, right=right):
            return any(
                _builtin(one) == "threadIdx.x" and _is_product(other) for one, other in ((left, right), (right, left))
            )
        case _:
            return False


def _is_product(expression: ir.Expression) -> bool:
    match _bare(expression):
        case ir.Binary(op=ir.BinaryOp.MUL, left=left, right=right):
            return {_builtin(left), _builtin(right)} == {"blockIdx.x", "blockDim.x"}
        case _:
            return False


def _builtin(expression: ir.Expression) -> str:
    match _bare(expression):
        case ir.Load(place=ir.FieldPlace(base=ir.VariablePlace(variable=variable), field=member)):
            return f"{variable.name}.{member.name}" if variable.storage is Storage.BUILTIN else ""
        case _:
            return ""


def _through(node: object) -> Iterator[tuple[Variable, ir.Expression | None, bool, bool]]:
    """The variable that an access goes through, its index (None: 0), and whether it reads and stores."""
    match node:
        case ir.Load(place=place):
            found, reads, stores = _pointer(place), True, False
        case ir.Assign(place=place):
            found, reads, stores = _pointer(place), False, True
        case ir.Update(place=place):
            found, reads, stores = _pointer(place), True, True
        case _:
            return
    if found is not None:
        yield *found, reads, stores


def _pointer(place: ir.Place) -> tuple[Variable, ir.Expression | None] | None:
    match place:
        case ir.FieldPlace(base=base):
            return _pointer(base)
        case ir.Deref(pointer=pointer):
            index = None
            if isinstance(pointer, ir.PointerAdd):
                pointer, index = pointer.pointer, pointer.index
            pointer = _bare(pointer)
            match pointer:
                case ir.Load(place=ir.VariablePlace(variable=variable)):
                    return variable, index
                case _:
                    return None
        case _:
            return None


def named_by(kernel: str, functions: Mapping[str, Function]) -> frozenset[Variable]:
    """The device variables that a kernel, or what it calls, knows by name."""
    everything = (n for function in run_by(kernel, functions) for n in nodes(function.body))
    places = (n.variable for n in everything if isinstance(n, ir.VariablePlace))
    return frozenset(v for v in places if v.storage is Storage.DEVICE)
