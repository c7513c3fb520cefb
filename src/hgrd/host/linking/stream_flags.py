"""Streams that do not synchronise with the default stream (CUDA Runtime API, "Stream synchronization behavior")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hgrd.cuda.spelling import cuda_name
from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.walk import nodes

_FLAGS: Final = {"cudaStreamCreateWithFlags": 1, "cudaStreamCreateWithPriority": 1}  # by function, the argument


def makes_independent_streams(functions: Iterable[Function]) -> bool:
    """Whether a program makes streams that do not wait for the default stream, on which copies are as a rule."""
    return any(_is_independent(n) for f in functions if f.user_code and f.body is not None for n in nodes(f.body))


def _is_independent(node: object) -> bool:
    if not isinstance(node, ir.Call):
        return False
    at = _FLAGS.get(cuda_name(node.function.name))
    if at is None or at >= len(node.arguments):
        return False
    return not is_default(node.arguments[at])


def is_default(flags: ir.Expression) -> bool:
    """Whether a stream made with these flags waits for the default stream, and that for it."""
    match flags:
        case ir.Convert(operand=operand):
            return is_default(operand)
        case ir.IntConst(value=value):
            return value == 0
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return variable.name.endswith("StreamDefault")
        case _:
            return False
