"""Changes of a program's text that leave its meaning as it is."""

import re
from collections.abc import Callable

_TYPES = "int|float"
_DECLARED = re.compile(rf"\b(?:{_TYPES})\s+\*?(\w+)")
_ELEMENT = re.compile(r"(?<!int )(?<!float )\b(\w+)\[([^\[\]]+)\]")
_TWO = re.compile(r"^(.*)  // either\n(.*)  // either$", re.M)
_LOOP = re.compile(r"^  for \(int (\w) = 0; \1 < (\d); \+\+\1\) \{\n(.*?)^  \}\n", re.M | re.S)
_BOTH = re.compile(r"^( *)if \((.*) && (.*)\) \{\n([^{}]*)^ *\}\n", re.M)
_IF = re.compile(r"^( *)if \((.*)\) \{\n([^{}]*)^ *\}(?: else \{\n([^{}]*)^ *\})?\n", re.M)


def renamed(text: str) -> str:
    """Every variable has another name (arrays keep theirs up to the suffix)."""
    for name in dict.fromkeys(_DECLARED.findall(text)):
        text = re.sub(rf"(?<!\.)\b{name}\b(?!\()", f"{name}_", text)
    return text


def reordered(text: str) -> str:
    """Independent neighbours change places."""
    return _TWO.sub(r"\2\n\1", text)


def with_pointers(text: str) -> str:
    """a[i] becomes *(a + (i)), and &a[i] the sum alone."""
    while (changed := _ELEMENT.sub(r"(*(\1 + (\2)))", text)) != text:
        text = changed
    return text


def unrolled(text: str) -> str:
    """Loops with a constant number of iterations written out."""

    def iterations(match: re.Match[str]) -> str:
        binder, count, body = match.groups()
        return "".join(re.sub(rf"\b{binder}\b", str(k), body) for k in range(int(count)))

    return _LOOP.sub(iterations, text)


def nested(text: str) -> str:
    """if (a && b) becomes if (a) { if (b) }."""
    return _BOTH.sub(r"\1if (\2) {\n\1if (\3) {\n\4\1}\n\1}\n", text)


def swapped(text: str) -> str:
    """if (c) A else B becomes if (!(c)) B else A."""

    def arms(match: re.Match[str]) -> str:
        pad, test, then, otherwise = match.groups()
        return f"{pad}if (!({test})) {{\n{otherwise or ''}{pad}}} else {{\n{then}{pad}}}\n"

    return _IF.sub(arms, text)


CHANGES: dict[str, Callable[[str], str]] = {
    change.__name__: change for change in (renamed, reordered, with_pointers, unrolled, nested, swapped)
}
