"""Limits of a run of the machine, and limits of time and of nested calls for any code."""

from __future__ import annotations

import signal
import sys
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from math import inf
from time import perf_counter
from types import FrameType
from typing import Final

from hgrd.program.statements import Statement

OUT_OF_TIME: Final = "the time limit was reached"  # begins each reason that more time may remove
_AGAIN: Final = 0.5  # seconds until the error is raised once more, where something has caught it and gone on
_AT_ONCE: Final = 0.01
_UNINTERRUPTED: Final = ("<frozen importlib._bootstrap>", weakref.__file__)


class StepLimitError(Exception):
    """A run took too many steps.

    `left` are statements that contain all code that would still have been executed; `noted`: those of the innermost
    sequence are among them.
    """

    def __init__(self, text: str = "too many steps") -> None:
        super().__init__(text)
        self.left: list[Statement] = []
        self.noted = False


class TimeLimitError(StepLimitError):
    """A run took too long."""

    def __init__(self) -> None:
        super().__init__(OUT_OF_TIME)


@contextmanager
def until(deadline: float) -> Generator[None]:
    """A context whose code gets a TimeLimitError at `deadline`, a value of perf_counter(), wherever it is by then.

    Contexts within contexts end with the earlier of their deadlines.  Only the main thread of a process has deadlines:
    they are signals.
    """
    if deadline == inf or threading.current_thread() is not threading.main_thread():
        yield
        return
    begin = perf_counter()
    if deadline <= begin:
        raise TimeLimitError
    outer, repeated = signal.getitimer(signal.ITIMER_REAL)
    left = deadline - begin
    before = signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, min(left, outer) if outer else left, _AGAIN)
    try:
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, before)
            if outer:
                signal.setitimer(signal.ITIMER_REAL, max(outer - (perf_counter() - begin), _AT_ONCE), repeated)


@contextmanager
def deep_recursion(calls: int) -> Generator[None]:
    """A context in which so many calls may be nested."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, calls))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _raise(_number: int, frame: FrameType | None) -> None:
    """Raises the error, but not where a module would be left half made, or a callback would lose it: it comes again."""
    while frame is not None:
        if frame.f_code.co_filename in _UNINTERRUPTED:
            signal.setitimer(signal.ITIMER_REAL, _AT_ONCE, _AGAIN)
            return
        frame = frame.f_back
    raise TimeLimitError
