"""Targets of setup.py: the sources of each extension module."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hgrd.source.build.targets import Target

_SAME: Final = frozenset({"abspath", "realpath", "normpath", "Path", "str", "list", "sorted", "resolve", "as_posix"})
_FOLDER: Final = frozenset({"dirname", "parent"})
_Value = str | list[str] | None


def setup_targets(file: str) -> tuple[Target, ...]:
    """The extension modules that a setup.py names (`CUDAExtension`, `Extension`, ...), as far as it spells them out."""
    try:
        tree = ast.parse(Path(file).read_text("utf-8", "replace"))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    reader = _Reader(str(Path(file).resolve()))
    reader.visit(tree)
    return tuple(Target(f"{file}:{number}", sources) for number, sources in enumerate(reader.found))


class _Reader(ast.NodeVisitor):
    """Follows assignments in the order of the text; `found` are the sources of the extensions."""

    def __init__(self, file: str) -> None:
        self.directory = str(Path(file).parent)
        self.values: dict[str, _Value] = {"__file__": file}
        self.found: list[tuple[str, ...]] = []

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.values[target.id] = self.value(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and isinstance(node.op, ast.Add):
            self.values[node.target.id] = _sum(self.values.get(node.target.id), self.value(node.value))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "append" | "extend"), [given]):
                self.values[name] = _sum(_as_list(self.values.get(name)), _as_list(self.value(given)))
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name.endswith("Extension"):
                named = [keyword.value for keyword in node.keywords if keyword.arg == "sources"]
                for sources in named or node.args[1:2]:
                    paths = (Path(self.directory, path) for path in _as_list(self.value(sources)))
                    self.found.append(tuple(map(os.path.normpath, paths)))
            case _:
                pass

    def value(self, node: ast.expr) -> _Value:
        """Text, or texts, of an expression; None where it is not known."""
        match node:
            case ast.Constant(str(text)):
                return text
            case ast.Name(name):
                return self.values.get(name)
            case ast.List(elements) | ast.Tuple(elements):
                return [text for element in elements for text in _as_list(self.value(element))]
            case ast.Starred(inner):
                return self.value(inner)
            case ast.IfExp(_, first, second):
                return [*_as_list(self.value(first)), *_as_list(self.value(second))]
            case ast.BinOp(left, ast.Add(), right):
                return _sum(self.value(left), self.value(right))
            case ast.BinOp(left, ast.Div(), right):
                return _joined([self.value(left), self.value(right)])
            case ast.JoinedStr(parts):
                texts = [self.value(p.value if isinstance(p, ast.FormattedValue) else p) for p in parts]
                return "".join(text for text in texts if isinstance(text, str)) if _all_texts(texts) else None
            case ast.ListComp(element, [ast.comprehension(ast.Name(name), over)]):
                return list(self._each(element, name, _as_list(self.value(over))))
            case ast.Attribute(inner, "parent"):
                return _folder(self.value(inner))
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name)):
                return self._called(node, name)
            case _:
                return None

    def _called(self, node: ast.Call, name: str) -> _Value:
        given = [self.value(argument) for argument in node.args]
        if isinstance(node.func, ast.Attribute) and not given:  # of a path
            given = [self.value(node.func.value)]
        if name in _FOLDER and given:
            return _folder(given[0])
        if name in _SAME and given:
            return given[0]
        if name in ("join", "joinpath"):
            return _joined(given)
        if name in ("glob", "rglob") and given:
            inside = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
            return _as_list(_joined([inside, given[0]]) if isinstance(inside, str) else given[0])
        return None

    def _each(self, element: ast.expr, name: str, over: list[str]) -> Iterator[str]:
        for text in over:
            self.values[name] = text
            yield from _as_list(self.value(element))


def _sum(first: _Value, second: _Value) -> _Value:
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    return [*_as_list(first), *_as_list(second)] if isinstance(first, list) or isinstance(second, list) else None


def _as_list(value: _Value) -> list[str]:
    match value:
        case str():
            return [value]
        case None:
            return []
        case _:
            return value


def _all_texts(values: list[_Value]) -> bool:
    return all(isinstance(value, str) for value in values)


def _joined(values: list[_Value]) -> str | None:
    texts = [value for value in values if isinstance(value, str)]
    return str(Path(*texts)) if texts and len(texts) == len(values) else None


def _folder(value: _Value) -> str | None:
    return str(Path(value).parent) if isinstance(value, str) else None
