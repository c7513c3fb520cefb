"""Slots for processes that work: so many as the user allows, shared by all processes of a run.

As in make's job server: a slot is a byte in a pipe, and whoever reads it has the slot until the byte is put back.
"""

from __future__ import annotations

import os


class Slots:
    """Free slots; `fileno()` is readable while there are any.  Forked processes share them."""

    def __init__(self, number: int) -> None:
        self._out, self._in = os.pipe()
        os.set_blocking(self._out, False)
        self.put_back(number)

    def fileno(self) -> int:
        return self._out

    def take(self) -> bool:
        """Whether there was a free slot: the caller has it now."""
        try:
            return bool(os.read(self._out, 1))
        except BlockingIOError:
            return False

    def put_back(self, number: int = 1) -> None:
        os.write(self._in, b"." * number)

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)
