"""Threads of OpenMP: what directives mean for the statements behind them, as calls that mark where threads begin.

#pragma omp parallel for                    for (…) { iteration(); …; end_thread(); } join();
#pragma omp parallel                        region(); …; end_region();
#pragma omp single                          one(); …; end_one(); join();
#pragma omp task                            thread(); …; end_thread();

(OpenMP Application Programming Interface, "parallel Construct", "Work-Distribution Constructs", "Tasking Constructs",
"Synchronization Constructs".)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from hgrd.program.expressions import Call, Construct, FunctionRef, IndirectCall, IntConst, Launch
from hgrd.program.span import Span
from hgrd.program.statements import Block, Evaluate, Loop, Statement
from hgrd.program.types import INT, VOID
from hgrd.program.walk import nodes

PREFIX: Final = "__hgrd_openmp_"
_CLAUSE: Final = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)")
_COUNT: Final = re.compile(r"num_threads\s*\(\s*(\d+)\s*\)")
_ELSEWHERE: Final = frozenset(("target", "declare", "threadprivate", "atomic", "flush", "requires"))
_LOOPS: Final = frozenset(("for", "taskloop", "distribute", "loop"))
_ONCE: Final = frozenset(("single", "master", "masked"))
_JOINS: Final = frozenset(("barrier", "taskwait"))


def in_threads(directive: str, statements: list[Statement], span: Span) -> list[Statement]:
    """The statements behind a directive, with marks where threads begin and end; as they are if it means nothing."""
    words = frozenset(re.findall(r"\w+", _CLAUSE.sub("", directive)))
    count = _COUNT.search(directive)
    threads = int(count[1]) if count is not None else 0
    if words & _JOINS:
        return [_mark("join", span), *statements]
    if words & _ELSEWHERE or not _matters(statements) or ("parallel" in words and threads == 1):
        return statements
    inner = statements
    if words & _LOOPS:
        inner = [*_in_iterations(inner, span)]
    elif words & {"section", "task"}:
        before = [_mark("may_join", span)] if "depend" in words else []
        inner = [*before, _mark("thread", span), *inner, _mark("end_thread", span)]
    elif words & _ONCE or ("sections" in words and "parallel" not in words):
        inner = [_mark("one", span), *inner, _mark("end_one", span)]
    elif words & {"critical", "ordered"}:
        inner = [_mark("may_join", span), *inner]
    elif "parallel" in words and "sections" not in words:
        return [_mark("region", span, threads), *inner, _mark("end_region", span)]
    waits = words & {"parallel", "for", "sections", "single", "taskloop", "taskgroup"} and "nowait" not in words
    return [*inner, _mark("join", span)] if waits else inner


def _matters(statements: Iterable[Statement]) -> bool:
    """Whether statements may put work on the device."""
    everything = (n for statement in statements for n in nodes(statement))
    return any(
        isinstance(n, Launch | IndirectCall | Construct)
        or (isinstance(n, Call) and (n.function.user_code or n.function.name.startswith(("cu", PREFIX))))
        for n in everything
    )


def _in_iterations(statements: Iterable[Statement], span: Span) -> Iterable[Statement]:
    """The loop among the statements, with a thread for each iteration."""
    for statement in statements:
        match statement:
            case Loop(body=body):
                marked = (_mark("iteration", span), body, _mark("end_thread", span))
                yield replace(statement, body=Block(marked, span))
            case Block(body=body):
                yield replace(statement, body=tuple(_in_iterations(body, span)))
            case _:
                yield statement


def _mark(name: str, span: Span, *numbers: int) -> Statement:
    function = FunctionRef(PREFIX + name, PREFIX + name, PREFIX + name, VOID)
    return Evaluate(Call(function, tuple(IntConst(n, INT, span) for n in numbers), VOID, span), span)
