"""Small launches stay small, whatever the ranges of what they try."""

from __future__ import annotations

import tracemalloc

import pytest
from small import T1, T2, pair, private, shared

from hgrd.solve.decide import decide
from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.prepare import survey
from hgrd.solve.problem import pose
from hgrd.solve.query import Conflict
from hgrd.solve.steps.launches import try_launches
from hgrd.terms import Origin, Symbol, add, const, eq, var

LEAST = -(1 << 27)


@pytest.mark.parametrize(("low", "high", "tried"), [(LEAST, -1, -3), (LEAST, 1 << 27, -3), (5, 1 << 27, 7)])
def test_few_values_of_a_huge_range(low: int, high: int, tried: int):
    k1, k2 = private("k1", low, high), private("k2", low, high)
    query = pair(add(var(T1), k1), add(var(T2), k2), guards=(eq(k1, const(tried)),), threads=4)
    problem = pose(query)
    tracemalloc.start()
    found = try_launches(problem, survey(problem).spans, launches=1, rows=1024, seed=1).model
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.values[k1.symbol] == tried
    assert peak < 16 << 20


def test_few_threads_of_a_huge_extent():
    query = pair(var(T1), add(var(T2), const(1)), threads=1 << 30)
    problem = pose(query)
    tracemalloc.start()
    found = try_launches(problem, survey(problem).spans, launches=1, rows=1024, seed=1).model
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert peak < 16 << 20


def test_values_that_no_column_holds_are_not_tried():
    """Columns have 64 bits: what is beyond them is left to the solver."""
    size = Symbol("n", 0, (1 << 64) - 1, Origin.INPUT)
    query = pair(const(0), const(0), facts=(eq(var(size), const((1 << 64) - 1)),))
    problem = pose(query)
    assert try_launches(problem, survey(problem).spans, launches=4, rows=64, seed=1).model is None
    answer = decide(query)
    assert isinstance(answer, Conflict)
    assert answer.model.values[size] == (1 << 64) - 1


@pytest.mark.parametrize("count", [31, 40])  # numpy has no arrays of more than 32 dimensions
def test_many_symbols_of_one_thread(count: int):
    own = [private(f"k{i}_1", 0, 1) for i in range(count)]
    query = pair(add(var(T1), own[0]), var(T2), guards=tuple(eq(k, const(0)) for k in own[1:]), threads=4)
    problem = pose(query)
    found = try_launches(problem, survey(problem).spans, launches=1, rows=1024, seed=1).model
    assert found is not None


def test_a_symbol_without_values_leaves_no_rows():
    query = pair(var(T1), var(T2), threads=shared("n", 0, 0))
    problem = pose(query)
    spans = {s: Span(s.low, s.high) for s in problem.symbols}
    assert try_launches(problem, spans, launches=1, rows=1024, seed=1).model is None
