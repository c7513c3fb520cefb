"""Sets of threads that run together, and variables with one value per thread.

A frame is one activation of a function by some threads of a batch; its members are numbered from 0.  Lanes
are some of the members of a frame, in the order of their threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.simulate.lockstep.arithmetic import DType, Value, uniform

Indexes = NDArray[np.intp]
_DEEPEST = 8  # of origins that are remembered: threads may leave a loop one by one


class Lanes(Struct, eq=False):
    """Lanes of a frame: `index` are the members (None: all `count` of them); `origin` is the set they were split from.

    Two Lanes of the same threads may be different objects; joining the parts of a split gives back its origin, so that
    values stored for it are found again.  `threads` are numbers in the batch.
    """

    index: Indexes | None
    count: int
    threads: NDArray[np.int64]
    origin: Lanes | None = None
    depth: int = 0  # how many origins there are
    derived: dict[str, Any] = field(default_factory=dict[str, Any])  # built-in variables and the like

    def split(self, mask: NDArray[np.bool_]) -> tuple[Lanes, Lanes]:
        """The lanes where `mask` holds, and the others."""
        return self.where(mask), self.where(~mask)

    def where(self, mask: NDArray[np.bool_]) -> Lanes:
        chosen = np.flatnonzero(mask)
        return self.at(chosen)

    def at(self, positions: Indexes) -> Lanes:
        """Some of these lanes, by ascending position."""
        index = positions if self.index is None else self.index[positions]
        origin = self if self.depth < _DEEPEST else self.origin
        return Lanes(index, len(positions), self.threads[positions], origin, _depth(origin))

    def join(self, other: Lanes) -> Lanes:
        """The union with disjoint lanes of the same frame."""
        total = self.count + other.count
        mine = set(map(id, _ancestors(self)))
        common = next((a for a in _ancestors(other) if id(a) in mine), None)
        while common is not None and common.count < total:
            common = common.origin
        if common is not None and common.count == total:
            return common
        assert self.index is not None and other.index is not None
        index = np.concatenate((self.index, other.index))
        order = np.argsort(index, kind="stable")
        threads = np.concatenate((self.threads, other.threads))
        return Lanes(index[order], total, threads[order], common, _depth(common))


def _depth(origin: Lanes | None) -> int:
    return 0 if origin is None else origin.depth + 1


def _ancestors(lanes: Lanes) -> list[Lanes]:
    """The lanes and their origins, from the lanes themselves outwards."""
    found: list[Lanes] = []
    at: Lanes | None = lanes
    while at is not None:
        found.append(at)
        at = at.origin
    return found


class VariableSlot(Struct, eq=False):
    """A variable of a frame: one value per member.

    The value of the lanes that used it last is stored separately (`latest`, of the lanes `holder`), as one
    number if it is the same for all; when other lanes use the variable, it goes to `rest` if it is `dirty`.
    `owned`: there is no other reference to the array `rest`.
    """

    dtype: DType | None  # None: records, as rows of bytes
    members: int
    width: int = 0  # of records
    rest: Value = None
    owned: bool = False
    holder: Lanes | None = None
    latest: Value = None
    dirty: bool = False

    def load(self, lanes: Lanes) -> Value:
        if self.holder is lanes:
            return self.latest
        self._settle()
        rest = self.rest
        if rest is None:
            rest = self.rest = self._nothing()
        if lanes.index is None or uniform(rest):
            value = rest
            self.owned = False
        else:
            value = rest[lanes.index]
        self.holder, self.latest, self.dirty = lanes, value, False
        return value

    def store(self, lanes: Lanes, value: Value) -> None:
        """Sets the value of the lanes; the caller must not change `value` afterwards."""
        if self.holder is not lanes:
            self._settle()
            self.holder = lanes
        self.latest, self.dirty = value, True

    def _settle(self) -> None:
        holder, latest = self.holder, self.latest
        self.holder = self.latest = None
        if holder is None or not self.dirty:
            return
        if holder.index is None:
            self.rest, self.owned = latest, False
            return
        if not self.owned or uniform(self.rest):
            self.rest, self.owned = self._whole(), True
        self.rest[holder.index] = latest

    def _nothing(self) -> Value:
        return np.zeros((self.members, self.width), np.uint8) if self.dtype is None else self.dtype.type(0)

    def _whole(self) -> NDArray[Any]:
        rest: Value = self.rest if self.rest is not None else self._nothing()
        return np.full(self.members, rest, self.dtype) if uniform(rest) else rest.copy()
