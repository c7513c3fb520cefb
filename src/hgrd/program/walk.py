"""Traversals of the IR: all nodes of a tree, and the jumps of statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.statements import (
    Block,
    Break,
    Continue,
    DoWhile,
    Goto,
    If,
    Label,
    Loop,
    Statement,
    Switch,
    UnsupportedStatement,
)

_NODES = {"hgrd.program.expressions", "hgrd.program.statements"}
_LEAVES = {"type", "span", "variable", "field", "function", "constructor", "op", "compute_type", "allocated"}


def nodes(root: object) -> Iterator[object]:
    """All IR nodes below `root`, in no particular order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(cast("tuple[object, ...]", node))
            continue
        parts = _parts(type(node))
        if parts is not None:
            yield node
            stack.extend(getattr(node, name) for name in parts)


def directly_in(node: object) -> Iterator[object]:
    """The nodes that a node consists of, without those in them."""
    todo: list[object] = [getattr(node, name) for name in _parts(type(node)) or ()]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo.extend(cast("tuple[object, ...]", part))
        elif isinstance(part, Struct) and _parts(type(part)) is not None:
            yield part


@cache
def _parts(kind: type) -> tuple[str, ...] | None:
    """The fields of a class of nodes that hold further nodes; None for other classes."""
    if kind.__module__ not in _NODES or not issubclass(kind, Struct):
        return None
    return tuple(name for name in kind.__struct_fields__ if name not in _LEAVES)


def rebuilt(node: object, change: Callable[[object], object]) -> object:
    """A tree with each IR node replaced by what `change` gives, from the inside out."""
    if isinstance(node, tuple):
        return tuple(rebuilt(part, change) for part in cast("tuple[object, ...]", node))
    parts = _parts(type(node))
    if parts is None:
        return node
    found = {name: rebuilt(getattr(node, name), change) for name in parts}
    new = {name: part for name, part in found.items() if part != getattr(node, name)}
    return change(replace(cast("Struct", node), **new) if new else node)


def inside(statement: Statement) -> tuple[Statement, ...]:
    """Statements directly in a statement."""
    match statement:
        case Block(body=body):
            return body
        case If(then=then, otherwise=otherwise):
            return (then,) if otherwise is None else (then, otherwise)
        case Loop(body=body) | DoWhile(body=body):
            return (body,)
        case Switch(cases=cases):
            return tuple(s for case in cases for s in case.body)
        case UnsupportedStatement(parts=parts):
            return parts
        case _:
            return ()


def below(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Statements with all statements nested in them, in the order of the source."""
    for statement in statements:
        yield statement
        yield from below(inside(statement))


def jumps(statement: Statement) -> bool:
    """Whether the statement contains a goto or a label."""
    return any(isinstance(s, Goto | Label) for s in below((statement,)))


def escapes(statement: Statement, breaks: bool = True, continues: bool = True) -> bool:
    """Whether a break (or continue) in the statement belongs to a loop or switch around it."""
    match statement:
        case Break():
            return breaks
        case Continue():
            return continues
        case Loop() | DoWhile():
            return False
        case Switch():
            return any(escapes(s, False, continues) for s in inside(statement))
        case _:
            return any(escapes(s, breaks, continues) for s in inside(statement))


def as_block(statement: Statement) -> Block:
    """The statement, in a block of its own if it is none."""
    return statement if isinstance(statement, Block) else Block((statement,), statement.span)


def mapped(statement: Statement, change: Callable[[Statement], Statement | None]) -> Statement:
    """Statement with each part replaced by what `change` gives, from the outside in; None: `change` goes on inside."""
    changed = change(statement)
    if changed is not None:
        return changed
    match statement:
        case Block(body=body):
            return replace(statement, body=tuple(mapped(s, change) for s in body))
        case If(then=then, otherwise=otherwise):
            other = None if otherwise is None else mapped(otherwise, change)
            return replace(statement, then=mapped(then, change), otherwise=other)
        case Loop(body=body) | DoWhile(body=body):
            return replace(statement, body=mapped(body, change))
        case Switch(cases=cases):
            new = (replace(case, body=tuple(mapped(s, change) for s in case.body)) for case in cases)
            return replace(statement, cases=tuple(new))
        case UnsupportedStatement(parts=parts):
            return replace(statement, parts=tuple(mapped(s, change) for s in parts))
        case _:
            return statement
