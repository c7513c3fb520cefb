"""Syntax tree of clang, read from JSON as a stream of top-level declarations, with positions resolved.

The top-level declarations are parsed one by one: memory is bounded by the largest declaration.  Positions are
printed as changes against the position printed before, in print order; here each `loc` and each `range` is replaced by
a `Span` (or None): for `range`, its beginning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeAlias

import orjson
from msgspec import Struct

from hgrd.program.span import NOWHERE, Span
from hgrd.source.clang.declaration_texts import FUNCTION_KINDS, PLACES, declaration_texts, open_function

Node: TypeAlias = dict[str, Any]

_LOCAL_KINDS = frozenset(("CXXRecordDecl", "TypedefDecl", "TypeAliasDecl", "EnumDecl", "NamespaceAliasDecl"))
_LOCATION = re.compile(rb'"loc": \{[^{}]*"col": (\d+)[^{}]*\}')
_OWN_FILE = re.compile(rb'"loc": \{\s*"offset": \d+,\s*"file": ("(?:[^"\\]|\\.)*")')


class Skipped(Struct, frozen=True):
    """A declaration that was not parsed, too big or not understood; unless `incomplete`, instances of one that was."""

    reason: str
    span: Span
    incomplete: bool = True


class TooLargeError(Exception):
    """A declaration of the user with too large a tree; `function`: the function in it, if one is."""

    def __init__(self, function: Span | None) -> None:
        super().__init__("a syntax tree is too large")
        self.function = function


def inner(node: Node) -> list[Node]:
    """The children of a node, without empty ones, which stand for missing parts."""
    return [child for child in node.get("inner", ()) if child.get("kind")]


def span_of(node: Node) -> Span:
    """The begin of a node."""
    return node.get("range") or node.get("loc") or NOWHERE


def name_span(node: Node) -> Span:
    """The place of the name of a declaration."""
    return node.get("loc") or node.get("range") or NOWHERE


def declarations(
    stream: BinaryIO,
    is_user_file: Callable[[str], bool],
    max_declaration: int,
    max_foreign: int = 200_000,
    *,
    final: bool = True,
) -> Iterator[tuple[Node, int] | Skipped]:
    """Top-level declarations in order, with the length of their text.

    What is longer than `max_declaration` bytes without indentation is skipped with a reason, or, unless this is
    `final`, raises TooLargeError; foreign declarations (not in user files) longer than `max_foreign` are skipped
    silently.
    """
    reader = _Positions()
    for found in declaration_texts(stream, max_declaration):
        text, size = found.text, found.size
        own_file = _OWN_FILE.search(text, 0, 2000)
        file = orjson.loads(own_file[1]) if own_file else reader.file
        user = not file or is_user_file(file)
        if not found.complete:
            if user and not final:
                raise TooLargeError(_unfinished(text, reader))
            continue
        if size > max_declaration or (size > max_foreign and not user):
            start = reader.skip(text[:4000])
            reader.skip(text)
            if user:
                yield Skipped(f"a declaration with a syntax tree of {size >> 20} MiB was left out", start)
            continue
        try:
            node = _parse(text)
            local: list[Node] = []
            reader.resolve(node, local)
            node.setdefault("locals", [inside for inside in local if inside.get("isImplicit")])
        except (ValueError, RecursionError):
            start = reader.skip(text[:4000])
            reader.skip(text)
            yield Skipped("a declaration is nested too deeply and was left out", start)
            continue
        for part in found.left_out if user else ():
            more = f"{part.instances} more instances of {part.template} were left out, since there are too many"
            yield Skipped(more, _place_of(node, part.template), incomplete=False)
        yield node, size


def _place_of(node: Node, name: str) -> Span:
    """The place of a function template with this name below a declaration."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.get("kind") == "FunctionTemplateDecl" and current.get("name") == name:
            return name_span(current)
        if current.get("kind") in ("NamespaceDecl", "LinkageSpecDecl"):
            stack += reversed(inner(current))
    return name_span(node)


def _parse(text: bytes) -> Node:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        # orjson stops at a nesting of 1024; the standard reader is slower and goes deeper.
        return json.loads(text.decode("utf-8", "replace"))


def _unfinished(text: bytes, reader: _Positions) -> Span | None:
    """The function whose tree the text breaks off in."""
    function = open_function(text)
    place = None if function is None else _LOCATION.search(text, function.begin, function.begin + 1000)
    if place is None:
        return None
    reader.skip(text[: place.end()])
    return Span(reader.file, reader.line, int(place[1]))


def _argument(span: Span | None) -> Span | None:
    """The place in an argument of a macro, which comes after the use; a definition comes before.  None: no argument."""
    inside = None if span is None else span.spelling
    if span is None or inside is None or inside.file != span.file:
        return None
    return inside if (inside.line, inside.column) > (span.line, span.column) else None


class _Positions:
    """The position printed last, and spans made from what changed."""

    __slots__ = ("_last", "file", "line")

    def __init__(self) -> None:
        self.file = ""
        self.line = 0
        self._last = NOWHERE

    def skip(self, text: bytes) -> Span:
        """Follow the positions in a text that is not parsed; the first one, or the last one before it."""
        first: Span | None = None
        for match in PLACES.finditer(text):
            if match[1]:
                self.file = orjson.loads(match[1])
            self.line = int(match[2])
            first = first or Span(self.file, self.line, 1)
        return first or Span(self.file, self.line, 1)

    def resolve(self, node: Node, local: list[Node]) -> None:
        """Replace positions below `node`, in print order.

        A function gets `locals`: the types and names of namespaces declared inside of it; `local` collects them.
        """
        kind = node.get("kind")
        mine = local
        if kind in FUNCTION_KINDS:
            mine = []
        elif kind in _LOCAL_KINDS:
            local.append(node)
            mine = []
        for key, value in node.items():
            if key == "inner" or key == "array_filler":
                for child in value:
                    if child:
                        self.resolve(child, mine)
            elif key == "loc":
                place = self._span(value) if value else None
                node[key] = _argument(place) or place
            elif key == "range":
                begin, end = value["begin"], value["end"]
                start = self._span(begin) if begin else None
                stop = self._span(end) if end else None
                node[key] = start if _argument(stop) is None else _argument(start) or start
            elif key == "defaultArg":
                self.resolve(value, mine)
        if kind in FUNCTION_KINDS:
            node["locals"] = mine

    def _span(self, location: Node) -> Span:
        if "spellingLoc" in location:
            spelling, expansion = location["spellingLoc"], location["expansionLoc"]
            inside = self._bare(spelling) if spelling else None
            outside = self._bare(expansion) if expansion else NOWHERE
            return Span(outside.file, outside.line, outside.column, inside)
        return self._bare(location)

    def _bare(self, location: Node) -> Span:
        if "file" in location:
            self.file = location["file"]
        if "line" in location:
            self.line = location["line"]
        column = location.get("col", 0)
        last = self._last
        if last.column == column and last.line == self.line and last.file == self.file:
            return last
        self._last = last = Span(self.file, self.line, column)
        return last
