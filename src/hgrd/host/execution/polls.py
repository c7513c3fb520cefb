"""Polls: loops that look whether work on the device is complete, and whether they go on until it is.

while (cudaEventQuery(e) == cudaErrorNotReady) …;            // not: … && turns < 100
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hgrd.host.concurrency.not_ready import goes_on, is_query
from hgrd.host.linking.constant_memory import run_by
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.walk import directly_in, nodes


def impatient_queries(functions: Mapping[str, Function]) -> frozenset[Span]:
    """The places of queries in loops that may end while work is not complete."""
    bodies = [f.body for f in functions.values() if f.user_code and f.body is not None]
    if not any(is_query(n) for body in bodies for n in nodes(body)):
        return frozenset()
    return frozenset(span for body in bodies for span in _impatient(body, functions))


def _impatient(body: st.Block, functions: Mapping[str, Function]) -> Iterator[Span]:
    for loop in nodes(body):
        if isinstance(loop, st.Loop | st.DoWhile):
            for call in (n for n in _of_loop(loop) if isinstance(n, ir.Call)):
                asked = tuple(_asked_by(call, functions))
                if asked and not goes_on(loop, call, functions):
                    yield from asked


def _asked_by(call: ir.Call, functions: Mapping[str, Function]) -> Iterator[Span]:
    """The places of queries that a call makes, or is, that are in no loop of the functions called."""
    called = (f for f in run_by(call.function.key, functions) if f.user_code)
    below = (n for f in called for n in _of_loop(f.body) if isinstance(n, ir.Call))
    yield from (n.span for n in (call, *below) if is_query(n))


def _of_loop(body: object) -> Iterator[object]:
    """The nodes of a loop, or of a function, that are in no loop within it."""
    todo = list(directly_in(body))
    while todo:
        node = todo.pop()
        if not isinstance(node, st.Loop | st.DoWhile):
            yield node
            todo.extend(directly_in(node))
