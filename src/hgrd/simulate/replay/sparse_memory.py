"""Memory of unknown size: objects that a witness will hardly leave, of which only what is used exists."""

from __future__ import annotations

import mmap
import sys

import numpy as np
from numpy.typing import NDArray

_SIZES = (1 << 36, 1 << 32, 1 << 28)  # the largest that the system gives
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0  # MAP_NORESERVE, mmap(2): the pages need not exist


def vast() -> NDArray[np.uint8]:
    """A great many zero bytes.  The system makes pages of them when they are first touched."""
    for size in _SIZES:
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            return np.frombuffer(mmap.mmap(-1, size, flags=flags), np.uint8)
        except (OSError, ValueError, OverflowError):
            continue
    return np.zeros(_SIZES[-1], np.uint8)
