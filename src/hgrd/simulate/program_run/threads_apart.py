"""Threads apart: whether no thread of a launch uses what another one stores, in whatever order they go.

That is so where each byte of global memory that a thread stores is its own; barriers are not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.simulate.trace import Touch

_NOBODY: Final = -1
_SEVERAL: Final = -2
_MOST_BYTES: Final = 1 << 28

Threads = NDArray[np.int64]


def are_threads_apart(touches: Sequence[Touch]) -> bool:
    """Whether these accesses, which are all of a launch in global memory, are of threads that are apart."""
    by_object: dict[int, list[Touch]] = defaultdict(list)
    for touch in touches:
        if len(touch.threads):
            by_object[touch.memory].append(touch)
    return all(map(_are_apart, by_object.values()))


def _are_apart(touches: Sequence[Touch]) -> bool:
    """Whether the accesses of one object are."""
    unit = gcd(*(t.size for t in touches))
    if any((t.offsets % unit).any() for t in touches):
        unit = 1
    count = max(int(t.offsets.max()) + t.size for t in touches) // unit + 1
    if count > _MOST_BYTES:
        return False
    stores, updates = np.full(count, _NOBODY), np.full(count, _NOBODY)
    for touch in touches:
        for at in _units(touch, unit) if touch.kind is not AccessKind.READ else ():
            if _is_update(touch):
                others = updates[at] != _NOBODY
                updates[at] = np.where(others & (updates[at] != touch.threads), _SEVERAL, touch.threads)
                updates[at[updates[at] != touch.threads]] = _SEVERAL
            elif _is_of_others(stores[at], touch.threads):
                return False
            else:
                stores[at] = touch.threads
                if (stores[at] != touch.threads).any():  # two threads at once
                    return False
    return not any(
        _is_of_others(stores[at], touch.threads)
        or (not _is_update(touch) and _is_of_others(updates[at], touch.threads))
        for touch in touches
        for at in _units(touch, unit)
    )


def _units(touch: Touch, unit: int) -> Iterator[NDArray[np.int64]]:
    """The parts of what an event touches, in units."""
    for part in range(touch.size // unit):
        yield touch.offsets // unit + part


def _is_update(touch: Touch) -> bool:
    """Whether it is an atomic operation for all threads of the device."""
    return touch.kind is AccessKind.ATOMIC and touch.scope in (Scope.DEVICE, Scope.SYSTEM)


def _is_of_others(used: Threads, threads: Threads) -> bool:
    return bool(((used != _NOBODY) & (used != threads)).any())
