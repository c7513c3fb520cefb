"""Names for the results of calls: the variable or member that a result is stored in first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.walk import nodes
from hgrd.symbolic.machine import Machine


class ResultNames(Struct):
    """The names for all functions of a program; `known`, by a function's key, are those looked up so far."""

    functions: Mapping[str, Function]
    known: dict[str, dict[Span, str]] = field(default_factory=dict[str, dict[Span, str]])

    def of(self, machine: Machine, span: Span) -> str | None:
        """The variable that receives the result of the call at `span` in the running function; None: no variable."""
        if not machine.frames:
            return None
        key = machine.frame.function.key
        if key not in self.known:
            function = self.functions.get(key)
            self.known[key] = {} if function is None else receivers(function.body)
        return self.known[key].get(span)


def receivers(root: object) -> dict[Span, str]:
    """Calls whose result is stored in a variable or member, at most converted or chosen on the way; by their place."""
    found: dict[Span, str] = {}
    for node in nodes(root):
        match node:
            case st.Declare(variable=variable, initial=initial) if initial is not None:
                found |= dict.fromkeys(_sources(initial), variable.name)
            case ir.Assign(place=ir.VariablePlace(variable=variable), value=value):
                found |= dict.fromkeys(_sources(value), variable.name)
            case ir.Assign(place=ir.FieldPlace(field=member), value=value) if member.name:
                found |= dict.fromkeys(_sources(value), member.name)
            case _:
                pass
    return found


def _sources(expression: ir.Expression) -> Iterator[Span]:
    match expression:
        case ir.Convert(operand=operand):
            yield from _sources(operand)
        case ir.Conditional(then=a, otherwise=b):
            yield from _sources(a)
            yield from _sources(b)
        case ir.Call(span=span):
            yield span
        case _:
            pass
