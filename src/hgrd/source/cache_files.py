"""Files of the cache: where they are, how values get into them and out again, and how much room they may take."""

from __future__ import annotations

import gc
import os
import pickle
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PRECOMPILED: Final = "pch"
PROGRAMS: Final = "programs"
VERDICTS: Final = "verdicts"


def default_cache_dir() -> Path:
    """`$XDG_CACHE_HOME/hgrd`, or `~/.cache/hgrd`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "hgrd" if base else Path.home() / ".cache" / "hgrd"


def file_of(key: str, part: str, cache_dir: Path | None) -> Path:
    """The file for a key in a part of the cache; `cache_dir` None: of the user's."""
    return (cache_dir or default_cache_dir()) / part / f"{key}.pickle"


def load(kept: Path) -> object | None:
    """The value in a file; None if there is none that can be read."""
    try:
        with _no_collection():
            found: object = pickle.loads(kept.read_bytes())
        os.utime(kept)
    except Exception:  # whatever a damaged file makes of unpickling: it is as if there were none
        return None
    return found


def store(value: object, kept: Path, room: int) -> None:
    """Puts a value into a file, if that is possible.  Files like it may take `room` bytes, and the oldest have to go.

    Several processes may write the same file: each writes one of its own and renames it.
    """
    try:
        with _no_collection():
            data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as scratch:
            scratch.write(data)
        Path(scratch.name).replace(kept)
        prune(kept.parent, kept.suffix, room)
    except (OSError, RecursionError, pickle.PicklingError):
        return


def prune(directory: Path, suffix: str, room: int) -> None:
    """Forget the files with this suffix used longest ago once they take more than `room` bytes."""
    aged = sorted(((s.st_mtime, s.st_size, p) for p in directory.glob(f"*{suffix}") for s in [p.stat()]), reverse=True)
    for _, size, path in aged:
        room -= size
        if room < 0:
            path.unlink(missing_ok=True)


@contextmanager
def _no_collection() -> Generator[None]:
    """A context without garbage collection, which only costs time while everything made is kept."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
