"""Processes that send what they find as they find it; the death of one loses only what it had not yet sent."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from hgrd.engine.run.stopping import SIGNALS

DIED: Final = "the analysis process died"  # begins each reason that the end of a process is
_log = logging.getLogger(__name__)


class Pipe(Protocol):
    """One end of a pipe in both directions; all that goes through it pickles."""

    def fileno(self) -> int: ...
    def send(self, obj: Any, /) -> None: ...
    def recv(self) -> Any: ...
    def close(self) -> None: ...


Task: TypeAlias = Callable[[Pipe], None]
"""What a process does, with its end of a pipe to the process that started it."""


class Readable(Protocol):
    """What has a file descriptor to wait for."""

    def fileno(self) -> int: ...


R = TypeVar("R", bound=Readable)


class Ended(Struct, frozen=True):
    """The end of a process; `reason` says why it died, or is "" where it has done all that it was to do."""

    reason: str = ""


class _AllSent(Struct, frozen=True):
    pass


class Running:
    """A process at work: `fileno()` is readable when it has sent something, or has ended."""

    def __init__(self, task: Task) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe: Pipe
        self._pipe, other = context.Pipe()
        self._process: BaseProcess = context.Process(target=_work, args=(self._pipe, other, task))
        self._process.start()
        other.close()

    def fileno(self) -> int:
        return self._pipe.fileno()

    def send(self, item: object) -> None:
        """Sends something to the process; one that has died does not mind, and `receive` tells."""
        with suppress(OSError):
            self._pipe.send(item)

    def receive(self) -> object:
        """The next thing that it has sent, or Ended."""
        try:
            sent = self._pipe.recv()
        except (EOFError, OSError):
            return Ended(_why(self._joined()))
        if not isinstance(sent, _AllSent):
            return sent
        self._joined()
        return Ended()

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._joined()

    def _joined(self) -> int | None:
        self._pipe.close()
        self._process.join()
        return self._process.exitcode


def readable(sources: Iterable[R], seconds: float) -> list[R]:
    """Those that have something to read, as soon as there are any; none after so many seconds."""
    with DefaultSelector() as selector:
        for source in sources:
            selector.register(source, EVENT_READ, source)
        return [key.data for key, _ in selector.select(seconds)]


def _why(exit_code: int | None) -> str:
    said = f"signal {-exit_code}" if exit_code is not None and exit_code < 0 else f"exit code {exit_code}"
    return f"{DIED} ({said}; out of memory?)"


def _log_unraisable(found: sys.UnraisableHookArgs) -> None:
    """A time limit may end while an object is made or dropped: that is no news for the user."""
    _log.info("ignored in %r: %r", found.object, found.exc_value)


def _work(parents: Pipe, pipe: Pipe, task: Task) -> None:
    """What the new process does: signals that are meant for the run as a whole do not reach it."""
    parents.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    sys.unraisablehook = _log_unraisable
    task(pipe)
    pipe.send(_AllSent())
    pipe.close()
