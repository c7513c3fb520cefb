"""Line of progress on standard error: kept up to date on a terminal, now and then elsewhere."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

from hgrd.engine.run.news import Progress

if TYPE_CHECKING:  # it takes long to load
    from rich.live import Live

_SOON = 1.0  # seconds without a line
_NOW_AND_THEN = 30.0  # seconds between two lines in a file or a pipe


class ProgressLine(Protocol):
    """Shows how far a run is; `hide` makes room for other output."""

    def show(self, progress: Progress, /) -> None: ...
    def hide(self) -> None: ...


@contextmanager
def progress_on(stream: TextIO, *, quiet: bool) -> Generator[ProgressLine]:
    """The line of progress for this stream; gone when the context ends."""
    line = _Silent() if quiet else _Live(stream) if stream.isatty() else _Plain(stream)
    try:
        yield line
    finally:
        line.hide()


def in_words(progress: Progress) -> str:
    """How far a run is: `35 s: 2 of 12 programs, 14 of 60 kernels so far`."""
    programs = f"{progress.programs_done} of {progress.programs} programs, " if progress.programs > 1 else ""
    if not progress.kernels:
        return f"{progress.seconds:.0f} s: {programs}reading the sources"
    known = " so far" if progress.programs_done < progress.programs > 1 else ""
    return f"{progress.seconds:.0f} s: {programs}{progress.kernels_done} of {progress.kernels} kernels{known}"


class _Silent:
    def show(self, _progress: Progress, /) -> None:
        """Nothing."""

    def hide(self) -> None:
        """Nothing."""


class _Plain:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = _NOW_AND_THEN

    def show(self, progress: Progress, /) -> None:
        if progress.seconds >= self._next:
            self._next = progress.seconds + _NOW_AND_THEN
            print(f"hgrd: {in_words(progress)}", file=self._stream, flush=True)

    def hide(self) -> None:
        """A line in a file stays."""


class _Live:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live: Live | None = None

    def show(self, progress: Progress, /) -> None:
        if progress.seconds < _SOON:
            return
        # not at the top: it takes long to load
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            console = Console(file=self._stream, highlight=False)
            self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
            self._live.start()
        self._live.update(Text(in_words(progress), style="dim"), refresh=True)

    def hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
