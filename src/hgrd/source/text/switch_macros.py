"""Switch macros that call lambdas: text in which they hold blocks instead, so that clang prints the code once.

`SWITCH(condition, NAME, [&] { … })` makes constants of run-time values: a branch for each value declares one and calls
the lambda.  clang prints the body of a lambda twice, and that of one in a lambda of such a macro four times for each
branch: n switches in each other take 8^n copies, where there are 2^n of the code.  A block in place of the lambda
means the same where nothing uses the value of the call; a `return` then leaves the block.

Switches in each other make an instance of a kernel for each combination of their values.  Where there are many, only
those are kept in which at most one of the switches takes another branch than its first: every value is there, and most
combinations are not.

PyTorch's AT_DISPATCH_* make a branch for each type of elements; those in our headers have twins for blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import prod
from typing import TypeAlias

from msgspec import Struct

from hgrd.program.program import Diagnostic
from hgrd.program.span import Span
from hgrd.source.own_headers import HEADERS
from hgrd.source.text.code import CodeText
from hgrd.source.text.missing_macros import blanked

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^()\n]*)\)([^\n]*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*$", re.MULTILINE)
_ASKED = re.compile(r"[ \t]*#[ \t]*ifn?def\b")
_LAMBDA = re.compile(r"\[\s*[&=]\s*\]\s*(?:\(\s*\))?\s*(?:->\s*void\s*)?(?=\{)")
_RETURN = re.compile(r"\breturn\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LABEL = re.compile(r"(?:case\b(?:[^:;{}]|::)*|default\s*):(?!:)")
_CLASS = re.compile(r"\b(?:struct|class|union)\b[^;{}()]*(?=\{)")
_SPECIFIERS = re.compile(r"\s*(?:\b(?:mutable|noexcept|constexpr|__device__|__host__)\b\s*)*(?:->[^;{}()]*)?(?=\{)")
_Edits: TypeAlias = "tuple[tuple[int, int, str], ...]"
"""Parts of a text by their begin and end, and what takes their places."""


_MOST_COMBINATIONS = 8
_TYPES = 8  # about so many branches has a switch of our headers over the types of elements
_TWINS = re.compile(r"^#define IN(_DISPATCH_\w+)\((.*), \.\.\.\)", re.MULTILINE)
_GUARD = (
    "if constexpr (__hgrd_other_branch) __builtin_unreachable(); else { constexpr bool __hgrd_other_branch = true; "
)


class Flattened(Struct, frozen=True):
    """The texts that change, every line still a line; `notes` say which combinations of switches are left out."""

    texts: dict[str, bytes]
    notes: tuple[Diagnostic, ...]


class _Macro(Struct, frozen=True):
    """A macro that calls its last parameter, and nothing else with it.

    `edits` make a call a block's place; `calls` are the calls, from the name to after the brackets.  `variadic`: its
    last parameter may have commas.  `twin` is the macro of our headers that takes a block in its place; "": none.
    """

    name: str
    file: str
    position: int
    index: int
    edits: _Edits
    calls: tuple[tuple[int, int], ...]
    variadic: bool = False
    twin: str = ""

    @property
    def guards(self) -> _Edits:
        """What leaves all branches but the first to runs in which no switch around has taken another one."""
        return tuple(chain.from_iterable(((begin, begin, _GUARD), (end, end, "; }")) for begin, end in self.calls[1:]))


class _Use(Struct, frozen=True):
    """A use of a macro, from its name to after its brackets, with what makes a block of its lambda."""

    macro: _Macro
    begin: int
    end: int
    edits: _Edits


class _Return(Struct, frozen=True):
    begin: int
    end: int
    last: bool
    in_loop: bool


def flattened(texts: Mapping[str, bytes]) -> Flattened:
    """The texts with blocks in the places of lambdas; a macro of which one use needs the lambda stays as it is."""
    codes = {file: _joined(blanked(text.decode("latin-1"))) for file, text in texts.items()}
    macros = _macros(codes) | _dispatches(texts)
    while True:
        leaving = _leaving(codes) - macros.keys()
        found = {name: _uses(macro, codes, leaving) for name, macro in macros.items()}
        usable = {name: macro for name, macro in macros.items() if found[name] is not None}
        if len(usable) == len(macros):
            break
        macros = usable
    uses: dict[str, list[_Use]] = {}
    for parts in found.values():
        for file, some in (parts or {}).items():
            uses.setdefault(file, []).extend(some)
    nests = {file: tuple(_too_many(some)) for file, some in uses.items()}
    limited = {use.macro.name: use.macro for some in nests.values() for nest in some for use in nest}
    changes: dict[str, list[tuple[int, int, str]]] = {}
    used = {use.macro.name: use.macro for some in uses.values() for use in some if not use.macro.twin}
    for macro in used.values():
        changes.setdefault(macro.file, []).extend((*macro.edits, *(macro.guards if macro.name in limited else ())))
    for file, some in uses.items():
        changes.setdefault(file, []).extend(edit for use in some for edit in use.edits)
    notes = (_note(file, texts[file], nest[0].begin) for file, some in nests.items() for nest in some)
    changed = {file: _edited(texts[file], parts) for file, parts in changes.items()}
    return Flattened(changed, tuple(dict.fromkeys(notes)))


def _too_many(uses: Iterable[_Use]) -> Iterator[tuple[_Use, ...]]:
    """Uses in each other, from the outside, that have too many combinations of branches together."""
    ordered = sorted(uses, key=lambda use: use.begin)
    around: list[_Use] = []
    for use, following in zip(ordered, (*ordered[1:], None), strict=True):
        around = [*(outer for outer in around if use.begin < outer.end), use]
        innermost = following is None or following.begin >= use.end
        if innermost and prod(max(len(x.macro.calls), 1) for x in around) > _MOST_COMBINATIONS:
            yield tuple(around)


def _note(file: str, text: bytes, begin: int) -> Diagnostic:
    place = Span(file, text.count(b"\n", 0, begin) + 1, begin - text.rfind(b"\n", 0, begin))
    left_out = "runs in which more than one switch of this nest takes another branch than its first are not analysed"
    return Diagnostic(place, left_out, error=False)


def _joined(code: str) -> str:
    """The code with each directive on one line, everything in its place."""
    return re.sub(r"\\\r?\n", lambda found: " " * len(found[0]), code)


def _edited(text: bytes, edits: list[tuple[int, int, str]]) -> bytes:
    decoded = text.decode("latin-1")
    for begin, end, new in sorted(edits, reverse=True):
        kept = "".join(c if c in "\\\n\r" else " " for c in decoded[begin + len(new) : end])
        decoded = decoded[:begin] + new + kept + decoded[end:]
    return decoded.encode("latin-1")


def _blank(begin: int, end: int) -> tuple[int, int, str]:
    return begin, end, ""


# ---------------------------------------------------------------- macros


def _macros(codes: Mapping[str, str]) -> dict[str, _Macro]:
    """The switch macros by name; not one that is defined twice."""
    found: dict[str, list[_Macro | None]] = {}
    for file, code in codes.items():
        for definition in _DEFINE.finditer(code):
            found.setdefault(definition[1], []).append(_macro(definition, file))
    return {name: macros[0] for name, macros in found.items() if len(macros) == 1 and macros[0] is not None}


def _macro(definition: re.Match[str], file: str) -> _Macro | None:
    parameters = [name.strip() for name in definition[2].split(",")]
    called = "__VA_ARGS__" if parameters[-1] == "..." else parameters[-1]
    begin, end = definition.span(3)
    text = CodeText(definition.string, ())
    if not called.isidentifier() or not re.search(rf"\b{called}\b", definition[3]):
        return None
    start = text.skip(begin)
    edits: _Edits | None = ()
    if introduced := _LAMBDA.match(text.code, start, end):
        close = text.after_bracket(introduced.end())
        call = re.compile(r"\s*\(\s*\)\s*$").match(text.code, close, end)
        edits = _block(text, start, introduced.end(), frozenset()) if call is not None else None
        edits = None if edits is None or call is None else (*edits, _blank(call.start(), call.end()))
    elif _RETURN.search(_without_lambdas(text, begin, end).code, begin, end):
        return None
    calls = tuple(_calls(text.code, called, begin, end))
    if edits is None or None in calls:
        return None
    places = tuple(call for call in calls if call is not None)
    blanks = tuple(_blank(begin + len(called), end) for begin, end in places)
    variadic = parameters[-1] == "..."
    return _Macro(definition[1], file, definition.start(1), len(parameters) - 1, (*edits, *blanks), places, variadic)


def _dispatches(texts: Mapping[str, bytes]) -> dict[str, _Macro]:
    """The macros of our headers that have a twin for blocks, if the texts use any and define none themselves."""
    if not any(b"AT_DISPATCH_" in text for text in texts.values()):
        return {}
    if any(re.search(rb"#[ \t]*define[ \t]+AT_DISPATCH_SWITCH\b", text) for text in texts.values()):
        return {}
    twins = _TWINS.finditer((HEADERS / "defined" / "dispatch.h").read_text(encoding="utf-8"))
    found = ((f"AT{twin[1]}", f"IN{twin[1]}", twin[2].count(",") + 1) for twin in twins)
    return {name: _Macro(name, "", -1, index, (), ((0, 0),) * _TYPES, True, twin) for name, twin, index in found}


def _calls(code: str, called: str, begin: int, end: int) -> Iterator[tuple[int, int] | None]:
    """Each call, which is a statement, also of a return, up to its semicolon; None for another use."""
    for use in re.compile(rf"\b{called}\b").finditer(code, begin, end):
        before = re.sub(r"\breturn$", "", code[begin : use.start()].rstrip()).rstrip()
        call = re.compile(r"\s*(\(\s*\))\s*;").match(code, use.end(), end)
        is_statement = call is not None and before[-1:] in ("", ";", "{", "}")
        yield (use.start(), call.end(1)) if call is not None and is_statement else None


def _leaving(codes: Mapping[str, str]) -> frozenset[str]:
    """The macros with a return in them, or in those that they use."""
    words: dict[str, set[str]] = {}
    found: set[str] = set()
    for code in codes.values():
        for definition in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)([^\n]*)$", code, re.MULTILINE):
            own = _without_lambdas(CodeText(code, ()), *definition.span(2)).code[slice(*definition.span(2))]
            words.setdefault(definition[1], set()).update(_WORD.findall(own))
    while more := {name for name, used in words.items() if used & {"return", *found}} - found:
        found |= more
    return frozenset(found)


# ---------------------------------------------------------------- uses


def _uses(macro: _Macro, codes: Mapping[str, str], leaving: frozenset[str]) -> dict[str, list[_Use]] | None:
    """The uses of a macro; None unless a block can take the place of the lambda at all of them."""
    found: dict[str, list[_Use]] = {}
    for file, code in codes.items():
        directives = [d.span() for d in _DIRECTIVE.finditer(code)]
        text = CodeText(_DIRECTIVE.sub(lambda d: " " * len(d[0]), code), ())
        for mention in re.finditer(rf"\b{macro.name}\b", code):
            if (file, mention.start()) == (macro.file, macro.position):
                continue
            directive = next((d for d in directives if d[0] <= mention.start() < d[1]), None)
            if directive is not None and _ASKED.match(code, *directive):
                continue
            use = _use(macro, text, mention, leaving) if directive is None else None
            if use is None and not macro.twin:
                return None
            if use is None:
                continue
            found.setdefault(file, []).append(use)
    return found


def _use(macro: _Macro, text: CodeText, mention: re.Match[str], leaving: frozenset[str]) -> _Use | None:
    open_ = text.skip(mention.end())
    if text.code[: mention.start()].rstrip()[-1:] not in (";", "{", "}") or text.code[open_ : open_ + 1] != "(":
        return None
    close = text.after_bracket(open_)
    start = _argument(text.code, open_ + 1, close - 1, macro.index)
    begin, end = text.skip(start), close - 1
    brackets: _Edits = ()
    if macro.variadic and text.code[begin] == "(" and text.skip(text.after_bracket(begin)) == end:
        last = text.after_bracket(begin) - 1
        brackets = _blank(begin, begin + 1), _blank(last, last + 1)
        begin, end = text.skip(begin + 1), last
    introduced = _LAMBDA.match(text.code, begin, end)
    if introduced is None or text.code[text.skip(close) : text.skip(close) + 1] != ";":
        return None
    ends_the_call = text.skip(text.after_bracket(introduced.end())) == end
    edits = _block(text, begin, introduced.end(), leaving) if ends_the_call else None
    name: _Edits = ((*mention.span(), macro.twin),) if macro.twin else ()
    return None if edits is None else _Use(macro, mention.start(), close, (*name, *brackets, *edits))


def _argument(code: str, begin: int, end: int, index: int) -> int:
    """Where an argument begins; the preprocessor sees no brackets but round ones."""
    depth = 0
    for position in range(begin, end):
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        if code[position] == "," and not depth:
            index -= 1
        if index <= 0:
            return position + (code[position] == ",")
    return end


# ---------------------------------------------------------------- blocks


def _block(text: CodeText, begin: int, brace: int, leaving: frozenset[str]) -> _Edits | None:
    """What makes a block of the lambda that begins at `begin`; None where a return cannot leave it."""
    end = text.after_bracket(brace)
    plain = _without_lambdas(text, brace + 1, end - 1)
    inside = plain.code[brace + 1 : end - 1]
    returns = tuple(_returns(plain, brace + 1, end - 1, last=True, in_loop=False))
    if len(returns) != len(_RETURN.findall(inside)) or not leaving.isdisjoint(_WORD.findall(inside)):
        return None
    if all(r.last for r in returns):
        return (_blank(begin, brace), *(_blank(r.begin, r.begin + len("return")) for r in returns))
    if any(r.in_loop for r in returns):
        return None
    left = (edit for r in returns for edit in _break(plain.code, r))
    return ((begin, brace, "do"), *left, (end, end, " while (0)"))


def _break(code: str, of: _Return) -> Iterator[tuple[int, int, str]]:
    after = of.begin + len("return")
    if not code[after : of.end - 1].strip():
        yield of.begin, after, "break"
    else:
        yield of.begin, after, "{"
        yield of.end, of.end, " break; }"


def _without_lambdas(text: CodeText, begin: int, end: int) -> CodeText:
    """The text without the bodies of lambdas and local classes between two positions."""
    code = text.code
    position = begin
    while position < end:
        class_ = _CLASS.match(code, position, end)
        brace = class_.end() if class_ else _lambda_body(text, position, end)
        if brace is None:
            position += 1
            continue
        close = min(text.after_bracket(brace), end)
        code = code[: brace + 1] + re.sub(r"[^\n]", " ", code[brace + 1 : close - 1]) + code[close - 1 :]
        position = close
    return CodeText(code, text.lines)


def _lambda_body(text: CodeText, position: int, end: int) -> int | None:
    """The brace of the lambda that begins here, if one does."""
    if text.code[position] != "[":
        return None
    before = re.sub(r"\breturn$", "", text.code[max(0, position - 80) : position].rstrip()).rstrip()[-1:]
    if before.isalnum() or before in ("_", ")", "]"):
        return None
    after = text.skip(text.after_bracket(position))
    after = text.after_bracket(after) if text.code[after : after + 1] == "(" else after
    found = _SPECIFIERS.match(text.code, after, end)
    return found.end() if found else None


def _returns(text: CodeText, begin: int, end: int, *, last: bool, in_loop: bool) -> Iterator[_Return]:
    """The returns among statements; `last`: nothing follows these."""
    position = text.skip(begin)
    while position < end:
        if label := _LABEL.match(text.code, position):
            position = text.skip(label.end())
            continue
        stop = text.statement_end(position)
        if stop > end or stop <= position:
            return
        at_end = last and text.skip(stop) >= end
        word = _WORD.match(text.code, position)
        match text.code[position] if word is None else word[0]:
            case "{":
                yield from _returns(text, position + 1, stop - 1, last=at_end, in_loop=in_loop)
            case "return":
                yield _Return(position, stop, at_end, in_loop)
            case "if":
                yield from _of_branches(text, position, stop, last=at_end, in_loop=in_loop)
            case "switch":  # a break leaves it, and so does what it stands for where nothing follows
                inside = text.after_bracket(text.find("(", position))
                yield from _returns(text, text.skip(inside) + 1, stop - 1, last=False, in_loop=in_loop or not at_end)
            case "for" | "while":
                inside = text.after_bracket(text.find("(", position))
                yield from _returns(text, inside, stop, last=False, in_loop=True)
            case "do":
                yield from _returns(text, position + 2, text.statement_end(position + 2), last=False, in_loop=True)
            case _:
                pass
        position = text.skip(stop)


def _of_branches(text: CodeText, begin: int, end: int, *, last: bool, in_loop: bool) -> Iterator[_Return]:
    start = text.after_bracket(text.find("(", begin))
    then = text.statement_end(start)
    yield from _returns(text, start, then, last=last, in_loop=in_loop)
    otherwise = re.compile(r"\s*else\b").match(text.code, then, end)
    if otherwise is not None:
        yield from _returns(text, otherwise.end(), end, last=last, in_loop=in_loop)
