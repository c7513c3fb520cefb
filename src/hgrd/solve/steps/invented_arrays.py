"""Invented array contents for launches: the same on numpy columns and on integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from hgrd.solve.problem import Contents
from hgrd.solve.steps.vectors import Column, ColumnReads

PATTERNS: Final = 4  # scattered small values; the index itself; zeros; ones


def column_reads(pattern: int, arrays: Mapping[str, int]) -> ColumnReads:
    """Contents by pattern; `arrays` numbers the arrays."""

    def look(array: str, index: list[Column]) -> Column:
        if pattern == 1 and index:
            return index[0]
        if pattern:
            return np.asarray(max(pattern - 2, 0), dtype=np.int64)
        h: Column = np.asarray(arrays[array], dtype=np.int64)
        for x in index:
            h = ((h * 31 + (x & 0xFFFFFF)) * 0x9E3779B1) & 0x7FFFFFFF
            h = h ^ (h >> 13)
        return h % 24

    return look


def scalar_reads(pattern: int, arrays: Mapping[str, int]) -> Contents:
    """`column_reads` on integers."""

    def look(array: str, index: tuple[int, ...]) -> int:
        if pattern == 1 and index:
            return index[0]
        if pattern:
            return max(pattern - 2, 0)
        h = arrays[array]
        for x in index:
            h = ((h * 31 + (x & 0xFFFFFF)) * 0x9E3779B1) & 0x7FFFFFFF
            h = h ^ (h >> 13)
        return h % 24

    return look
