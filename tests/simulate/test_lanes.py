"""Sets of threads that split and join, and the values they keep."""

import numpy as np

from hgrd.simulate.lockstep.lanes import Lanes, VariableSlot


def everyone(count: int) -> Lanes:
    return Lanes(None, count, np.arange(count, dtype=np.int64))


def test_a_rejoined_split_is_what_was_split():
    whole = everyone(6)
    a, b = whole.split(np.array([1, 0, 1, 0, 0, 1], bool))
    c, d = b.split(np.array([1, 0, 1], bool))
    assert (a.threads.tolist(), c.threads.tolist(), d.threads.tolist()) == ([0, 2, 5], [1, 4], [3])
    assert c.join(d) is b
    assert a.join(d).threads.tolist() == [0, 2, 3, 5]
    assert a.join(d).join(c) is whole


def test_threads_that_leave_one_by_one_do_not_keep_all_that_was():
    staying, left = everyone(100), None
    for _ in range(99):
        going, staying = staying.split(np.arange(staying.count) == 0)
        left = going if left is None else left.join(going)
    assert left is not None
    assert staying.depth <= 9 and left.depth <= 9
    assert left.join(staying).index is None


def test_variables_keep_what_each_lane_stored():
    whole = everyone(5)
    odd, even = whole.split(np.arange(5) % 2 == 1)
    slot = VariableSlot(np.dtype(np.int32), 5)
    slot.store(whole, np.int32(7))
    slot.store(odd, np.int32(1))
    assert slot.load(even).tolist() == [7, 7, 7]
    slot.store(even, np.array([10, 12, 14], np.int32))
    assert slot.load(odd).tolist() == [1, 1]
    assert slot.load(whole).tolist() == [10, 1, 12, 1, 14]


def test_a_variable_does_not_change_what_was_read_from_it():
    whole = everyone(3)
    some = whole.where(np.array([True, False, True]))
    slot, other = VariableSlot(np.dtype(np.int32), 3), VariableSlot(np.dtype(np.int32), 3)
    slot.store(whole, np.array([1, 2, 3], np.int32))
    other.store(whole, slot.load(whole))
    slot.store(some, np.int32(9))
    assert slot.load(whole).tolist() == [9, 2, 9]
    assert other.load(whole).tolist() == [1, 2, 3]
