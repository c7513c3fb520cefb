"""Signals that stop a run: held back, but where the run can be stopped without losing anything."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def hold_back() -> None:
    """From now on the signals wait until code is `stoppable`; SIGTERM is then the same as Ctrl-C."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def stoppable() -> Generator[None]:
    """A context in which the signals raise KeyboardInterrupt, also those that came before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
