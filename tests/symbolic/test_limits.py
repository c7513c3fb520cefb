"""Limits of time: code is stopped wherever it is, and so is the code around it when its own time comes."""

import signal
import sys
import weakref
from importlib import import_module
from math import inf
from pathlib import Path
from time import perf_counter, sleep

import pytest

from hgrd.symbolic.limits import TimeLimitError, deep_recursion, until


class Held:
    pass


def forever() -> None:
    while True:
        sleep(0.001)


def test_code_that_does_not_look_at_the_clock_is_stopped():
    begin = perf_counter()
    with pytest.raises(TimeLimitError), until(begin + 0.05):
        forever()
    assert perf_counter() - begin < 3
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_it_is_stopped_again_where_it_goes_on():
    begin, caught = perf_counter(), 0
    with pytest.raises(TimeLimitError), until(begin + 0.05):
        while True:
            try:
                forever()
            except TimeLimitError:
                caught += 1
                if caught == 2:
                    raise
    assert caught == 2


def test_what_is_over_does_not_begin():
    with pytest.raises(TimeLimitError), until(perf_counter() - 1):
        pytest.fail("began")


@pytest.mark.parametrize(("outer", "inner"), [(0.05, 60), (0.1, 0.05), (0.05, inf)])
def test_a_context_within_another_leaves_it_its_time(outer: float, inner: float):
    begin = perf_counter()
    with pytest.raises(TimeLimitError), until(begin + outer):
        try:
            with until(begin + inner):
                forever()
        except TimeLimitError:
            forever()
    assert outer <= perf_counter() - begin < 3


def test_what_ends_in_time_leaves_nothing_behind():
    before = signal.getsignal(signal.SIGALRM)
    with until(perf_counter() + 60), until(perf_counter() + 30):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_calls_are_nested_more_deeply_inside_alone():
    before = sys.getrecursionlimit()
    with deep_recursion(before + 100):
        assert sys.getrecursionlimit() == before + 100
        with deep_recursion(10):
            assert sys.getrecursionlimit() == before + 100
    assert sys.getrecursionlimit() == before


def test_a_module_that_is_being_imported_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_module.py").write_text("import time\ntime.sleep(0.3)\nDONE = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TimeLimitError), until(perf_counter() + 0.1):
        import_module("slow_module")
        while True:
            pass
    assert import_module("slow_module").DONE


def test_the_limit_is_not_lost_in_a_callback(monkeypatch: pytest.MonkeyPatch):
    """Python prints, and forgets, what is raised while an entry of a dictionary of weak references goes."""
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    kept: weakref.WeakValueDictionary[int, Held] = weakref.WeakValueDictionary()
    for _ in range(30):
        with pytest.raises(TimeLimitError), until(perf_counter() + 0.01):
            while True:
                kept[0] = Held()
    assert lost == []
