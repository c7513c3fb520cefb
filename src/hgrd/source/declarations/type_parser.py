"""Parser of C++ types as clang prints them."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    ULONG,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Type,
)


class QualifiedType(Struct, frozen=True):
    """A type with the qualifiers of its outermost level; `returns` is the result of a function type."""

    type: Type
    const: bool = False
    volatile: bool = False
    returns: QualifiedType | None = None
    variadic: bool = False


Lookup = Callable[[str], QualifiedType | None]

_SHORT, _USHORT = IntType(16, True), IntType(16, False)
_WORDS = frozenset(
    [
        "unsigned",
        "signed",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "bool",
        "_Bool",
        "void",
        "__int128",
        "auto",
        "half",
    ]
)
_QUALIFIERS = frozenset(
    ["const", "volatile", "__restrict", "restrict", "__restrict__", "__unaligned", "_Nonnull", "_Nullable"]
)
_TAGS = frozenset(["struct", "class", "union", "enum", "typename", "template"])

NAMED: dict[str, Type] = {
    "void": VOID,
    "bool": BOOL,
    "_Bool": BOOL,
    "char": CHAR,
    "float": FLOAT,
    "double": DOUBLE,
    "wchar_t": INT,
    "char8_t": IntType(8, False),
    "char16_t": _USHORT,
    "char32_t": UINT,
    "_Float16": FloatType(16),
    "__fp16": FloatType(16),
    "__bf16": FloatType(16),
    "__float128": FloatType(128),
    "long double": FloatType(80),
    "size_t": ULONG,
    "__size_t": ULONG,
    "ssize_t": LONG,
    "__ssize_t": LONG,
    "ptrdiff_t": LONG,
    "__ptrdiff_t": LONG,
    "__signed_size_t": LONG,
    "intptr_t": LONG,
    "uintptr_t": ULONG,
    "intmax_t": LONG,
    "uintmax_t": ULONG,
    "off_t": LONG,
    "time_t": LONG,
    "clock_t": LONG,
    "uchar": IntType(8, False),
    "ushort": _USHORT,
    "uint": UINT,
    "ulong": ULONG,
    "u_int": UINT,
    "nullptr_t": PointerType(VOID),
    **{f"{u}int{n}_t": IntType(n, u == "") for n in (8, 16, 32, 64) for u in ("", "u")},
    **{f"{u}int_fast{n}_t": IntType(max(n, 8) if n == 8 else 64, u == "") for n in (8, 16, 32, 64) for u in ("", "u")},
    **{f"{u}int_least{n}_t": IntType(n, u == "") for n in (8, 16, 32, 64) for u in ("", "u")},
}

_TOKEN = re.compile(
    r"\s*(?:(?P<attribute>__attribute__\s*\(\()|(?P<word>[A-Za-z_$~][\w$]*)|(?P<number>\d[\w.]*)|(?P<op>::|&&|\.\.\.|->|.))",
    re.DOTALL,
)


class TypeText:
    """One type text being read; `lookup` gives the types of names, `constant` evaluates array sizes."""

    __slots__ = ("_lookup", "_position", "_text")

    def __init__(self, text: str, lookup: Lookup) -> None:
        self._text = text
        self._position = 0
        self._lookup = lookup

    def read(self) -> QualifiedType:
        """The whole text; what cannot be read is an OpaqueType with its text."""
        base = self._base()
        return self._declarator(base)

    # ------------------------------------------------------------ tokens

    def _peek(self) -> tuple[str, str, int]:
        """Kind, text and end of the next token; kind "" at the end."""
        match = _TOKEN.match(self._text, self._position)
        if match is None or match.lastgroup is None:
            return "", "", len(self._text)
        return match.lastgroup, match[match.lastgroup], match.end()

    def _group(self, start: int) -> int:
        """The end of the bracketed group that opens at `start`."""
        depth, text, position = 0, self._text, start
        while position < len(text):
            char = text[position]
            if char in "([{<":
                depth += 1
            elif char in ")]}" or (char == ">" and text[position - 1] != "-"):
                depth -= 1
                if depth == 0:
                    return position + 1
            position += 1
        return len(text)

    def _skip_attribute(self) -> None:
        start = self._text.index("(", self._position)
        self._position = self._group(start)

    # ------------------------------------------------------------ base

    def _base(self) -> QualifiedType:
        const = volatile = False
        words: list[str] = []
        name = ""
        while True:
            kind, text, end = self._peek()
            if kind == "attribute":
                self._skip_attribute()
            elif kind == "word" and text in _QUALIFIERS:
                const |= text == "const"
                volatile |= text == "volatile"
                self._position = end
            elif kind == "word" and text in _WORDS and not name:
                words.append(text)
                self._position = end
            elif kind == "word" and text in _TAGS and not name and not words:
                name = "enum " if text == "enum" else ""
                self._position = end
                if name:
                    name += self._name()
            elif (kind == "word" and not name and not words) or (
                kind == "op" and text == "(" and not name and not words and self._is_unnamed()
            ):
                name = self._name()
            elif kind == "op" and text == "::" and not name and not words:
                self._position = end
            else:
                break
        found = self._builtin(words) if words else self._named(name)
        return replace(found, const=const or found.const, volatile=volatile or found.volatile)

    def _is_unnamed(self) -> bool:
        return re.match(r"\s*\((?:anonymous|unnamed|lambda)\b", self._text[self._position :]) is not None

    def _name(self) -> str:
        """A qualified name with its template arguments, as printed."""
        parts: list[str] = []
        while True:
            kind, text, end = self._peek()
            if kind == "word" and text in _TAGS:
                self._position = end
                continue
            if kind == "word":
                self._position = end
                if text == "decltype" or text.startswith("__underlying_type"):
                    self._position = self._group(end)
                    text = self._text[end - len(text) : self._position]
                parts.append(text)
            elif text == "(":
                start = end - 1
                self._position = self._group(start)
                parts.append(self._text[start : self._position])
            else:
                break
            kind, text, end = self._peek()
            if text == "<":
                start = end - 1
                self._position = self._group(start)
                parts[-1] += self._text[start : self._position]
                kind, text, end = self._peek()
            if text != "::" or self._text.startswith("::*", end - 2):
                break
            self._position = end
        return "::".join(parts)

    def _builtin(self, words: list[str]) -> QualifiedType:
        kinds = sorted(words)
        text = " ".join(words)
        if text in NAMED:
            return QualifiedType(NAMED[text])
        signed = "unsigned" not in kinds
        if "char" in kinds:
            return QualifiedType(IntType(8, signed))
        if "short" in kinds:
            return QualifiedType(_SHORT if signed else _USHORT)
        if "double" in kinds:
            return QualifiedType(FloatType(80))
        if "__int128" in kinds:
            return QualifiedType(IntType(128, signed))
        if "long" in kinds:
            return QualifiedType(LONG if signed else ULONG)
        if "int" in kinds or "signed" in kinds or "unsigned" in kinds:
            return QualifiedType(INT if signed else UINT)
        return self._named(text)

    def _named(self, name: str) -> QualifiedType:
        return self._lookup(name) or QualifiedType(OpaqueType(name))

    # ------------------------------------------------------------ declarator

    def _declarator(self, base: QualifiedType) -> QualifiedType:
        while True:
            kind, text, end = self._peek()
            if kind == "attribute":
                self._skip_attribute()
            elif kind == "op" and text in ("*", "^"):
                self._position = end
                base = QualifiedType(PointerType(base.type))
            elif kind == "op" and text in ("&", "&&"):
                self._position = end
                base = QualifiedType(PointerType(base.type, reference=True))
            elif kind == "word" and text in _QUALIFIERS:
                self._position = end
                if not isinstance(base.type, PointerType) or not base.type.reference:
                    base = replace(
                        base, const=base.const or text == "const", volatile=base.volatile or text == "volatile"
                    )
            elif kind == "word" and self._member_pointer():
                base = QualifiedType(OpaqueType("member pointer"))
            else:
                return self._suffixes(base)

    def _member_pointer(self) -> bool:
        saved = self._position
        self._name()
        kind, _, end = self._peek()
        if kind == "op" and self._text.startswith("::", end - 2) and self._text.startswith("*", end):
            self._position = end + 1
            return True
        self._position = saved
        return False

    def _suffixes(self, base: QualifiedType) -> QualifiedType:
        _, text, end = self._peek()
        group: tuple[int, int] | None = None
        if text == "(" and self._is_grouping(end):
            stop = self._group(end - 1)
            group = (end, stop - 1)
            self._position = stop
            _, text, end = self._peek()
        if text == "(":
            stop = self._group(end - 1)
            parameters = split_arguments(self._text[end : stop - 1])
            self._position = stop
            returns = self._trailing(base)
            given = tuple(TypeText(p, self._lookup).read().type for p in parameters if p not in ("...", "void"))
            type_ = FunctionType(returns.type, given)
            base = QualifiedType(type_, returns=returns, variadic="..." in parameters)
        elif text == "[":
            base = self._array(base)
        if group is None:
            return base
        inside = TypeText(self._text[: group[1]], self._lookup)
        inside._position = group[0]
        return inside._declarator(base)

    def _is_grouping(self, position: int) -> bool:
        return re.match(r"\s*(?:[*&^]|[\w:<>, ]*::\*|\()", self._text[position:]) is not None

    def _trailing(self, returns: QualifiedType) -> QualifiedType:
        """The tokens that may follow a parameter list: qualifiers, noexcept, `-> T`."""
        while True:
            kind, text, end = self._peek()
            if text == "->":
                self._position = end
                return self.read()
            if kind == "attribute":
                self._skip_attribute()
            elif text == "noexcept":
                self._position = end
                if self._peek()[1] == "(":
                    self._position = self._group(self._peek()[2] - 1)
            elif (kind == "word" and text in _QUALIFIERS) or text in ("&", "&&"):
                self._position = end
            else:
                return returns

    def _array(self, element: QualifiedType) -> QualifiedType:
        counts: list[int | None] = []
        while True:
            _, text, end = self._peek()
            if text != "[":
                break
            stop = self._group(end - 1)
            size = self._text[end : stop - 1].strip().rstrip("ULul")
            counts.append(int(size) if size.isdigit() else None)
            self._position = stop
        type_ = element.type
        match type_:
            case PointerType(to=to, reference=True) if counts:  # `int &[2]`: clang's word for `int (&)[2]` in a binding
                return replace(element, type=replace(type_, to=_array_of(to, counts)))
            case _:
                return replace(element, type=_array_of(type_, counts))


def _array_of(type_: Type, counts: list[int | None]) -> Type:
    for count in reversed(counts):
        type_ = ArrayType(type_, count)
    return type_


def split_arguments(text: str) -> list[str]:
    """The parts of a list that commas separate at the outermost level."""
    parts: list[str] = []
    depth = start = 0
    for position, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[position - 1 : position] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []


def split_template(name: str) -> tuple[str, list[str]] | None:
    """`A::B<int, 3>` as ("A::B", ["int", "3"]); None where the last part has no arguments."""
    if not name.endswith(">"):
        return None
    depth = 0
    for position in range(len(name) - 1, -1, -1):
        char = name[position]
        if (char == ">" and name[position - 1] != "-") or char in ")]}":
            depth += 1
        elif char in "<([{":
            depth -= 1
            if depth == 0:
                return name[:position], split_arguments(name[position + 1 : -1])
    return None


def split_scopes(name: str) -> list[str]:
    """`A<B::C>::D` as ["A<B::C>", "D"]."""
    parts: list[str] = []
    depth = start = position = 0
    while position < len(name):
        char = name[position]
        if char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and name[position - 1 : position] != "-"):
            depth -= 1
        elif char == ":" and depth == 0 and name.startswith("::", position):
            parts.append(name[start:position])
            start = position = position + 2
            continue
        position += 1
    return [*parts, name[start:]]
