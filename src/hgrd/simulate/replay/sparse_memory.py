"""Sparse memory for objects of unknown size: so large that a witness rarely leaves them; only used pages exist."""

from __future__ import annotations

import mmap
import sys

import numpy as np
from numpy.typing import NDArray

_SIZES = (1 << 36, 1 << 32, 1 << 28)  # the largest one that the system grants is used
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0  # MAP_NORESERVE, mmap(2): the pages need not exist


def sparse_bytes() -> NDArray[np.uint8]:
    """A very large array of zero bytes; the system allocates its pages at their first use."""
    for size in _SIZES:
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            return np.frombuffer(mmap.mmap(-1, size, flags=flags), np.uint8)
        except (OSError, ValueError, OverflowError):
            continue
    return np.zeros(_SIZES[-1], np.uint8)
