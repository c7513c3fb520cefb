"""Polls: loops that look whether work on the device is complete, and whether they go on until it is.

while (cudaEventQuery(e) == cudaErrorNotReady) …;            // not: … && turns < 100
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.walk import directly_in, nodes

QUERIES: Final = ("cudaStreamQuery", "cudaEventQuery")


def impatient_queries(functions: Mapping[str, Function]) -> frozenset[Span]:
    """The places of queries in loops that may end while work is not complete."""
    bodies = [f.body for f in functions.values() if f.user_code and f.body is not None]
    if not any(_queries(n) for body in bodies for n in nodes(body)):
        return frozenset()
    return frozenset(span for body in bodies for span in _impatient(body, functions))


def _impatient(body: st.Block, functions: Mapping[str, Function]) -> Iterator[Span]:
    told = {key for node in nodes(body) for key in _set_by_query(node)}
    for loop in nodes(body):
        if isinstance(loop, st.Loop | st.DoWhile):
            inside = [span for n in _of_loop(loop) if isinstance(n, ir.Call) for span in _asked_by(n, functions)]
            if inside and not _goes_on(loop, told, functions):
                yield from inside


def _asked_by(call: ir.Call, functions: Mapping[str, Function]) -> Iterator[Span]:
    """The places of queries that a call makes, or is, that are in no loop of the functions called."""
    called = (f for f in run_by(call.function.key, functions) if f.user_code)
    below = (n for f in called for n in _of_loop(f.body) if isinstance(n, ir.Call))
    yield from (n.span for n in (call, *below) if _queries(n))


def _of_loop(body: object) -> Iterator[object]:
    """The nodes of a loop, or of a function, that are in no loop within it."""
    todo = list(directly_in(body))
    while todo:
        node = todo.pop()
        if not isinstance(node, st.Loop | st.DoWhile):
            yield node
            todo.extend(directly_in(node))


def _queries(node: object) -> bool:
    return isinstance(node, ir.Call) and cuda_name(node.function.name) in QUERIES


def _set_by_query(node: object) -> Iterator[str]:
    """The variable that a node sets to what a query has said."""
    match node:
        case (
            st.Declare(variable=variable, initial=value)
            | ir.Assign(place=ir.VariablePlace(variable=variable), value=value)
        ) if value is not None and any(map(_queries, nodes(value))):
            yield variable.key
        case _:
            pass


def _goes_on(loop: st.Loop | st.DoWhile, told: Set[str], functions: Mapping[str, Function]) -> bool:
    """Whether a loop ends only where a query says so."""
    tests = [] if loop.condition is None or _is_constant(loop.condition) else list(_conjuncts(loop.condition))
    tests += (test for test, arms in _choices(loop) if any(_leaves(arm) for arm in arms))
    return bool(tests) and all(_depends(test, told, functions) for test in tests)


def _is_constant(test: ir.Expression) -> bool:
    return not any(isinstance(n, ir.Load | ir.Call) for n in nodes(test))


def _conjuncts(test: ir.Expression) -> Iterator[ir.Expression]:
    match test:
        case ir.Logical(conjunction=True, left=left, right=right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case ir.Convert(operand=operand):
            yield from _conjuncts(operand)
        case _:
            yield test


def _choices(loop: st.Loop | st.DoWhile) -> Iterator[tuple[ir.Expression, tuple[st.Statement, ...]]]:
    """The tests in a loop that are in no loop within it, with what they lead to."""
    for node in _of_loop(loop):
        if isinstance(node, st.If):
            yield node.condition, tuple(arm for arm in (node.then, node.otherwise) if arm is not None)


def _leaves(arm: st.Statement) -> bool:
    """Whether a statement leaves the loop around it."""
    return any(isinstance(n, st.Break | st.Return) for n in nodes(arm))


def _depends(test: ir.Expression, told: Set[str], functions: Mapping[str, Function]) -> bool:
    """Whether a query, or what one has said, decides a test."""
    return any(_is_told(node, told, functions) for node in nodes(test))


def _is_told(node: object, told: Set[str], functions: Mapping[str, Function]) -> bool:
    match node:
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return variable.key in told
        case ir.Call(function=function):
            return _queries(node) or any(map(_queries, _calls_below(function.key, functions)))
        case _:
            return False


def _calls_below(key: str, functions: Mapping[str, Function]) -> Iterable[object]:
    return (node for function in run_by(key, functions) if function.user_code for node in nodes(function.body))
