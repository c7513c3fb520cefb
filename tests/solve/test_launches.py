"""Small launches stay small, whatever the ranges of what they try."""

from __future__ import annotations

import tracemalloc

import pytest
from small import T1, T2, pair, private

from hgrd.solve.launches import try_launches
from hgrd.solve.prepare import survey
from hgrd.solve.problem import pose
from hgrd.terms import add, const, eq, var

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
