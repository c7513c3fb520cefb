"""Lowering of `try`: its body, or, where a handler continues after it, a choice of the two."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.program.analysis.effects import local_effects
from hgrd.program.expressions import (
    AddressOf,
    Assign,
    Call,
    Expression,
    Load,
    Storage,
    Throw,
    Unsupported,
    Variable,
    VariablePlace,
)
from hgrd.program.sentinels import THROWN
from hgrd.program.span import Span
from hgrd.program.statements import Block, Declare, Evaluate, If, Return, Statement
from hgrd.program.types import BOOL, VOID, ArrayType, PointerType, RecordType
from hgrd.program.walk import nodes
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.lowering.context import Context

_OF_HOST = (Storage.LOCAL, Storage.PARAMETER, Storage.GLOBAL, Storage.STATIC)
_EXITS = ("exit", "_exit", "_Exit", "quick_exit", "abort")
_ENDS = frozenset({*_EXITS, *(f"std::{name}" for name in (*_EXITS, "terminate", "rethrow_exception"))})


def try_(node: Node, to: Context) -> list[Statement]:
    """The body alone, if all handlers end the program or throw: the code after it runs only if nothing was thrown.

    Else an exception may have left the body anywhere, with anything in the variables that it changes, and the handler
    continues from there, perhaps in the function that has called this one.
    """
    first, *handlers = inner(node)
    body, span = Block(tuple(to.statements(first)), span_of(node)), span_of(node)
    lowered = [Block(tuple(to.statements(inner(h)[-1])), span_of(h)) for h in handlers if inner(h)]
    in_main = to.function.key == "main"
    staying = [h for h in lowered if not _leaves(h, in_main)]
    if not staying:
        return list(body.body)
    found: Statement = body
    for handler in reversed(staying):
        thrown = Unsupported("whether something is thrown", (), BOOL, span)
        found = If(thrown, Block((*_half_done(body, span), *handler.body), handler.span), found, span)
    return [found]


def _leaves(statement: Statement, in_main: bool) -> bool:
    """Whether no code after a handler is reached, by its last statement."""
    match statement:
        case Block(body=body):
            return bool(body) and _leaves(body[-1], in_main)
        case If(then=then, otherwise=otherwise):
            return otherwise is not None and _leaves(then, in_main) and _leaves(otherwise, in_main)
        case Return():
            return in_main
        case Evaluate(expression=expression):
            return _ends(expression)
        case _:
            return False


def _ends(expression: Expression) -> bool:
    match expression:
        case Throw():
            return True
        case Call(function=function):
            return function.qualified in _ENDS
        case _:
            return False


def _half_done(body: Block, span: Span) -> Iterator[Statement]:
    """Makes everything unknown that the body, or functions that it calls, may have changed before it was left."""
    effects = local_effects(body)
    own = {n.variable for n in nodes(body) if isinstance(n, Declare)}
    mentioned = {n.variable for n in nodes(body) if isinstance(n, VariablePlace)} - own
    reached = [_reached(v, span) for v in sorted(mentioned, key=_by_key) if v.storage in _OF_HOST]
    yield Evaluate(Call(THROWN, tuple(e for e in reached if e is not None), VOID, span), span)
    for variable in sorted((effects.assigned | effects.exposed) - own, key=_by_key):
        if not isinstance(variable.type, ArrayType):
            value = Unsupported("what a body that has thrown leaves", (), variable.type, span)
            yield Evaluate(Assign(VariablePlace(variable, span), value, variable.type, span), span)


def _reached(variable: Variable, span: Span) -> Expression | None:
    """The expression that gives access to other objects: the address of an array, the value of a pointer or record."""
    place = VariablePlace(variable, span)
    match variable.type:
        case ArrayType():
            return AddressOf(place, PointerType(variable.type), span)
        case PointerType() | RecordType():
            return Load(place, variable.type, span)
        case _:
            return None


def _by_key(variable: Variable) -> str:
    return variable.key
