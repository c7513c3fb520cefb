"""Lowering of `try`: its body, or, where a handler goes on behind it, one of the two."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.program.expressions import Assign, Call, Expression, Throw, Unsupported, Variable, VariablePlace
from hgrd.program.span import Span
from hgrd.program.statements import Block, Break, Continue, Declare, Evaluate, Goto, If, Return, Statement
from hgrd.program.types import BOOL, ArrayType
from hgrd.program.walk import nodes
from hgrd.source.ast import Node, inner, span_of
from hgrd.source.context import Context
from hgrd.symbolic.effects import local_effects

_ENDS = frozenset({"exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "rethrow_exception"})


def try_(node: Node, to: Context) -> list[Statement]:
    """The body alone, if all handlers leave: what is behind is then reached only if nothing has been thrown.

    Else an exception may have left the body anywhere, with anything in the variables that it changes.
    """
    first, *handlers = inner(node)
    body, span = Block(tuple(to.statements(first)), span_of(node)), span_of(node)
    lowered = [Block(tuple(to.statements(inner(h)[-1])), span_of(h)) for h in handlers if inner(h)]
    staying = [h for h in lowered if not _leaves(h)]
    if not staying:
        return list(body.body)
    found: Statement = body
    for handler in reversed(staying):
        thrown = Unsupported("whether something is thrown", (), BOOL, span)
        found = If(thrown, Block((*_half_done(body, span), *handler.body), handler.span), found, span)
    return [found]


def _leaves(statement: Statement) -> bool:
    """Whether nothing behind it is reached, by its last statement."""
    match statement:
        case Block(body=body):
            return bool(body) and _leaves(body[-1])
        case If(then=then, otherwise=otherwise):
            return otherwise is not None and _leaves(then) and _leaves(otherwise)
        case Return() | Break() | Continue() | Goto():
            return True
        case Evaluate(expression=expression):
            return _ends(expression)
        case _:
            return False


def _ends(expression: Expression) -> bool:
    match expression:
        case Throw():
            return True
        case Call(function=function):
            return function.name in _ENDS
        case _:
            return False


def _half_done(body: Block, span: Span) -> Iterator[Statement]:
    """Assignments that leave nothing known of what the body may have changed before it was left."""
    effects = local_effects(body)
    own = {n.variable for n in nodes(body) if isinstance(n, Declare)}
    for variable in sorted((effects.assigned | effects.exposed) - own, key=_by_key):
        if not isinstance(variable.type, ArrayType):
            value = Unsupported("what a body that has thrown leaves", (), variable.type, span)
            yield Evaluate(Assign(VariablePlace(variable, span), value, variable.type, span), span)


def _by_key(variable: Variable) -> str:
    return variable.key
