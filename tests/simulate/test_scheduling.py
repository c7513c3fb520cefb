"""Barriers, divergence, spinning threads, bounds, fuel."""

from pathlib import Path

import numpy as np
import pytest

from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import execute
from hgrd.simulate.launch import (
    ConcreteLaunch,
    Finished,
    NotSupported,
    OutOfBounds,
    OutOfFuel,
    RunOutcome,
    StuckAtBarrier,
    Trapped,
)
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Recorded
from tests.simulate.running import compiled, launch


def outcome(folder: Path, text: str, grid: object, block: object, *arguments: object, **options: object) -> RunOutcome:
    return launch(compiled(folder, text), grid, block, *arguments, **options)


# ---------------------------------------------------------------- barriers


def test_a_barrier_that_some_threads_do_not_reach(tmp_path: Path):
    text = """
    __global__ void k(int *a) {
      if (threadIdx.x < 3) __syncthreads();
      else a[threadIdx.x] = 1;
      __syncthreads();
    }"""
    found = outcome(tmp_path, text, 1, 6, np.zeros(6, np.int32))
    assert isinstance(found, StuckAtBarrier)
    assert (found.scope, found.span.line, found.waiting, found.elsewhere) == (Scope.BLOCK, 3, (0, 1, 2), (3, 4, 5))
    assert found.other is not None
    assert found.other.line == 5


def test_all_or_none_of_a_block_is_no_divergence(tmp_path: Path):
    text = """
    __global__ void k(int *a) {
      __shared__ int s;
      if (blockIdx.x % 2) {
        if (threadIdx.x == 0) s = blockIdx.x;
        __syncthreads();
        a[blockIdx.x * 2 + threadIdx.x] = s;
      }
    }"""
    a = np.zeros(8, np.int32)
    assert isinstance(outcome(tmp_path, text, 4, 2, a), Finished)
    assert a.tolist() == [0, 0, 1, 1, 0, 0, 3, 3]


def test_loops_of_different_length_around_a_barrier_diverge(tmp_path: Path):
    text = (
        "__global__ void k(int *a) { for (int i = 0; i <= threadIdx.x; ++i) { a[threadIdx.x] = i; __syncthreads(); } }"
    )
    found = outcome(tmp_path, text, 1, 2, np.zeros(2, np.int32))
    assert isinstance(found, Finished)  # thread 0 has ended, and a barrier waits for no thread that has
    text = text.replace("} }", "} a[0] = 1; __syncthreads(); }")
    found = outcome(tmp_path, text, 1, 2, np.zeros(2, np.int32))
    assert isinstance(found, StuckAtBarrier)
    assert (found.waiting, found.elsewhere) == ((1,), (0,))


def test_a_barrier_in_different_iterations_diverges(tmp_path: Path):
    """Threads meet, but some in the first round of the loop and some in the second."""
    text = """
    __device__ void meet(int i) { if (i % 2 == threadIdx.x % 2) __syncthreads(); }
    __global__ void k(int *a) {
      for (int i = 0; i < 2; ++i) HERE;
      a[threadIdx.x] = 1;
    }"""
    for here in ("meet(i)", "if (i % 2 == threadIdx.x % 2) __syncthreads()"):
        found = outcome(tmp_path, text.replace("HERE", here), 1, 4, np.zeros(4, np.int32))
        assert isinstance(found, StuckAtBarrier)
        assert (found.scope, found.waiting, found.elsewhere) == (Scope.BLOCK, (0,), (1,))
    for here in ("meet(threadIdx.x)", "if (i % 2 == blockIdx.x % 2) __syncthreads()"):
        assert isinstance(outcome(tmp_path, text.replace("HERE", here), 2, 4, np.zeros(4, np.int32)), Finished)


def test_a_barrier_by_different_calls_diverges(tmp_path: Path):
    text = """
    __device__ void meet() { __syncthreads(); }
    __global__ void k(int *a) { if (threadIdx.x) meet(); else meet(); a[threadIdx.x] = 1; }"""
    found = outcome(tmp_path, text, 1, 2, np.zeros(2, np.int32))
    assert isinstance(found, StuckAtBarrier)
    assert (found.waiting, found.elsewhere) == ((0,), (1,))
    assert isinstance(
        outcome(tmp_path, text.replace("threadIdx.x)", "blockIdx.x)"), 2, 2, np.zeros(2, np.int32)), Finished
    )


def test_threads_that_have_ended_are_not_waited_for(tmp_path: Path):
    text = """
    __global__ void k(int *a, int n) {
      int t = threadIdx.x;
      if (t >= n) return;
      __shared__ int s[8];
      s[t] = t;
      __syncthreads();
      a[t] = s[n - 1 - t];
    }"""
    a = np.zeros(8, np.int32)
    assert isinstance(outcome(tmp_path, text, 1, 8, a, 5), Finished)
    assert a.tolist() == [4, 3, 2, 1, 0, 0, 0, 0]


def test_a_warp_barrier_waits_for_the_lanes_of_its_mask(tmp_path: Path):
    text = """
    __global__ void k(int *a) {
      int t = threadIdx.x;
      if (t < 2) { a[t] = 1; __syncwarp(MASK); a[t] += a[1 - t]; }
    }"""
    a = np.zeros(4, np.int32)
    assert isinstance(outcome(tmp_path, text.replace("MASK", "3"), 1, 4, a), Finished)
    assert a.tolist()[2:] == [0, 0]
    found = outcome(tmp_path, text.replace("MASK", "7").replace("}\n    }", "} else __syncthreads(); }"), 1, 4, a)
    assert isinstance(found, StuckAtBarrier)
    assert (found.scope, found.waiting, found.elsewhere) == (Scope.WARP, (0, 1), (2, 3))


def test_grid_barrier(tmp_path: Path):
    text = """#include <cooperative_groups.h>
    __global__ void k(int *a) {
      auto grid = cooperative_groups::this_grid();
      a[blockIdx.x] = blockIdx.x;
      grid.sync();
      int v = a[gridDim.x - 1 - blockIdx.x];
      cooperative_groups::this_grid().sync();
      a[blockIdx.x] = v;
    }"""
    a = np.zeros(6, np.int32)
    assert isinstance(outcome(tmp_path, text, 6, 1, a), Finished)
    assert a.tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(("ahead", "seen"), [(None, [0, 1, 2, 3, 4]), (3, [1, 2, 3, 0, 4]), (0, [0, 1, 2, 3, 4])])
def test_a_thread_that_goes_ahead(tmp_path: Path, ahead: int | None, seen: list[int]):
    text = "__global__ void k(int *n, int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(n, 1); }"
    a = np.zeros(5, np.int32)
    assert isinstance(outcome(tmp_path, text, 1, 5, np.zeros(1, np.int32), a, ahead=ahead), Finished)
    assert a.tolist() == seen


def test_a_thread_that_goes_ahead_waits_at_barriers_and_for_others(tmp_path: Path):
    text = """
    __global__ void k(volatile int *flag, int *a) {
      __shared__ int s[4];
      s[threadIdx.x] = threadIdx.x;
      __syncthreads();
      if (threadIdx.x == 2) while (*flag == 0) { }
      if (threadIdx.x == 1) *flag = 7;
      a[threadIdx.x] = s[3 - threadIdx.x];
    }"""
    a = np.zeros(4, np.int32)
    assert isinstance(outcome(tmp_path, text, 1, 4, np.zeros(1, np.int32), a, ahead=2), Finished)
    assert a.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize(("guard", "ends"), [("", Finished), ("if (threadIdx.x != 2)", StuckAtBarrier)])
def test_activations_that_meet_in_a_function_pass_its_barrier_as_one(tmp_path: Path, guard: str, ends: type):
    text = """
    __device__ void meet() { GUARD __syncthreads(); }
    __global__ void k(int *a) { a[threadIdx.x] = 1; meet(); __syncthreads(); a[3 - threadIdx.x] = 2; }"""
    model = AccessModel(LaunchShape(4, 1))
    run = outcome(tmp_path, text.replace("GUARD", guard), 1, 4, np.zeros(4, np.int32), ahead=2, observer=model)
    assert isinstance(run, ends)
    assert (model.races(), model.divergences) == ((), ())


def test_only_some_blocks_run(tmp_path: Path):
    text = """
    #include <cooperative_groups.h>
    __global__ void k(int *a, unsigned *b) {
      int t = 2 * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x;
      a[t] = 1000 * blockIdx.y + 100 * blockIdx.x + gridDim.x;
      b[t] = cooperative_groups::this_grid().thread_rank();
    }"""
    memory, events = Memory(), Recorded()
    a, b = np.zeros(24, np.int32), np.zeros(24, np.uint32)
    given = (int(memory.allocate("a", a)), int(memory.allocate("b", b)))
    chosen = ConcreteLaunch((4, 3, 1), (2, 1, 1), given, chosen=(2, 9))
    assert isinstance(execute(compiled(tmp_path, text), chosen, memory, events), Finished)
    assert {int(i): int(a[i]) for i in np.flatnonzero(a)} == {4: 204, 5: 204, 18: 2104, 19: 2104}
    assert {int(i): int(b[i]) for i in np.flatnonzero(b)} == {4: 4, 5: 5, 18: 18, 19: 19}
    assert [e.threads.tolist() for e in events.touches()] == [[0, 1, 2, 3]] * 2


# ---------------------------------------------------------------- spinning

LOCKS = {
    "the winner leaves the loop": """
    __global__ void k(int *lock, int *n) {
      while (atomicCAS(lock, 0, 1) != 0) {}
      *n = *n + 1;
      __threadfence();
      atomicExch(lock, 0);
    }""",
    "the winner does its work in the loop": """
    __global__ void k(int *lock, int *n) {
      bool done = false;
      while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) { *n += 1; __threadfence(); atomicExch(lock, 0); done = true; }
      }
    }""",
    "functions that lock": """
    __device__ void take(int *lock) { do {} while (atomicCAS(lock, 0, 1)); }
    __device__ void give(int *lock) { __threadfence(); atomicExch(lock, 0); }
    __global__ void k(int *lock, int *n) { take(lock); ++*n; give(lock); }""",
    "tickets": """
    __global__ void k(volatile int *turn, int *n) {
      int mine = atomicAdd((int *)turn + 1, 1);
      while (*turn != mine) {}
      ++*n;
      __threadfence();
      *turn = mine + 1;
    }""",
}


@pytest.mark.parametrize("name", LOCKS)
def test_locks_are_taken_by_every_thread(tmp_path: Path, name: str):
    lock, n = np.zeros(2, np.int32), np.zeros(1, np.int32)
    assert isinstance(outcome(tmp_path, LOCKS[name], 3, 40, lock, n, fuel=1 << 26), Finished)
    assert n[0] == 120


def test_a_block_that_waits_for_a_later_one(tmp_path: Path):
    text = """
    __global__ void k(volatile int *flag, int *out) {
      int next = blockIdx.x + 1;
      if (next < gridDim.x) while (!flag[next]) {}
      out[blockIdx.x] = next < gridDim.x ? out[next] + 1 : 1;
      __threadfence();
      flag[blockIdx.x] = 1;
    }"""
    out = np.zeros(5, np.int32)
    assert isinstance(outcome(tmp_path, text, 5, 1, np.zeros(5, np.int32), out, fuel=1 << 22), Finished)
    assert out.tolist() == [5, 4, 3, 2, 1]


def test_fuel(tmp_path: Path):
    text = "__global__ void k(volatile int *a) {\n while (*a == 0) {}\n}"
    found = outcome(tmp_path, text, 1, 32, np.zeros(1, np.int32), fuel=100_000)
    assert isinstance(found, OutOfFuel)
    assert found.span.line == 2


# ---------------------------------------------------------------- what stops a run


def test_an_access_outside_of_its_object(tmp_path: Path):
    text = "__global__ void k(int *a, int n) {\n a[(int)(blockIdx.x * blockDim.x + threadIdx.x) - n] = 1;\n}"
    a = np.zeros(5, np.int32)
    found = outcome(tmp_path, text, 2, 3, a, 0)
    assert isinstance(found, OutOfBounds)
    assert (found.span.line, found.thread, found.reason) == (2, 5, "byte 20 of argument 0, which has 20")
    found = outcome(tmp_path, text, 2, 3, a, 1)
    assert isinstance(found, OutOfBounds)
    assert (found.thread, found.reason) == (0, "byte -4 of argument 0, which has 20")
    assert isinstance(outcome(tmp_path, text.replace("- n", "% n"), 2, 3, a, 5), Finished)


def test_a_null_pointer(tmp_path: Path):
    found = outcome(tmp_path, "__global__ void k(int *a) { if (threadIdx.x == 2) *a = 1; }", 1, 3, 0)
    assert isinstance(found, OutOfBounds)
    assert (found.thread, found.reason) == (2, "memory through a pointer to no object")


def test_traps_and_what_is_not_known(tmp_path: Path):
    text = "extern __device__ int f(int);\n__global__ void k(int *a, int n) {\n if (n) a[0] = f(n);\n else __trap();\n}"
    a = np.zeros(1, np.int32)
    found = outcome(tmp_path, text, 1, 1, a, 1)
    assert found == NotSupported(found.span, "a call of f, whose body is not known")
    assert found.span.line == 3
    found = outcome(tmp_path, text, 1, 1, a, 0)
    assert isinstance(found, Trapped)
    assert found.span.line == 4


@pytest.mark.parametrize("stop", ["abort();", "exit(1);", '__assertfail("a", "b", 1, "c", 1);'])
def test_what_ends_a_launch(tmp_path: Path, stop: str):
    text = f"""
    extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
    __global__ void k(int *a) {{
      if (threadIdx.x == a[0]) {stop}
      a[1] = 1;
    }}"""
    for at, ends in ((2, Trapped), (9, Finished)):
        a = np.array([at, 0], np.int32)
        assert isinstance(outcome(tmp_path, text, 1, 4, a), ends)
        assert a[1] == (ends is Finished)


def test_memory_holds_only_what_the_caller_made_after_any_end(tmp_path: Path):
    text = "__global__ void k(int *a, int n) { __shared__ int s[4]; int l[4]; l[n] = 1; s[n] = l[0]; a[n] = s[n]; }"
    kernel = compiled(tmp_path, text)
    for n, kind in ((1, Finished), (4, OutOfBounds)):
        memory = Memory()
        assert isinstance(launch(kernel, 1, 1, np.zeros(9, np.int32), n, memory=memory), kind)
        assert [o.name for o in memory.objects.values()] == ["argument 0"]


# ---------------------------------------------------------------- what observers are told


def test_events_of_a_kernel_in_order(tmp_path: Path):
    text = """
    __global__ void k(int *a) {
      __shared__ int s[2];
      s[threadIdx.x] = a[1];
      __syncthreads();
      if (threadIdx.x) { __threadfence_block(); atomicAdd_block(&a[blockIdx.x], s[0]); }
    }"""
    kernel, seen = compiled(tmp_path, text), Recorded()
    launch(kernel, 2, 2, np.array([5, 7], np.int32), observer=seen)
    told = []
    for e in seen.events:
        match e:
            case Arrive():
                told.append(("arrive", e.scope.value, e.threads.tolist()))
            case Fenced():
                told.append(("fence", e.scope.value, e.threads.tolist()))
            case _:
                site = kernel.sites.sites[e.site]
                assert site.kind is e.kind
                told.append((e.kind.value, e.space.value, e.threads.tolist(), e.offsets.tolist(), e.values.tolist()))
    assert told == [
        ("read", "global", [0, 1, 2, 3], [4, 4, 4, 4], [7, 7, 7, 7]),
        ("write", "shared", [0, 1, 2, 3], [0, 4, 0, 4], [7, 7, 7, 7]),
        ("arrive", "block", [0, 1]),
        ("arrive", "block", [2, 3]),
        ("fence", "block", [1, 3]),
        ("read", "shared", [1, 3], [0, 0], [7, 7]),
        ("atomic", "global", [1, 3], [0, 4], [12, 14]),
    ]
    last = seen.touches()[-1]
    assert (last.scope, last.order, last.space, last.kind) == (
        Scope.BLOCK, MemoryOrder.RELAXED, Space.GLOBAL, AccessKind.ATOMIC,
    )  # fmt: skip
    assert last.before is not None
    assert last.before.tolist() == [5, 7]
