"""The access model on traces made by hand: which pairs of sites race, at which levels, and what barriers are for."""

import numpy as np
import pytest

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.program.span import NOWHERE
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.trace import Arrive, MemoryOrder, Touch
from tests.simulate.dynamic import Hand

BLOCK = list(range(64))
SHARED = {"space": Space.SHARED}


def test_all_pairs_and_all_levels():
    trace = Hand(64, 2)
    trace.write(1, [0, 5, 40, 70], [0, 4, 8, 12])
    trace.read(2, [1, 6, 7, 8], [0, 8, 12, 16])
    trace.write(3, [9], [0])
    assert trace.races() == [
        "read 2, write 1; global; warp block grid",
        "read 2, write 3; global; warp",
        "write 1, write 3; global; warp",
    ]


def test_examples_are_threads_that_race():
    trace = Hand(64, 2)
    trace.write(1, [0, 1, 2], [0, 4, 8])
    trace.read(2, [0, 1, 70], [0, 4, 8])
    (race,) = trace.model.races()
    assert [(e.first_thread, e.second_thread, e.memory, e.offset) for e in race.examples] == [(2, 70, 1, 8)]


def test_a_thread_does_not_race_with_itself_and_reads_do_not_race():
    trace = Hand(64)
    trace.write(1, BLOCK, [4 * t for t in BLOCK])
    trace.read(2, BLOCK, [4 * t for t in BLOCK])
    trace.read(3, BLOCK, [1000] * 64)
    assert trace.races() == []


@pytest.mark.parametrize(("offset", "found"), [(3, ["write 1, write 2; global; warp"]), (4, [])])
def test_overlap_is_of_bytes(offset: int, found: list[str]):
    trace = Hand(64)
    trace.write(1, [0], [0], size=4)
    trace.write(2, [1], [offset], size=1)
    assert trace.races() == found


def test_wide_accesses_overlap_with_their_parts():
    trace = Hand(64)
    trace.read(1, [0], [0], size=16)
    trace.write(2, [33], [12], size=4)
    assert trace.races() == ["read 1, write 2; global; block"]


def test_blocks_have_their_own_shared_memory():
    trace = Hand(64, 2)
    trace.write(1, [0, 64], [0, 0], **SHARED)
    trace.write(2, [1], [0], **SHARED)
    assert trace.races() == ["write 1, write 2; shared; warp"]


@pytest.mark.parametrize(
    ("values", "suffix"),
    [([[7, 7], [7]], " (same value)"), ([[7, 7], [8]], ""), ([[7, 8], [7]], "")],
)
def test_two_writes_of_the_same_value(values: list[list[int]], suffix: str):
    trace = Hand(64)
    trace.write(1, [0, 1], [0, 0], values=values[0])
    trace.write(2, [40], [0], values=values[1])
    assert f"write 1, write 2; global; block{suffix}" in trace.races()


def test_an_atomic_that_leaves_the_written_value_still_races():
    trace = Hand(64)
    trace.write(1, [0], [0], values=[7])
    trace.atomic(2, [1], [0], values=[7])
    assert trace.races() == ["atomic 2, write 1; global; warp"]


@pytest.mark.parametrize(
    ("scope", "levels"), [(Scope.WARP, "block grid"), (Scope.BLOCK, "grid"), (Scope.DEVICE, ""), (Scope.SYSTEM, "")]
)
def test_atomics_race_beyond_their_scope(scope: Scope, levels: str):
    trace = Hand(64, 2)
    trace.atomic(1, [0, 1, 40, 70], [0] * 4, scope=scope)
    assert trace.races() == ([f"atomic 1, atomic 1; global; {levels}"] if levels else [])


def test_loads_and_stores_of_atomic_objects_are_atomic():
    trace = Hand(64, 2)
    trace.write(1, [0], [0], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    trace.read(2, [70], [0], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    trace.read(3, [70], [0], order=MemoryOrder.VOLATILE)
    assert trace.races() == ["read 3, write 1; global; grid"]


# ---------------------------------------------------------------- barriers


def test_a_barrier_of_the_block_orders_the_block_and_no_other():
    trace = Hand(64, 2)
    trace.write(1, [0], [0])
    trace.arrive(Scope.BLOCK, BLOCK)
    trace.arrive(Scope.BLOCK, [64 + t for t in BLOCK])
    trace.read(2, [1, 40, 70], [0, 0, 0])
    assert trace.races() == ["read 2, write 1; global; grid"]


def test_a_barrier_of_the_grid_orders_all():
    trace = Hand(64, 2)
    trace.write(1, [0], [0])
    trace.arrive(Scope.DEVICE, list(range(128)))
    trace.read(2, [1, 40, 70], [0, 0, 0])
    assert trace.races() == []


def test_a_barrier_of_the_warp_orders_the_warp():
    trace = Hand(64)
    trace.write(1, [0], [0])
    trace.arrive(Scope.WARP, BLOCK[:32])
    trace.read(2, [1, 40], [0, 0])
    assert trace.races() == ["read 2, write 1; global; block"]


def test_a_barrier_of_some_lanes_orders_these():
    trace = Hand(64)
    trace.write(1, [0], [0])
    trace.arrive(Scope.WARP, [0, 1, 2, 3])
    trace.read(2, [1], [0])
    trace.read(3, [4], [0])
    assert trace.races() == ["read 3, write 1; global; warp"]


def test_barriers_of_lanes_in_a_row_order_by_way_of_those_in_both():
    trace = Hand(64)
    trace.write(1, [0], [0])
    trace.arrive(Scope.WARP, [0, 1])
    trace.arrive(Scope.WARP, [1, 2])
    trace.read(2, [2], [0])
    trace.arrive(Scope.WARP, [3, 0])
    trace.read(3, [0, 3], [0, 0])
    trace.write(4, [2], [8])
    trace.read(5, [0], [8])
    assert trace.races() == ["read 5, write 4; global; warp"]


def test_who_has_left_counts_as_having_arrived():
    trace = Hand(64)
    trace.write(1, [63], [0])
    trace.arrive(Scope.BLOCK, BLOCK[:63], line=9)
    trace.read(2, [0], [0])
    assert (trace.races(), trace.model.divergences) == ([], ())


def test_who_goes_on_without_a_barrier_diverges():
    trace = Hand(64)
    trace.write(1, [62, 63], [0, 4])
    trace.arrive(Scope.BLOCK, BLOCK[:62], line=9)
    trace.read(2, [63], [0])
    (found,) = trace.model.divergences
    assert (found.barrier.line, found.scope, found.unit, found.threads) == (9, Scope.BLOCK, 0, (63,))


def test_which_barriers_are_needed():
    trace = Hand(64, 2)
    both = [*BLOCK, *(64 + t for t in BLOCK)]
    trace.write(1, both, [4 * t for t in both])
    for first in (0, 64):
        trace.arrive(Scope.BLOCK, [first + t for t in BLOCK], line=10)
    trace.read(2, both, [4 * t for t in both])
    for first in (0, 64):
        trace.arrive(Scope.BLOCK, [first + t for t in BLOCK], line=20)
    trace.write(3, [0, 64], [4, 4 * 64])
    found = [(use.span.line, use.scope, use.passed, use.needed) for use in trace.model.barriers()]
    assert found == [(10, Scope.BLOCK, 2, 0), (20, Scope.BLOCK, 2, 1)]


def test_a_barrier_of_the_warp_is_needed_for_lanes_only():
    trace = Hand(64)
    trace.write(1, [0], [0])
    trace.arrive(Scope.WARP, BLOCK[:32], line=10)
    trace.read(2, [40], [0])
    trace.arrive(Scope.WARP, BLOCK[:32], line=20)
    trace.write(3, [0], [8])
    trace.arrive(Scope.WARP, BLOCK[:32], line=30)
    trace.read(4, [1], [8])
    assert [(use.span.line, use.needed) for use in trace.model.barriers()] == [(10, 0), (20, 0), (30, 1)]


# ---------------------------------------------------------------- messages


def message(
    fence: Scope | None = Scope.DEVICE,
    write: Scope = Scope.DEVICE,
    read: Scope = Scope.DEVICE,
    behind: Scope | None = Scope.DEVICE,
    receiver: int = 70,
    order: MemoryOrder = MemoryOrder.RELAXED,
) -> list[str]:
    """Thread 0 writes, fences and sets a flag; another thread sees the flag, fences and reads."""
    trace = Hand(64, 2)
    trace.write(1, [0], [0])
    if fence:
        trace.fence([0], fence)
    trace.write(2, [0], [100], scope=write, order=order)
    trace.read(3, [receiver], [100], scope=read, order=order)
    if behind:
        trace.fence([receiver], behind)
    trace.read(4, [receiver], [0])
    return [race for race in trace.races() if "write 1" in race]


def test_a_message_orders():
    assert message() == []
    assert message(order=MemoryOrder.VOLATILE) == []


@pytest.mark.parametrize(
    "without",
    [
        {"fence": None},
        {"behind": None},
        {"fence": Scope.BLOCK},
        {"behind": Scope.BLOCK},
        {"write": Scope.BLOCK},
        {"read": Scope.BLOCK},
        {"order": MemoryOrder.PLAIN},
    ],
    ids=str,
)
def test_a_message_without_one_of_its_parts_does_not(without: dict[str, object]):
    assert message(**without) == ["read 4, write 1; global; grid"]


def test_within_a_block_the_scope_of_a_block_suffices():
    block = {"fence": Scope.BLOCK, "write": Scope.BLOCK, "read": Scope.BLOCK, "behind": Scope.BLOCK}
    assert message(receiver=40, **block) == []
    assert message(receiver=70, **block) == ["read 4, write 1; global; grid"]


@pytest.mark.parametrize(
    ("write", "read", "found"),
    [
        (MemoryOrder.RELEASE, MemoryOrder.ACQUIRE, []),
        (MemoryOrder.RELAXED, MemoryOrder.ACQUIRE, ["read 4, write 1; global; grid"]),
        (MemoryOrder.RELEASE, MemoryOrder.RELAXED, ["read 4, write 1; global; grid"]),
    ],
)
def test_release_and_acquire(write: MemoryOrder, read: MemoryOrder, found: list[str]):
    trace = Hand(64, 2)
    trace.write(1, [0], [0])
    trace.write(2, [0], [100], scope=Scope.DEVICE, order=write)
    trace.read(3, [70], [100], scope=Scope.DEVICE, order=read)
    trace.read(4, [70], [0])
    assert trace.races() == found


def test_what_comes_after_the_fence_is_not_released():
    trace = Hand(64, 2)
    trace.fence([0])
    trace.write(1, [0], [0])
    trace.atomic(2, [0], [100])
    trace.atomic(3, [70], [100])
    trace.fence([70])
    trace.read(4, [70], [0])
    assert trace.races() == ["read 4, write 1; global; grid"]


@pytest.mark.parametrize("atomically", [True, False])
def test_a_chain_of_atomics_hands_on_what_a_write_cuts_off(atomically: bool):
    trace = Hand(64, 3)
    trace.write(1, [0], [0])
    trace.fence([0])
    trace.atomic(2, [0], [100])
    if atomically:
        trace.atomic(3, [70], [100])
    else:
        trace.write(3, [70], [100], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    trace.atomic(4, [130], [100])
    trace.fence([130])
    trace.read(5, [130], [0])
    assert trace.races() == ([] if atomically else ["read 5, write 1; global; grid"])


def test_a_message_carries_what_barriers_have_gathered():
    """The barrier of two levels: blocks by barriers, one thread of each by messages."""
    trace = Hand(64, 2)
    trace.write(1, BLOCK, [4 * t for t in BLOCK])
    trace.arrive(Scope.BLOCK, BLOCK)
    trace.fence([0])
    trace.atomic(2, [0], [1000])
    trace.atomic(3, [64], [1000])
    trace.fence([64])
    trace.read(4, [100], [4])
    trace.arrive(Scope.BLOCK, [64 + t for t in BLOCK])
    trace.read(5, [64 + t for t in BLOCK], [4 * t for t in BLOCK])
    trace.write(6, [3], [8])
    assert trace.races() == ["read 4, write 1; global; grid", "read 5, write 6; global; grid"]


def test_locks_order_their_critical_sections():
    trace = Hand(64, 2)
    for thread in (0, 70, 1):
        trace.atomic(1, [thread], [100])
        trace.fence([thread])
        trace.read(2, [thread], [0])
        trace.write(3, [thread], [0])
        trace.fence([thread])
        trace.atomic(4, [thread], [100])
    assert trace.races() == []


def test_locks_without_the_fence_before_the_release_do_not():
    trace = Hand(64, 2)
    for thread in (0, 70):
        trace.atomic(1, [thread], [100])
        trace.fence([thread])
        trace.write(2, [thread], [0])
        trace.atomic(3, [thread], [100])
    assert trace.races() == ["write 2, write 2; global; grid"]


def test_many_rows_are_compacted_without_loss():
    trace = Hand(64)
    for _ in range(3):
        trace.write(1, BLOCK, [4 * t for t in BLOCK])
        trace.read(2, BLOCK, [4 * (t + 1) for t in BLOCK])
    before = trace.model.bytes_held()
    assert trace.races() == ["read 2, write 1; global; warp block"]
    assert trace.model.bytes_held() < before / 2


def test_an_empty_trace():
    trace = Hand(64)
    assert (trace.races(), trace.model.barriers(), trace.model.divergences) == ([], (), ())
    trace.read(1, [], [])
    assert trace.races() == []


def test_offsets_may_be_any_numbers():
    trace = Hand(1024, 4)
    threads = np.arange(4096)
    trace.write(1, threads.tolist(), (threads * 4 + (1 << 38)).tolist())
    trace.read(2, [0], [(1 << 38) + 4 * 4095])
    assert trace.races() == ["read 2, write 1; global; grid"]


def test_of_some_threads_alone():
    """All threads make the order, but only two are looked at."""
    model = AccessModel(LaunchShape(64, 1), only=(1, 2))
    for number, offset in enumerate((0, 0, 4)):
        threads = np.arange(64)
        model.touch(
            Touch(
                number,
                1,
                Space.GLOBAL,
                threads,
                np.full(64, offset),
                4,
                AccessKind.WRITE,
                None,
                MemoryOrder.PLAIN,
                threads,
            )
        )
        model.arrive(Arrive(Scope.BLOCK, threads, NOWHERE))
    found = [(r.first, r.second, [(e.first_thread, e.second_thread) for e in r.examples]) for r in model.races()]
    assert found == [(0, 0, [(1, 2)]), (1, 1, [(1, 2)]), (2, 2, [(1, 2)])]
    assert model.made() == {(1, 0), (2, 0), (1, 1), (2, 1), (1, 2), (2, 2)}
    assert sum(len(part) for part in model._parts) == 6


@pytest.mark.parametrize(("order", "races"), [(StdMemoryOrder.SEQ_CST, 0), (StdMemoryOrder.ACQ_REL, 1)])
@pytest.mark.parametrize("waits", [False, True])
def test_fences_of_others_order_through_barriers(order: StdMemoryOrder, races: int, waits: bool):
    trace = Hand(64, 2)
    trace.write(1, [5], [0])
    trace.fence([5], order=order)
    trace.arrive(Scope.BLOCK, range(64), 2)
    trace.write(3, [0], [100], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    trace.read(4, [64], [100], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    if waits:
        trace.arrive(Scope.BLOCK, range(64, 128), 5)
    trace.fence([70 if waits else 64], order=order)
    trace.read(6, [70 if waits else 64], [0])
    assert len([race for race in trace.races() if "write 1" in race]) == races


def test_fences_of_others_order_nothing_without_a_barrier():
    trace = Hand(64, 2)
    trace.write(1, [5], [0])
    trace.fence([5])
    trace.write(3, [0], [100], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    trace.read(4, [64], [100], scope=Scope.DEVICE, order=MemoryOrder.RELAXED)
    trace.fence([64])
    trace.read(6, [64], [0])
    assert len([race for race in trace.races() if "write 1" in race]) == 1
