"""Pieces of programs as trees of text: printed, counted and made smaller, without knowing what they mean.

A `Tree` is an expression or a statement: strings, smaller trees, and `Body`s (blocks of statements) in the order
of the text.  The strings of an expression, joined, tell its form ("( + )"); `value` computes those of host code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Tree:
    parts: tuple[Part, ...]
    kept: bool = False  # a statement that must not be left out

    def text(self) -> str:
        """An expression in one line."""
        return "".join(p if isinstance(p, str) else p.text() for p in self.parts if not isinstance(p, Body))

    def form(self) -> str:
        return "".join(p for p in self.parts if isinstance(p, str))

    def operands(self) -> tuple[Tree, ...]:
        return tuple(p for p in self.parts if isinstance(p, Tree))


@dataclass(frozen=True, slots=True)
class Body:
    """The statements of a block."""

    statements: tuple[Tree, ...]


Part: TypeAlias = str | Tree | Body


def tree(form: str, *operands: Part | int, kept: bool = False) -> Tree:
    """`form` with a `@` where each operand stands; a number is an expression of its digits."""
    parts: list[Part] = []
    pieces = form.split("@")
    assert len(pieces) == len(operands) + 1, form
    for i, piece in enumerate(pieces):
        if piece:
            parts.append(piece)
        if i < len(operands):
            operand = operands[i]
            parts.append(
                Tree((str(operand) if operand >= 0 else f"({operand})",)) if isinstance(operand, int) else operand
            )
    only = parts[0]
    return only if form == "@" and isinstance(only, Tree) else Tree(tuple(parts), kept)


def name(text: str) -> Tree:
    return Tree((text,))


def body(*statements: Tree) -> Body:
    return Body(statements)


def lines(statements: tuple[Tree, ...], depth: int = 1) -> Iterator[str]:
    """Statements as lines of source."""
    pad = "  " * depth
    for statement in statements:
        line = pad
        for part in statement.parts:
            match part:
                case str():
                    line += part
                case Tree():
                    line += part.text()
                case Body(statements=inner):
                    yield line
                    yield from lines(inner, depth + 1)
                    line = pad
        yield line


# ---------------------------------------------------------------- values


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _as_int(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


_OPERATIONS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "( + )": lambda a, b: a + b,
    "( - )": lambda a, b: a - b,
    "( * )": lambda a, b: a * b,
    "( / )": _divide,
    "( % )": lambda a, b: a - _divide(a, b) * b,
    "( < )": lambda a, b: int(a < b),
    "( <= )": lambda a, b: int(a <= b),
    "( == )": lambda a, b: int(a == b),
    "( != )": lambda a, b: int(a != b),
    "( & )": lambda a, b: a & b,
    "( << )": lambda a, b: _as_int(a << b),  # C++20 [expr.shift]: modulo 2^32, which earlier compilers do, too
    "( >> )": lambda a, b: a >> b,
    "min(, )": min,
    "max(, )": max,
}  # fmt: skip


def value(e: Tree, names: Mapping[str, int]) -> int:
    """What an expression of host code is.  Raises ArithmeticError where it divides by zero, or a part leaves `int`."""
    match e.form():
        case "( && )" | "( || )" as form:
            left, right = e.operands()
            first = bool(value(left, names))
            return int(bool(value(right, names))) if first is (form == "( && )") else int(first)
        case "( ?  : )":
            test, then, otherwise = e.operands()
            return value(then if value(test, names) else otherwise, names)
        case form if form in _OPERATIONS:
            left, right = (value(x, names) for x in e.operands())
            result = _OPERATIONS[form](left, right)
            if not -(1 << 31) <= result < 1 << 31:
                raise OverflowError(form)
            return result
        case form:
            return names[form] if form in names else int(form.strip("()"))


# ---------------------------------------------------------------- making smaller


def smaller(statements: tuple[Tree, ...]) -> Iterator[tuple[Tree, ...]]:
    """The same statements with one left out, replaced by what is in it, or made simpler; big steps first."""
    for i, statement in enumerate(statements):
        if not statement.kept:
            yield statements[:i] + statements[i + 1 :]
            for part in statement.parts:
                if isinstance(part, Body):
                    yield statements[:i] + part.statements + statements[i + 1 :]
    for i, statement in enumerate(statements):
        for simpler in _simpler_statement(statement):
            yield (*statements[:i], simpler, *statements[i + 1 :])


def _simpler_statement(statement: Tree) -> Iterator[Tree]:
    for i, part in enumerate(statement.parts):
        match part:
            case Body(statements=inner):
                for less in smaller(inner):
                    yield _with(statement, i, Body(less))
            case Tree():
                for simpler in _simpler_expression(part):
                    yield _with(statement, i, simpler)
            case _:
                pass


def _simpler_expression(e: Tree) -> Iterator[Tree]:
    if e.operands():
        yield from (Tree(("0",)), Tree(("1",)))
        yield from e.operands()
        for i, part in enumerate(e.parts):
            if isinstance(part, Tree):
                for simpler in _simpler_expression(part):
                    yield _with(e, i, simpler)
    elif e.form() not in ("0", "1"):
        yield from (Tree(("0",)), Tree(("1",)))


def _with(whole: Tree, at: int, part: Part) -> Tree:
    return Tree((*whole.parts[:at], part, *whole.parts[at + 1 :]), whole.kept)
