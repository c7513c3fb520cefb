"""Globals of a launch: the program's variables outside of functions, and the functions with a taken address."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import cast

from msgspec import Struct

from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression, FunctionAddress, FunctionRef, Storage, Variable
from hgrd.program.layout import size_of
from hgrd.program.program import Function, Program
from hgrd.program.span import Span
from hgrd.program.types import Type
from hgrd.simulate import scalars
from hgrd.simulate.scalars import Scalar, UndefinedError

OPAQUE = 16
"""The bytes that an object of unknown type gets: a value of the library's."""
_SHARED = (Storage.SHARED, Storage.DEVICE, Storage.CONSTANT)


def named_in(program: Program, kernel: Function) -> tuple[tuple[Variable, ...], tuple[FunctionRef, ...]]:
    """The shared, device and constant variables that a kernel can use, in the order of their spans, and functions.

    The functions are those with a taken address.
    """
    variables: dict[str, Variable] = {}
    addressed: dict[FunctionRef, None] = {}
    waiting, seen = [kernel], {kernel.ref.key}
    while waiting:
        for node in _nodes(waiting.pop().body):
            if isinstance(node, Variable) and node.storage in _SHARED:
                variables.setdefault(node.key, node)
            elif isinstance(node, FunctionRef) and node.key not in seen:
                seen.add(node.key)
                function = program.functions.get(node.key)
                if function is not None and function.body is not None:
                    waiting.append(function)
            if isinstance(node, FunctionAddress):
                addressed[node.function] = None
    return tuple(sorted(variables.values(), key=lambda v: (v.span, v.key))), tuple(addressed)


def initial_bytes(program: Program, variable: Variable) -> bytes:
    """Initial bytes of a variable in device or constant memory: zeros, except for constants in its initialiser."""
    data = bytearray(size_of(variable.type, program.records) or OPAQUE)
    declared = program.globals.get(variable.key)
    if declared is not None and declared.initial is not None:
        _fill(program, data, 0, declared.initial, variable.type)
    return bytes(data)


def _fill(program: Program, data: bytearray, offset: int, e: Expression, type_: Type) -> None:
    if isinstance(e, ir.Aggregate):
        for at, part in e.parts:
            _fill(program, data, offset + at, part, part.type)
        return
    value = _constant(e)
    if value is not None:
        new = scalars.pack(value, type_, program.records)
        data[offset : offset + len(new)] = new


def _constant(e: Expression) -> Scalar | None:
    """The value of an expression of constants; None for others."""
    match e:
        case ir.IntConst(value=value) | ir.FloatConst(value=value):
            return value
        case ir.Convert(operand=operand, type=type_):
            inner = _constant(operand)
            return None if inner is None else scalars.convert(inner, type_)
        case ir.Unary(op=op, operand=operand, type=type_):
            inner = _constant(operand)
            return None if inner is None else scalars.unary(op, inner, type_)
        case ir.Binary(op=op, left=left, right=right, type=type_):
            a, b = _constant(left), _constant(right)
            try:
                return None if a is None or b is None else scalars.binary(op, a, b, type_)
            except UndefinedError:
                return None
        case _:
            return None


def _nodes(root: object) -> Iterator[object]:
    """A statement or expression and all nodes below it, including variables."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(cast("tuple[object, ...]", node))
            continue
        yield node
        stack.extend(getattr(node, name) for name in _parts(type(node)))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    if not issubclass(kind, Struct) or issubclass(kind, FunctionRef | Span):
        return ()
    return kind.__struct_fields__
