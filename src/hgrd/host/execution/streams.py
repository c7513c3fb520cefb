"""When copies of the host are done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.walk import nodes
from hgrd.symbolic.values import NullValue
from hgrd.terms import const

if TYPE_CHECKING:
    from hgrd.host.execution.context import Invocation

_FLAGS: Final = {"StreamCreateWithFlags": 1, "StreamCreateWithPriority": 1}  # by function, the argument


def done_before_launches(call: Invocation, stream: int) -> bool:
    """Whether a copy is done before any launch behind it; `stream` is the number of its argument.

    One on a stream of its own is not ordered with launches on others, nor is one on no stream with those on streams
    that do not wait for it (CUDA Runtime API, "API synchronization behavior", "Stream synchronization behavior").
    """
    if not call.name.endswith("Async"):
        return True
    given = call.argument(stream)
    return not call.record.streams_apart and (given is None or given == const(0) or isinstance(given, NullValue))


def streams_apart(functions: Iterable[Function]) -> bool:
    """Whether a program makes streams that do not wait for the one that copies are on otherwise."""
    return any(_makes_apart(n) for f in functions if f.user_code and f.body is not None for n in nodes(f.body))


def _makes_apart(node: object) -> bool:
    if not isinstance(node, ir.Call):
        return False
    at = _FLAGS.get(node.function.name.removeprefix("cuda").removeprefix("hip"))
    if at is None or at >= len(node.arguments):
        return False
    return not _is_default(node.arguments[at])


def _is_default(flags: ir.Expression) -> bool:
    match flags:
        case ir.Convert(operand=operand):
            return _is_default(operand)
        case ir.IntConst(value=value):
            return value == 0
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return variable.name.endswith("StreamDefault")
        case _:
            return False
