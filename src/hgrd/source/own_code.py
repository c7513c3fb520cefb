"""Identity of our own code: what is kept in the cache was made by the same code as that which asks for it."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import hgrd


@cache
def own_code(room: str = "") -> str:
    """A text that changes with the version, with the place and with each file of a room, or of all.

    Files are the same while their sizes and times of change are: reading them takes longer than a small program.
    """
    top = Path(hgrd.__file__).parent / room
    digest = hashlib.sha256(f"{hgrd.__version__}\0{top}".encode("utf-8", "surrogateescape"))
    pending = [str(top)]
    while pending:
        with os.scandir(pending.pop()) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        pending += [entry.path for entry in entries if entry.is_dir() and entry.name != "__pycache__"]
        for entry in entries:
            if entry.is_file():
                state = entry.stat()
                told = f"{entry.path}\0{state.st_size}\0{state.st_mtime_ns}\0"
                digest.update(told.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
