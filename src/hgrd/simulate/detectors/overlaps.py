"""Overlaps of accesses in a trace, computed by sorting, without loops over threads.

An access is a row of a table.  Rows are cut into *grains*, the largest blocks of bytes that no access to
their object touches in part, so that two accesses overlap exactly where they have a grain in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
_MOST = 1 << 62
_WORD = 8


class Rows(Struct, frozen=True):
    """Accesses, one entry each; `kind` numbers the kinds that the caller distinguishes, `copy` the copy of the object.

    `value` is what was written, as the little-endian number of its bytes, where `known`.  Columns can be
    broadcasts of one number.
    """

    kind: Ints
    memory: Ints
    copy: Ints
    offset: Ints
    size: Ints
    thread: Ints
    grid: Ints
    block: Ints
    warp: Ints
    segment: Ints
    clock: Ints
    value: Ints
    known: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, index: Ints | Bools) -> Rows:
        return Rows(*(column[index] for column in self.columns()))

    def nbytes(self) -> int:
        return sum(column.itemsize if 0 in column.strides else column.nbytes for column in self.columns())

    def columns(self) -> list[Ints]:
        return [getattr(self, name) for name in self.__struct_fields__]

    def distinct(self) -> Rows:
        """The rows without duplicates."""
        if not len(self):
            return self
        _, index = np.unique(numbered(*self.columns()), return_index=True)
        return self.take(index)


def concatenated(parts: Sequence[Rows]) -> Rows:
    columns = zip(*(part.columns() for part in parts), strict=True)
    return Rows(*(np.concatenate(column) for column in columns)) if parts else Rows(*[np.zeros(0, np.int64)] * 13)


def numbered(*columns: Ints) -> Ints:
    """Numbers of rows: two rows have one number exactly if they are equal, and numbers are ordered as the rows."""
    total, width = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        if not len(column):
            return total
        low, high = int(column.min()), int(column.max())
        if low == high:
            continue
        if high - low >= _MOST // width:
            total, width = _ranks(total)
        if high - low >= _MOST // width:
            column, high = _ranks(column)
            low, high = 0, high - 1
        total = total * (high - low + 1) + (column - low)
        width *= high - low + 1
    return total


def _ranks(column: Ints) -> tuple[Ints, int]:
    values, inverse = np.unique(column, return_inverse=True)
    return inverse.astype(np.int64), len(values)


def in_grains(rows: Rows) -> Rows:
    """The rows cut into grains: afterwards accesses overlap exactly if they have memory, copy and offset in common."""
    grain = np.zeros(len(rows), np.int64)
    for memory in np.unique(rows.memory).tolist():
        here = rows.memory == memory
        grain[here] = np.gcd(np.gcd.reduce(np.concatenate((rows.offset[here], rows.size[here]))), _WORD)
    if (grain == rows.size).all():
        return rows.distinct()
    times = rows.size // np.maximum(grain, 1)
    index = np.repeat(np.arange(len(rows)), times)
    part = np.arange(len(index)) - np.repeat(np.cumsum(times) - times, times)
    cut = rows.take(index)
    grain = grain[index]
    behind = part * grain
    value = (cut.value.view(np.uint64) >> (8 * np.minimum(behind, _WORD - 1)).astype(np.uint64)).view(np.int64)
    narrow = grain < _WORD
    value[narrow] &= (np.int64(1) << (8 * grain[narrow])) - 1
    known = cut.known * (behind < _WORD)
    return Rows(
        cut.kind, cut.memory, cut.copy, cut.offset + behind, grain, cut.thread,
        cut.grid, cut.block, cut.warp, cut.segment, cut.clock, value * known, known,
    ).distinct()  # fmt: skip


# ---------------------------------------------------------------- meetings


class Meetings(Struct, frozen=True):
    """Pairs of kinds that meet in some group, at two different parties: indexes of an example's two rows.

    `same`: the two wrote the same value.
    """

    group: Ints
    first_kind: Ints
    second_kind: Ints
    first_row: Ints
    second_row: Ints
    same: Bools


def meetings(groups: Ints, kinds: Ints, parties: Ints, rows: Rows, allowed: Bools) -> Meetings:
    """Meetings: for every group the pairs of kinds (`allowed` is a symmetric table) of two different parties in it.

    Two kinds meet exactly if their parties together are more than one, so the least and the greatest
    party of a kind in a group suffice; no pair of rows needs to be compared.
    """
    order = np.lexsort((parties, kinds, groups))
    group, kind, party = groups[order], kinds[order], parties[order]
    starts = np.flatnonzero(np.r_[True, (group[1:] != group[:-1]) | (kind[1:] != kind[:-1])][: len(group)])
    if not len(starts):
        nothing = np.zeros(0, np.int64)
        return Meetings(nothing, nothing, nothing, nothing, nothing, nothing.astype(np.bool_))
    ends = np.r_[starts[1:], len(group)] - 1
    value, known = rows.value[order], rows.known[order]
    least, greatest = np.minimum.reduceat(value, starts), np.maximum.reduceat(value, starts)
    one_value = (least == greatest) & (np.minimum.reduceat(known, starts) > 0)
    group, kind, low, high = group[starts], kind[starts], party[starts], party[ends]
    left, right = _within(group)
    wanted = allowed[kind[left], kind[right]]
    left, right = left[wanted], right[wanted]
    met = (low[left] != high[right]) | (high[left] != low[right])
    left, right = left[met], right[met]
    outward = low[left] != high[right]
    return Meetings(
        group[left],
        kind[left],
        kind[right],
        order[np.where(outward, starts[left], ends[left])],
        order[np.where(outward, ends[right], starts[right])],
        one_value[left] & one_value[right] & (least[left] == least[right]),
    )


def _within(group: Ints) -> tuple[Ints, Ints]:
    """All index pairs (i, j), i <= j, of equal groups; `group` is sorted."""
    ends = np.searchsorted(group, group, side="right")
    count = ends - np.arange(len(group))
    left = np.repeat(np.arange(len(group)), count)
    return left, left + np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)


def pairs_within(groups: Ints, most: int = 1 << 20) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of different rows of one group, about `most` pairs at a time; those of large groups come last."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.r_[True, groups[order][1:] != groups[order][:-1]][: len(groups)])
    sizes = np.diff(np.r_[starts, len(groups)])
    large = sizes * sizes > most
    small = order[np.repeat(~large, sizes)]
    squares = np.cumsum(sizes[~large] * sizes[~large]) // most
    ends = np.cumsum(sizes[~large])
    cuts = [0, *ends[np.flatnonzero(squares[1:] != squares[:-1])].tolist(), len(small)]
    for begin, end in pairwise(cuts):
        left, right = _within(groups[small[begin:end]])
        apart = left != right
        yield small[begin + left[apart]], small[begin + right[apart]]
    for begin, size in zip(starts[large].tolist(), sizes[large].tolist(), strict=True):
        yield from _in_slices(order[begin : begin + size], max(most // size, 1))


def _in_slices(rows: Ints, height: int) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of different rows, so many of the rows at a time with those behind them."""
    for begin in range(0, len(rows), height):
        own, others = np.arange(begin, min(begin + height, len(rows))), np.arange(begin, len(rows))
        left, right = (side.ravel() for side in np.meshgrid(own, others, indexing="ij"))
        apart = left < right
        yield rows[left[apart]], rows[right[apart]]
