"""User assumptions, C conditions on the command line: `--assume 'n % 32 == 0 && stride >= cols'`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from hgrd import terms
from hgrd.terms import Symbol, Term, as_bool, as_int, const, var

_TOKEN = re.compile(r"\s*(?:(\d+)[uUlL]*|([A-Za-z_][\w.]*(?:\[\d+\])*)|(&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%<>!&|^()~]))")
_PREFIX = 11
_LEVELS: dict[str, tuple[int, Callable[[Term, Term], Term]]] = {
    "||": (1, terms.disj),
    "&&": (2, terms.conj),
    "|": (3, lambda a, b: terms.bit_or(as_int(a), as_int(b))),
    "^": (4, lambda a, b: terms.bit_xor(as_int(a), as_int(b))),
    "&": (5, lambda a, b: terms.bit_and(as_int(a), as_int(b))),
    "==": (6, terms.eq),
    "!=": (6, terms.ne),
    "<": (7, lambda a, b: terms.lt(as_int(a), as_int(b))),
    ">": (7, lambda a, b: terms.gt(as_int(a), as_int(b))),
    "<=": (7, lambda a, b: terms.le(as_int(a), as_int(b))),
    ">=": (7, lambda a, b: terms.ge(as_int(a), as_int(b))),
    "<<": (8, lambda a, b: terms.shl(as_int(a), as_int(b))),
    ">>": (8, lambda a, b: terms.shr(as_int(a), as_int(b))),
    "+": (9, lambda a, b: terms.add(as_int(a), as_int(b))),
    "-": (9, lambda a, b: terms.sub(as_int(a), as_int(b))),
    "*": (10, lambda a, b: terms.mul(as_int(a), as_int(b))),
    "/": (10, lambda a, b: terms.div(as_int(a), as_int(b))),
    "%": (10, lambda a, b: terms.mod(as_int(a), as_int(b))),
}


class AssumptionError(ValueError):
    """Error in an assumption: the text is not a condition, or names something unknown."""


class _Parser(Struct):
    tokens: list[str]
    symbols: Mapping[str, Term]
    position: int = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def expression(self, level: int = 0) -> Term:
        left = self.operand()
        while self.peek() in _LEVELS and _LEVELS[self.peek()][0] > level:
            binding, build = _LEVELS[self.take()]
            left = build(left, self.expression(binding))
        return left

    def operand(self) -> Term:
        token = self.take()
        match token:
            case "(":
                inner = self.expression()
                if self.take() != ")":
                    raise AssumptionError("a ')' is missing")
                return inner
            case "!":
                return terms.negate(as_bool(self.expression(_PREFIX)))
            case "-":
                return terms.neg(as_int(self.expression(_PREFIX)))
            case "~":
                return terms.sub(const(-1), as_int(self.expression(_PREFIX)))
            case _ if token.isdigit():
                return const(int(token))
            case _ if token in self.symbols:
                return self.symbols[token]
            case "":
                raise AssumptionError("it ends too early")
            case _:
                raise AssumptionError(f"'{token}' is neither a number, an operator nor a known value")


def parse_assumption(text: str, symbols: Mapping[str, Term]) -> Term:
    """Condition as a Boolean term; an AssumptionError says what is wrong with the text."""
    tokens: list[str] = []
    position = 0
    stripped = text.rstrip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise AssumptionError(f"'{stripped[position:].strip()[:1]}' is not expected")
        tokens.append(match[1] or match[2] or match[3])
        position = match.end()
    parser = _Parser(tokens, symbols)
    result = parser.expression()
    if parser.peek():
        raise AssumptionError(f"'{parser.peek()}' is not expected")
    return as_bool(result)


def by_name(symbols: frozenset[Symbol]) -> dict[str, Term]:
    return {s.name: var(s) for s in symbols}
