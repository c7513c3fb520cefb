"""Reader of inline assembly: from the text of an `asm` statement to PTX statements.

PTX ISA, "Syntax"; Inline PTX Assembly in CUDA, "Parameters" and "Namespace Conflicts".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from struct import unpack

from msgspec import Struct, field

from hgrd.cuda.ptx.syntax import (
    Address,
    Argument,
    Complement,
    Declaration,
    Instruction,
    Label,
    Number,
    Operand,
    PtxStatement,
    Register,
    Twofold,
    Vector,
)

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<word>%\d+|%\[\w+\]|%?[A-Za-z_$][\w$]*(?:\.[xyzw]\b)?|\.\w[\w:]*)"
    r"|(?P<number>0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}|0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|\d+\.\d*(?:[eE][-+]?\d+)?"
    r"|\d+U?)"
    r"|(?P<sign>[{}\[\](),;:|@!+<>-]))"
)
_RANGE = 1 << 10  # the most registers that one declaration `r<n>` makes


class PtxError(ValueError):
    """A text that is not understood."""


class _Token(Struct, frozen=True):
    text: str
    line: int
    number: bool = False


def read_assembly(template: str, names: Mapping[str, int], *, escaped: bool = True) -> tuple[PtxStatement, ...]:
    """The PTX statements in a template; registers that are declared in inner blocks are renamed apart.

    `names` are the numbers of operands with names.  `escaped`: `%0` is an operand, and `%%` stands for `%`; without
    operands `%` stands for itself.  Raises PtxError.
    """
    return tuple(_Reader(_tokens(template, escaped=escaped), names).statements())


def _tokens(template: str, *, escaped: bool) -> list[_Token]:
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n") or " ", template).replace("%=", "_unique")
    found: list[_Token] = []
    position = 0
    while text[position:].strip():
        if escaped and (percent := re.compile(r"\s*%(?=%)").match(text, position)):
            position = percent.end()
        elif escaped and (brace := re.compile(r"\s*%(?=[{}|])").match(text, position)):
            position = brace.end()
        match = _TOKEN.match(text, position)
        if match is None:
            raise PtxError(f"{text[position:].split()[0]!r} is no PTX")
        line = text.count("\n", 0, match.start(match.lastgroup or 0))
        found.append(_Token(match[0].strip(), line, match.lastgroup == "number"))
        position = match.end()
    return found


class _Reader(Struct):
    """Position in the tokens; `scopes` are the names that the blocks around declare, with what they are renamed to."""

    tokens: list[_Token]
    names: Mapping[str, int]
    position: int = 0
    scopes: list[dict[str, str]] = field(default_factory=lambda: [{}])
    blocks: int = 0

    def statements(self) -> list[PtxStatement]:
        found: list[PtxStatement] = []
        while (token := self._next()) is not None:
            match token:
                case "{":
                    self.blocks += 1
                    self.scopes.append({})
                case "}":
                    if len(self.scopes) == 1:
                        raise PtxError("a block ends that has not begun")
                    self.scopes.pop()
                case ";":
                    pass
                case ".reg":
                    found.append(self._declaration())
                case ".pragma":
                    self._skip()
                case _:
                    found.append(self._label_or_instruction(token))
        if len(self.scopes) > 1:
            raise PtxError("a block does not end")
        return found

    # ------------------------------------------------------------ tokens

    def _peek(self, ahead: int = 0) -> str | None:
        at = self.position + ahead
        return self.tokens[at].text if at < len(self.tokens) else None

    def _next(self) -> str | None:
        token = self._peek()
        self.position += 1
        return token

    def _take(self, text: str) -> bool:
        if self._peek() != text:
            return False
        self.position += 1
        return True

    def _expect(self, text: str) -> None:
        found = self._next()
        if found != text:
            raise PtxError(f"{found!r} where {text!r} is expected")

    def _skip(self) -> None:
        """Goes behind the next semicolon."""
        while self._next() not in (";", None):
            pass

    # ------------------------------------------------------------ statements

    def _declaration(self) -> Declaration:
        types: list[str] = []
        while (token := self._peek()) is not None and token.startswith("."):
            types.append(token[1:])
            self.position += 1
        if len(types) != 1:
            raise PtxError(f".reg of {types}")
        names: list[str] = []
        while True:
            name = self._next() or ""
            count = self._count()
            names += [name] if count is None else [f"{name}{i}" for i in range(count)]
            if not self._take(","):
                break
        self._expect(";")
        suffix = f".{self.blocks}" if len(self.scopes) > 1 else ""
        self.scopes[-1].update({name: f"{name}{suffix}" for name in names})
        return Declaration(types[0], tuple(self.scopes[-1][name] for name in names))

    def _count(self) -> int | None:
        """The number of registers in `r<n>`; None: it is one."""
        if not self._take("<"):
            return None
        text = self._next() or ""
        self._expect(">")
        if not text.isdigit() or int(text) > _RANGE:
            raise PtxError(f"{text} registers")
        return int(text)

    def _label_or_instruction(self, token: str) -> PtxStatement:
        guard: Operand | None = None
        if token == "@":
            guard = self._operand()
            token = self._next() or ""
        elif self._take(":"):
            return Label(token)
        if not re.match(r"[a-z]", token):
            raise PtxError(f"{token!r} is no instruction")
        line = self.tokens[self.position - 1].line
        modifiers: list[str] = []
        while (part := self._peek()) is not None and part.startswith("."):
            modifiers.append(part[1:])
            self.position += 1
        opcode, *joined = token.split(".")
        return Instruction(opcode, (*joined, *modifiers), self._operands(), guard, line)

    def _operands(self) -> tuple[Operand, ...] | None:
        """The operands up to the semicolon, which the last instruction may lack; None: their form is not known."""
        start = self.position
        try:
            found: list[Operand] = []
            while self._peek() not in (";", "}", None):
                found.append(self._operand())
                if not self._take(","):
                    break
            if self._peek() in (";", "}", None):
                return tuple(found)
        except PtxError:
            pass
        self.position = start
        while self._peek() not in (";", None):
            self.position += 1
        return None

    def _operand(self) -> Operand:
        first = self._single()
        return Twofold(first, self._single()) if self._take("|") else first

    def _single(self) -> Operand:
        token = self._peek()
        if token is None:
            raise PtxError("an operand is missing")
        at = self.tokens[self.position]
        self.position += 1
        match token:
            case "!":
                return Complement(self._single())
            case "-":
                negated = self._single()
                if not isinstance(negated, Number):
                    raise PtxError("the negative of what is no number")
                return Number(-negated.value)
            case "[":
                return self._address()
            case "{":
                return self._vector()
            case _ if at.number:
                return Number(_number(token))
            case _:
                return self._named(token)

    def _named(self, token: str) -> Operand:
        if token.startswith("%[") and token[2:-1] in self.names:
            return Argument(self.names[token[2:-1]])
        if re.fullmatch(r"%\d+", token):
            return Argument(int(token[1:]))
        if not re.match(r"%?[A-Za-z_$]", token):
            raise PtxError(f"{token!r} is no operand")
        return Register(next((names[token] for names in reversed(self.scopes) if token in names), token))

    def _vector(self) -> Vector:
        parts = [self._single()]
        while self._take(","):
            parts.append(self._single())
        self._expect("}")
        return Vector(tuple(parts))

    def _address(self) -> Address:
        base = self._single()
        offset = 0
        while self._peek() in ("+", "-"):
            sign = 1 if self._next() == "+" else -1
            step = self._single()
            if not isinstance(step, Number) or not isinstance(step.value, int):
                raise PtxError("an address behind another one by what is no number")
            offset += sign * step.value
        self._expect("]")
        if isinstance(base, Number) and isinstance(base.value, int):
            return Address(None, base.value + offset)
        return Address(base, offset)


def _number(text: str) -> int | float:
    text = text.removesuffix("U")
    match text[:2].lower():
        case "0f":
            return unpack(">f", bytes.fromhex(text[2:]))[0]
        case "0d":
            return unpack(">d", bytes.fromhex(text[2:]))[0]
        case "0x" | "0b":
            return int(text, 0)
        case _:
            return float(text) if "." in text else int(text, 8 if len(text) > 1 and text[0] == "0" else 10)
