"""The stream of top-level declarations and the positions in it."""

from __future__ import annotations

import io
import json
from typing import Any

from hgrd.program.span import Span
from hgrd.source.clang.ast import Skipped, declarations, inner, name_span, span_of


def at(offset: int, col: int, line: int | None = None, file: str | None = None) -> dict[str, Any]:
    shown: dict[str, Any] = {"offset": offset}
    if file is not None:
        shown["file"] = file
    if line is not None:
        shown["line"] = line
    return {**shown, "col": col, "tokLen": 1}


def node(
    loc: dict[str, Any], begin: dict[str, Any], end: dict[str, Any], *children: Any, **more: Any
) -> dict[str, Any]:
    shown = {"id": "0x1", "kind": "FunctionDecl", "loc": loc, "range": {"begin": begin, "end": end}, **more}
    return {**shown, "inner": list(children)} if children else shown


def stream(*nodes: dict[str, Any]) -> io.BytesIO:
    document = {"id": "0x0", "kind": "TranslationUnitDecl", "loc": {}, "range": {"begin": {}, "end": {}}}
    return io.BytesIO(json.dumps({**document, "inner": list(nodes)}, indent=2).encode())


def user(file: str) -> bool:
    return not file.startswith("/usr")


def read(source: io.BytesIO, limit: int = 10_000, foreign: int = 1_000) -> list[Any]:
    return [found if isinstance(found, Skipped) else found[0] for found in declarations(source, user, limit, foreign)]


def test_positions_are_changes_in_print_order() -> None:
    child = node(at(5, 7), at(5, 3, line=4), at(6, 9, line=5))
    first, second = read(
        stream(node(at(1, 1, 2, "a.cu"), at(0, 1), at(9, 2), child), node(at(3, 8, 9), at(3, 8), at(3, 8)))
    )
    assert name_span(first) == Span("a.cu", 2, 1)
    (nested,) = inner(first)
    assert name_span(nested) == Span("a.cu", 2, 7)
    assert span_of(nested) == Span("a.cu", 4, 3)
    assert name_span(second) == Span("a.cu", 9, 8)


def test_macros_have_two_positions() -> None:
    place = {"spellingLoc": at(2, 12, 1, "m.h"), "expansionLoc": at(90, 5, 7, "a.cu")}
    (found,) = read(stream(node(place, at(91, 6), {})))
    assert name_span(found) == Span("a.cu", 7, 5, Span("m.h", 1, 12))
    assert span_of(found) == Span("a.cu", 7, 6)


def test_a_tree_that_is_too_big_is_refused_and_positions_go_on() -> None:
    big = node(at(0, 1, 1, "a.cu"), at(0, 1), at(8, 1, 30), *(node(at(1, 1), {}, {}, name="x" * 99) for _ in range(99)))
    skipped, found = read(stream(big, node(at(9, 4), at(9, 4), at(9, 4))))
    assert isinstance(skipped, Skipped)
    assert skipped.span == Span("a.cu", 1, 1)
    assert name_span(found) == Span("a.cu", 30, 4)


def test_big_foreign_declarations_are_skipped_silently() -> None:
    foreign = node(at(0, 1, 1, "/usr/x.h"), at(0, 1), at(8, 1, 30), *(node(at(1, 1), {}, {}) for _ in range(99)))
    (found,) = read(stream(foreign, node(at(9, 4, 2, "a.cu"), at(9, 4), at(9, 4))))
    assert name_span(found) == Span("a.cu", 2, 4)


def test_strings_may_hold_anything() -> None:
    text = '}\n    },\n    {"inner": ['
    (found,) = read(stream(node(at(0, 1, 1, "a.cu"), at(0, 1), at(0, 1), value=text)))
    assert found["value"] == text


def test_no_declarations() -> None:
    assert read(stream()) == []
