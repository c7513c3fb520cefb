"""Structured statements."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from hgrd.program.expressions import Expression, Variable
from hgrd.program.span import Span


class Block(Struct, frozen=True):
    body: tuple[Statement, ...]
    span: Span


class Declare(Struct, frozen=True):
    """Declaration of a variable; `initial` is its first value (for a reference: the address).

    A record variable's `initial` is a Construct, an Aggregate or another record value.
    """

    variable: Variable
    initial: Expression | None
    span: Span


class Evaluate(Struct, frozen=True):
    expression: Expression
    span: Span


class If(Struct, frozen=True):
    condition: Expression
    then: Statement
    otherwise: Statement | None
    span: Span


class Loop(Struct, frozen=True):
    """Loop, `while` or `for`: while `condition` holds (None: forever), `body`, then `step`.

    `continue` goes to `step`.  The initialisation of a `for` stands before the loop in a Block.
    """

    condition: Expression | None
    step: Expression | None
    body: Statement
    span: Span


class DoWhile(Struct, frozen=True):
    body: Statement
    condition: Expression
    span: Span


class Case(Struct, frozen=True):
    """Case of a switch: the statements after one label up to the next; `values` () means `default`.

    `values` are inclusive ranges (low, high) of the switch operand.  Control falls through to the next
    case unless the body ends in Break or the like.
    """

    values: tuple[tuple[int, int], ...]
    default: bool
    body: tuple[Statement, ...]
    span: Span


class Switch(Struct, frozen=True):
    operand: Expression
    cases: tuple[Case, ...]
    span: Span


class Break(Struct, frozen=True):
    span: Span


class Continue(Struct, frozen=True):
    span: Span


class Return(Struct, frozen=True):
    value: Expression | None
    span: Span


class Label(Struct, frozen=True):
    """Target of a Goto in the same function; names are unique in the function."""

    name: str
    span: Span


class Goto(Struct, frozen=True):
    target: str
    span: Span


class Assembly(Struct, frozen=True):
    """Inline assembly: its template, output places' addresses and input values."""

    template: str
    outputs: tuple[Expression, ...]
    inputs: tuple[Expression, ...]
    span: Span


class UnsupportedStatement(Struct, frozen=True):
    """Statement that could not be lowered (computed goto, coroutine); `parts` are its parts that could be."""

    reason: str
    parts: tuple[Statement, ...]
    span: Span


Statement: TypeAlias = (
    Block
    | Declare
    | Evaluate
    | If
    | Loop
    | DoWhile
    | Switch
    | Break
    | Continue
    | Return
    | Label
    | Goto
    | Assembly
    | UnsupportedStatement
)
