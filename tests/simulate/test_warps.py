"""Shuffles, votes, groups and atomics."""

from pathlib import Path

import numpy as np
import pytest

from hgrd.simulate.launch import Finished, NotSupported, RunOutcome
from hgrd.simulate.lockstep.device.atomics import Turns
from tests.simulate.running import compiled, launch, run
from tests.simulate.test_interleaving import computed


def lanes(folder: Path, expression: str, threads: int = 64, prelude: str = "") -> list[int]:
    """The value of an expression of `t`, the thread, and `v` = 100 + t in all threads of a block."""
    text = f"""#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void k(int *out) {{ int t = threadIdx.x, v = 100 + t; {prelude} out[t] = {expression}; }}"""
    out = np.zeros(threads, np.int32)
    run(folder, text, 1, threads, out)
    return out.tolist()


def test_shuffles(tmp_path: Path):
    t = range(64)
    assert lanes(tmp_path, "__shfl_sync(~0u, v, 3)") == [100 + i // 32 * 32 + 3 for i in t]
    assert lanes(tmp_path, "__shfl_sync(~0u, v, 5, 8)") == [100 + i // 8 * 8 + 5 for i in t]
    assert lanes(tmp_path, "__shfl_up_sync(~0u, v, 1)") == [100 + (i if i % 32 == 0 else i - 1) for i in t]
    assert lanes(tmp_path, "__shfl_down_sync(~0u, v, 2, 16)") == [100 + (i if i % 16 > 13 else i + 2) for i in t]
    assert lanes(tmp_path, "__shfl_xor_sync(~0u, v, 1)") == [100 + (i ^ 1) for i in t]
    assert lanes(tmp_path, "t < 16 ? __shfl_sync(0xffff, v, 2) : 0") == [102 if i < 16 else 0 for i in t]


def test_votes(tmp_path: Path):
    t = range(64)
    assert lanes(tmp_path, "__ballot_sync(~0u, t % 3 == 0) & 0xff") == [0b01001001] * 32 + [0b10010010] * 32
    assert lanes(tmp_path, "__any_sync(~0u, t == 40)") == [0] * 32 + [1] * 32
    assert lanes(tmp_path, "__all_sync(~0u, t != 40)") == [1] * 32 + [0] * 32
    assert lanes(tmp_path, "__uni_sync(~0u, t >= 40)") == [1] * 32 + [0] * 32
    assert lanes(tmp_path, "__uni_sync(~0u, t >= 40)") == [1] * 32 + [0] * 32
    assert lanes(tmp_path, "t % 2 ? __popc(__activemask()) : 0") == [16 * (i % 2) for i in t]
    assert lanes(tmp_path, "__syncthreads_count(t < 40)") == [40] * 64
    assert lanes(tmp_path, "__reduce_add_sync(~0u, t)") == [sum(range(32))] * 32 + [sum(range(32, 64))] * 32
    assert lanes(tmp_path, "__popc(__match_any_sync(~0u, t % 4))") == [8] * 64


def test_scans(tmp_path: Path):
    t, tile = range(64), "cg::tiled_partition<8>(cg::this_thread_block())"
    assert lanes(tmp_path, f"cg::inclusive_scan({tile}, t)") == [sum(range(i // 8 * 8, i + 1)) for i in t]
    assert lanes(tmp_path, f"cg::exclusive_scan({tile}, t)") == [sum(range(i // 8 * 8, i)) for i in t]
    greatest = [max(j ^ 5 for j in range(i // 8 * 8, i + 1)) for i in t]
    assert lanes(tmp_path, f"cg::inclusive_scan({tile}, t ^ 5, cg::greater<int>())") == greatest
    odd = "t % 2 ? cg::exclusive_scan(cg::coalesced_threads(), v) : 0"
    assert lanes(tmp_path, odd) == [sum(100 + j for j in range(i // 32 * 32 + 1, i, 2)) if i % 2 else 0 for i in t]


EXCHANGES = {
    "__uni_sync(~0u, t >= 40)": [1] * 32 + [0] * 32,
    "__match_any_sync(~0u, t / 16) & 0xff": ([0xFF] * 16 + [0] * 16) * 2,
    "(v = __match_all_sync(~0u, t / 40, &p), v + 10 * p)": [9] * 32 + [0] * 32,
    "(v = __match_all_sync(~0u, t % 2, &p), v + 10 * p)": [0] * 64,
    "(int)__reduce_max_sync(~0u, t ^ 5)": [31] * 32 + [63] * 32,
    "__fns(0x2c, t % 32, 1) % 32": ([2] * 3 + [3] + [5] * 2 + [31] * 26) * 2,
    "__fns(0x2c, t % 32, -2) % 32": ([31] * 3 + [2] * 2 + [3] * 27) * 2,
    "__fns(0x2c, t % 32, 0) % 32": ([31, 31, 2, 3, 31, 5] + [31] * 26) * 2,
}


@pytest.mark.parametrize("expression", EXCHANGES)
def test_both_executors_give_the_same(tmp_path: Path, expression: str):
    prelude = "int p = 7;"
    assert lanes(tmp_path, expression, prelude=prelude) == EXCHANGES[expression]
    text = f"__global__ void k(int *out) {{ int t = threadIdx.x, v; {prelude} out[t] = {expression}; }}"
    assert computed(tmp_path, text, 1, 64, np.zeros(64, np.int32)) == EXCHANGES[expression]


def test_cooperative_groups(tmp_path: Path):
    t = range(64)
    tile = "cg::thread_block b = cg::this_thread_block(); auto w = cg::tiled_partition<8>(b);"
    assert lanes(tmp_path, "w.shfl(v, 2)", prelude=tile) == [100 + i // 8 * 8 + 2 for i in t]
    assert lanes(tmp_path, "w.thread_rank() + 10 * w.meta_group_rank()", prelude=tile) == [
        i % 8 + i // 8 * 10 for i in t
    ]
    assert lanes(tmp_path, "w.ballot(t % 2)", prelude=tile) == [0b10101010] * 64
    assert lanes(tmp_path, "b.size() + b.thread_rank()", prelude=tile) == [64 + i for i in t]
    active = "int r = 0; if (t % 3 == 0) { auto a = cg::coalesced_threads(); r = a.thread_rank() * 100 + a.size(); }"
    counts = [11] * 32 + [11] * 32
    ranks = [sum(j % 3 == 0 for j in range(i // 32 * 32, i)) for i in t]
    assert lanes(tmp_path, "r", prelude=active) == [ranks[i] * 100 + counts[i] if i % 3 == 0 else 0 for i in t]


@pytest.mark.parametrize(
    ("does", "end"), [("tile.sync();", Finished), ("cg::memcpy_async(tile, out, in, 4);", NotSupported)]
)
def test_what_a_tile_cannot_do_is_not_left_out(tmp_path: Path, does: str, end: type[RunOutcome]):
    text = f"""#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void k(int *out, const int *in) {{
      auto tile = cg::tiled_partition<8>(cg::this_thread_block());
      {does}
    }}"""
    assert isinstance(launch(compiled(tmp_path, text), 1, 32, np.zeros(1, np.int32), np.ones(1, np.int32)), end)


@pytest.mark.parametrize("parts", ["cg::binary_partition(w, t % 3 == 0)", "cg::labeled_partition(w, t % 3 == 0)"])
def test_partitions_by_a_value(tmp_path: Path, parts: str):
    prelude = f"auto w = cg::tiled_partition<16>(cg::this_thread_block()); auto g = {parts};"

    def alike(i: int) -> list[int]:
        return [j for j in range(i // 16 * 16, i // 16 * 16 + 16) if (j % 3 == 0) == (i % 3 == 0)]

    assert lanes(tmp_path, "g.thread_rank() * 100 + g.size()", prelude=prelude) == [
        alike(i).index(i) * 100 + len(alike(i)) for i in range(64)
    ]


OPERATIONS = {
    "add": lambda old, v: old + v,
    "sub": lambda old, v: old - v,
    "min": min,
    "max": max,
    "and": lambda old, v: old & v,
    "or": lambda old, v: old | v,
    "xor": lambda old, v: old ^ v,
    "exch": lambda old, v: v,
    "inc": lambda old, v: 0 if old >= v else old + 1,
    "dec": lambda old, v: v if old == 0 or old > v else old - 1,
}


@pytest.mark.parametrize("limits", ["many", "one"])
@pytest.mark.parametrize("addresses", [1, 3, 40])
@pytest.mark.parametrize("name", OPERATIONS)
def test_atomics_take_turns(name: str, addresses: int, limits: str):
    """Against one thread after the other."""
    random = np.random.default_rng(addresses)
    where = np.sort(random.integers(0, addresses, 60))
    values = random.integers(1, 9, 60).astype(np.uint32) if limits == "many" else np.full(60, 5, np.uint32)
    cells = random.integers(0, 12, addresses).astype(np.uint32)
    held, before, after = cells.astype(object).tolist(), [], []
    for a, v in zip(where, values.tolist(), strict=True):
        before.append(held[a])
        held[a] = OPERATIONS[name](held[a], v) % (1 << 32)
        after.append(held[a])
    starts = np.flatnonzero(np.diff(where, prepend=-1))
    found = Turns(where, starts, cells).run(name, [values])
    assert [x.tolist() for x in found] == [before, after]


def test_compare_and_swap_takes_turns():
    random = np.random.default_rng(1)
    where = np.sort(random.integers(0, 4, 80))
    compare, value = random.integers(0, 3, (2, 80)).astype(np.int32)
    cells = np.zeros(4, np.int32)
    held, before, after = [0] * 4, [], []
    for a, c, v in zip(where, compare.tolist(), value.tolist(), strict=True):
        before.append(held[a])
        held[a] = v if held[a] == c else held[a]
        after.append(held[a])
    found = Turns(where, np.flatnonzero(np.diff(where, prepend=-1)), cells).run("cas", [compare, value])
    assert [x.tolist() for x in found] == [before, after]


def test_float_atomics_round_in_the_order_of_the_threads(tmp_path: Path):
    x = np.random.default_rng(2).random(300, np.float32) * 1000
    out = np.zeros(1, np.float32)
    run(tmp_path, "__global__ void k(const float *x, float *s) { atomicAdd(s, x[threadIdx.x]); }", 1, 300, x, out)
    total = np.float32(0)
    for v in x:
        total += v
    assert out[0] == total
