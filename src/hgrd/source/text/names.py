"""Names that link files: the functions that a text defines for others, and those that it uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

_REMARK = re.compile(rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n]){1,4}\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_MARK = re.compile(rb"[{};]")
_SCOPE = re.compile(rb"\bnamespace\b[^()=]*$|\bextern\s*$")  # the "C" of the latter is blanked
_TEMPLATE = re.compile(rb"\btemplate\s*<[^(]*>")
_RECORD = re.compile(rb"\b(?:class|struct|union)\s+([A-Za-z_]\w*)[^()=]*$")
_PARAMETERS = re.compile(rb"\([^()]*\)")
_CALLED = re.compile(rb"([A-Za-z_~][\w:~]*)\s*[\0(]")
_INITIALISERS = re.compile(rb"\)\s*:(?!:)")
_VALUE = re.compile(rb"^[^(]*=")
_OWN = re.compile(rb"\b(?:static|inline|__inline__|__forceinline__)\b")
_ATTRIBUTES: Final = frozenset(
    b"__attribute__ __declspec __launch_bounds__ __cluster_dims__ __align__ alignas decltype noexcept throw".split()
)


class Names(Struct, frozen=True):
    """Functions that a text defines, those of them that other files can call, those that it only declares; other names.

    A member that is defined outside of its class is `Class::name`.  `used` are names that stand elsewhere, too.
    """

    defined: frozenset[bytes] = frozenset()
    offered: frozenset[bytes] = frozenset()
    declared: frozenset[bytes] = frozenset()
    used: frozenset[bytes] = frozenset()

    def calls(self, function: bytes) -> bool:
        """Whether a function may be called: all parts of its name are used."""
        return self.used.issuperset(function.split(b"::"))

    def among(self, words: frozenset[bytes]) -> Names:
        """Those of the names that have a part among the words."""
        return Names(
            frozenset(name for name in self.defined if name.rpartition(b"::")[2] in words),
            frozenset(name for name in self.offered if name.rpartition(b"::")[2] in words),
            self.declared & words,
            self.used & words,
        )


def together(parts: Iterable[Names]) -> Names:
    """The names of several texts."""
    each = tuple(parts)
    return Names(
        frozenset[bytes]().union(*(part.defined for part in each)),
        frozenset[bytes]().union(*(part.offered for part in each)),
        frozenset[bytes]().union(*(part.declared for part in each)),
        frozenset[bytes]().union(*(part.used for part in each)),
    )


def names_in(text: bytes) -> Names:
    """The names in C++ as it is written: macros are not expanded, and all branches of conditional compilation count."""
    code = _REMARK.sub(b" ", text)
    words = Counter(_WORD.findall(code))
    found = tuple(_declarations(_DIRECTIVE.sub(b" ", code)))
    for name, _, _ in found:
        words.subtract(_WORD.findall(name))
    return Names(
        defined=frozenset(name for name, body, _ in found if body),
        offered=frozenset(name for name, body, shared in found if body and shared),
        declared=frozenset(name for name, body, _ in found if not body),
        used=frozenset(+words),
    )


def _declarations(code: bytes) -> Iterator[tuple[bytes, bool, bool]]:
    """Functions outside of other functions: the name, whether there is a body, and whether other files can call it."""
    last = 0
    opaque = 0  # braces within the body of a function, or of what is no namespace and no class
    open_scopes: list[bool] = []  # whether each is a class
    for mark in _MARK.finditer(code):
        head, last, sign = code[last : mark.start()], mark.end(), mark[0]
        if opaque:
            opaque += (sign == b"{") - (sign == b"}")
            continue
        if sign == b"}":
            if open_scopes:
                open_scopes.pop()
            continue
        in_class = any(open_scopes)
        if sign == b"{":
            record = _RECORD.search(head)
            if record is not None or _SCOPE.search(head):
                open_scopes.append(record is not None)
                if record is not None:
                    yield record[1], False, False
                continue
            opaque = 1
        if not _VALUE.search(_TEMPLATE.sub(b"", head)):
            for name in _functions(head):
                yield name, sign == b"{", not in_class and _can_be_called(name, head)


def _can_be_called(name: bytes, head: bytes) -> bool:
    """Whether host code in other files can call a function."""
    return not _OWN.search(head) and name != b"main" and (b"__device__" not in head or b"__host__" in head)


def _functions(head: bytes) -> Iterator[bytes]:
    """Names before parentheses that are not within others, but for attributes and what constructors initialise."""
    flat = _INITIALISERS.sub(b");", head).partition(b";")[0]
    while (flatter := _PARAMETERS.sub(b"\0", flat)) != flat:
        flat = flatter
    return (found[1] for found in _CALLED.finditer(flat) if found[1] not in _ATTRIBUTES)
