"""Nesting depth of functions: how deeply their statements, loops and expressions stand in each other.

The analysis is recursive, and summarises each loop by runs of those inside of it.  A function beyond these bounds is
not analysed, for a reason that can be named; generated code alone is nested so deeply.
"""

from __future__ import annotations

from hgrd.source.clang.ast import Node, inner

_MOST_LOOPS = 60
_MOST_STATEMENTS = 300
_MOST_EXPRESSIONS = 500
_LOOPS = frozenset(("ForStmt", "WhileStmt", "DoStmt", "CXXForRangeStmt"))


def too_deep(root: Node) -> str | None:
    """Why a function is nested too deeply to be analysed; None if it is not."""
    most: tuple[int, int, int] = (0, 0, 0)
    stack: list[tuple[Node, str, tuple[int, int, int]]] = [(root, "", most)]
    while stack:
        node, around, (loops, statements, expressions) = stack.pop()
        kind: str = node["kind"]
        if kind in _LOOPS:
            loops += 1
        if kind.endswith("Stmt"):
            statements += kind != "CompoundStmt" or around == kind  # the body of a statement is part of it
        elif "valueCategory" in node and not kind.endswith("CastExpr"):
            expressions += 1
        here = (loops, statements, expressions)
        most = (max(most[0], here[0]), max(most[1], here[1]), max(most[2], here[2]))
        stack.extend((child, kind, here) for child in inner(node))
    for levels, bound in zip(most, (_MOST_LOOPS, _MOST_STATEMENTS, _MOST_EXPRESSIONS), strict=True):
        if levels > bound:
            return f"nested too deeply ({levels} levels) for the analysis"
    return None
