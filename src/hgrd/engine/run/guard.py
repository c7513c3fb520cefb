"""Guard of a run: a process that ends everything the run has started, however the run ends.

All processes of a run are in the guard's process group: those that analyse, and the compilers that they start.  The
guard waits for the end of a pipe that only the run itself holds open.  So a run that was killed leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress

from msgspec import Struct


class Guard(Struct, frozen=True):
    """Process group of a run, and the folder for its temporary files; `line` is what keeps the guard waiting."""

    group: int
    folder: str
    line: int

    def enrol(self) -> None:
        """Makes the calling process, new and a child of the run, one that ends with the run."""
        os.close(self.line)
        try:
            os.setpgid(0, self.group)
        except OSError:  # the run is over, and the guard gone
            os._exit(1)
        tempfile.tempdir = self.folder


@contextmanager
def guard() -> Generator[Guard]:
    """A guard at work; all that has enrolled, and its files, are gone when the context ends."""
    folder = tempfile.mkdtemp(prefix="hgrd-")
    end, line = os.pipe()
    process = os.fork()
    if process == 0:
        _watch(end, line, folder)
    os.close(end)
    with suppress(OSError):
        os.setpgid(process, process)
    try:
        yield Guard(process, folder, line)
    finally:
        os.close(line)
        os.waitpid(process, 0)


def _watch(end: int, line: int, folder: str) -> None:
    """The life of the guard: until nobody holds the line any more.  Never returns."""
    with suppress(OSError):
        os.setpgid(0, 0)
    os.close(line)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(end, 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)
