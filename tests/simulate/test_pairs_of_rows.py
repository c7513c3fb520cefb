"""Pairs of rows of one group: all of them, once, a bounded number at a time."""

import numpy as np
import pytest

from hgrd.simulate.detectors.overlaps import pairs_within


@pytest.mark.parametrize("most", [1, 4, 30, 1 << 20])
@pytest.mark.parametrize("groups", [[], [3], [0, 1, 2], [5, 1, 5, 5, 2, 1, 5], [7] * 12 + [1] * 3 + [2]])
def test_all_pairs_once(groups: list[int], most: int) -> None:
    found = [
        frozenset(pair)
        for left, right in pairs_within(np.array(groups, np.int64), most)
        for pair in zip(left.tolist(), right.tolist(), strict=True)
    ]
    wanted = {frozenset((i, j)) for i in range(len(groups)) for j in range(i) if groups[i] == groups[j]}
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_some_at_a_time() -> None:
    """A group of 3000 rows has 4.5 million pairs."""
    sizes = [len(left) for left, _ in pairs_within(np.zeros(3000, np.int64), 1 << 16)]
    assert sum(sizes) == 3000 * 2999 // 2
    assert max(sizes) <= 1 << 16
