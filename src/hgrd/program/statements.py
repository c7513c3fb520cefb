"""Structured statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hgrd.program.expressions import Expression, Variable
from hgrd.program.span import Span


@dataclass(frozen=True, slots=True)
class Block:
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Declare:
    """Makes a variable; `initial` is its first value (for a reference: the address).

    A record variable's `initial` is a Construct, an Aggregate or another record value.
    """

    variable: Variable
    initial: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Evaluate:
    expression: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Statement
    otherwise: Statement | None
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """`while` and `for`: while `condition` (None: forever) do `body`, then `step`.

    `continue` goes to `step`.  The initialisation of a `for` stands before the loop in a Block.
    """

    condition: Expression | None
    step: Expression | None
    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class DoWhile:
    body: Statement
    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Case:
    """The statements behind one label up to the next; values empty means `default`.

    `values` are inclusive ranges (low, high) of the switch operand.  Control falls through to the next
    case unless the body ends in Break or the like.
    """

    values: tuple[tuple[int, int], ...]
    default: bool
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Switch:
    operand: Expression
    cases: tuple[Case, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Label:
    """A place in a body that a Goto of the same function leads to; names are unique in the function."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Goto:
    target: str
    span: Span


@dataclass(frozen=True, slots=True)
class Assembly:
    """Inline assembly: its template, output places' addresses and input values."""

    template: str
    outputs: tuple[Expression, ...]
    inputs: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class UnsupportedStatement:
    """What could not be lowered (computed goto, coroutines); `parts` are the parts that could."""

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
