"""The executor and the interleaving interpreter tell observers of the same events.

Of kernels whose control flow hangs on no schedule these are the same accesses, barriers and fences, each as often;
of kernels that wait for other threads the races that the access model reads from them.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from hgrd.program.linked import link
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import prepare
from hgrd.simulate.launch import Finished
from hgrd.simulate.trace import Arrive, Fenced, Observer, Recorded, Sites, Touch
from tests.checking import parse
from tests.simulate import dynamic
from tests.simulate.running import launch
from tests.simulate.test_interleaving import MEMBERS, computed

GRID, BLOCK = 2, 40
HEAD = """
#include <cuda/atomic>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
"""

BODIES = {
    "plain accesses": "a[t + 1] = a[t] + b; a[i] += 2; a[i]++;",
    "volatile accesses": "volatile int *v = a; v[t] = v[i] + 1; v[i] += 3; ++v[t];",
    "shared memory": "__shared__ int s[40]; s[t] = a[i]; __syncthreads(); a[i] = s[39 - t] + s[t / 2];",
    "atomic functions": "atomicAdd(&a[t % 3], 2); atomicMax_block(&a[4], t); atomicExch_system(&a[5], t);"
    " if (atomicCAS(&a[6], 0, i) == 0) a[7] = i;",
    "fences": "a[i] = 1; __threadfence(); if (t % 2) __threadfence_block(); a[i + 1] = 2; __threadfence_system();",
    "barriers of blocks that vote": "if (__syncthreads_or(t == 3)) a[i] = __syncthreads_count(t > b);",
    "warp barriers": "a[i] = t; __syncwarp(); a[i ^ 1] += t; if (t % 32 < 8) { __syncwarp(0xff); a[i] = 3; }",
    "exchanges are no barriers": "int v = a[i]; if (t < 32) a[i] = __shfl_down_sync(0xffffffff, v, 3)"
    " + __any_sync(0xffffffff, v);",
    "tiles": "if (t < 32) { auto tile = cg::tiled_partition<8>(cg::this_thread_block());"
    " a[i] = tile.thread_rank(); tile.sync(); a[i ^ 1] += 2; }",
    "barriers of groups": "a[i] = 1; cg::this_thread_block().sync(); a[i ^ 1] = 2; cg::this_grid().sync(); a[t] = 3;",
    "references to atomic memory": "cuda::atomic_ref<int, cuda::thread_scope_block> r(a[t % 4]); r.store(t);"
    " r.store(t, cuda::memory_order_relaxed); r.fetch_add(2, cuda::memory_order_release); ++r; r -= 4;"
    " int e = 9; r.compare_exchange_strong(e, 4); r.exchange(5, cuda::memory_order_acquire); a[i + 4] = r.load() + r;",
    "atomic objects": "flag.store(1, cuda::memory_order_release); a[i] = 2; flag = t; flag.fetch_max(b);"
    " a[i + 1] = flag.load(cuda::memory_order_acquire) + flag.load(cuda::memory_order_relaxed);",
    "fences of orders": "a[i] = 1; cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);"
    " cuda::atomic_thread_fence(cuda::memory_order_relaxed); cuda::atomic_thread_fence(cuda::memory_order_seq_cst);",
    "orders and scopes in arguments": "a[i] = 1;"
    " __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);"
    " __nv_atomic_thread_fence(__NV_ATOMIC_RELAXED); __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST);"
    " __nv_atomic_fetch_add(&a[t % 4], 2, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);"
    " __nv_atomic_store_n(&a[5], t, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);"
    " a[i + 1] = __nv_atomic_load_n(&a[6], __NV_ATOMIC_ACQUIRE);"
    " __nv_atomic_exchange_n(&a[7], 3, __NV_ATOMIC_RELAXED);",
    "operands behind pointers": "int v = t, w = 0; __nv_atomic_store(&a[i], &v, __NV_ATOMIC_RELEASE);"
    " __nv_atomic_load(&a[i], &w, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK); a[i] = w;"
    " __nv_atomic_exchange(&a[i], &v, &w, __NV_ATOMIC_ACQ_REL); __nv_atomic_max(&a[t % 4], 9, __NV_ATOMIC_RELAXED);"
    " __nv_atomic_compare_exchange_n(&a[i], &w, t + 1, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);"
    " if (!__nv_atomic_compare_exchange(&a[i], &w, &v, true, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_SEQ_CST)) a[i] = w;",
    "waits": "cuda::atomic_ref<int, cuda::thread_scope_device> r(a[4]); r.store(t); r.wait(12345); a[i] = 1;"
    " r.notify_all(); r.wait(12345, cuda::memory_order_relaxed);",
    "calls": "for (int k = 0; k < t % 3; ++k) touch(a + i, k); if (t == 5) return; touch(a, t);",
    "records": "struct P { int x, y; }; P *p = (P *)a; p[t].y = p[i / 2].x; P q = p[t]; p[t] = q;",
}


def kernel(body: str) -> str:
    return f"""{HEAD}
    __device__ cuda::atomic<int, cuda::thread_scope_device> flag;
    __device__ void touch(int *p, int k) {{ p[k] += k; __threadfence_block(); }}
    __global__ void k(int *a, int b) {{
      int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
      {body}
    }}"""


def by_both(folder: Path, text: str, grid: int, block: int, seen: list[Observer]) -> tuple[Sites, Sites]:
    """Runs the kernel by the executor and the interpreter, for an observer each; the sites of both."""
    program, a = parse(folder, text), np.arange(200, dtype=np.int32)
    executable = prepare(link((program,)), program.kernels()[0])
    assert isinstance(launch(executable, grid, block, a.copy(), 7, observer=seen[0]), Finished)
    execution = dynamic.ran(dynamic.launch(program, grid, block, a.copy(), 7), seen[1])
    return executable.sites, execution.sites


def events(recorded: Recorded, sites: Sites) -> Counter[tuple[object, ...]]:
    """Every event of every thread, in words that do not depend on how sites and objects are numbered."""
    found: list[tuple[object, ...]] = []
    for event in recorded.events:
        match event:
            case Touch():
                found += touches(event, sites)
            case Arrive(scope=scope, threads=threads, span=span):
                found.append(("barrier", scope, span, tuple(sorted(threads.tolist()))))
            case Fenced(scope=scope, threads=threads, span=span):
                found += [("fence", scope, span, thread) for thread in threads.tolist()]
    return Counter(named(found))


def touches(event: Touch, sites: Sites) -> Iterable[tuple[object, ...]]:
    site = sites.sites[event.site]
    what = (site.kind, site.scope, site.volatile, event.kind, event.scope, event.order, event.space, event.size)
    place = (site.span.line, site.span.column)
    for thread, offset in zip(event.threads.tolist(), event.offsets.tolist(), strict=True):
        yield ("touch", event.memory, place, thread, offset, *what, event.before is not None)


def named(found: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Objects are named by the first place, thread and offset where they are touched."""
    names: dict[object, tuple[object, ...]] = {}
    for event in found:
        if event[0] == "touch":
            names[event[1]] = min(names.get(event[1], event[2:5]), event[2:5])
    return [(e[0], names[e[1]], *e[2:]) if e[0] == "touch" else e for e in found]


@pytest.mark.parametrize("name", BODIES)
def test_events_are_the_same(tmp_path: Path, name: str):
    seen = [Recorded(), Recorded()]
    sites = by_both(tmp_path, kernel(BODIES[name]), GRID, BLOCK, seen)
    ours, theirs = (events(*pair) for pair in zip(seen, sites, strict=True))
    assert ours == theirs and ours.total() > BLOCK


def test_members_of_atomic_objects_compute_the_same(tmp_path: Path):
    program, a = parse(tmp_path, MEMBERS), np.zeros(11, np.int32)
    executable = prepare(link((program,)), program.kernels()[0])
    assert isinstance(launch(executable, 1, 1, a), Finished)
    assert a.tolist() == computed(tmp_path, MEMBERS, 1, 1, np.zeros(11, np.int32))


# ---------------------------------------------------------------- threads that wait

FLAGS = {
    "volatile": ("volatile int *f = a;", "f[9] = 1;", "f[9]", "__threadfence();"),
    "atomic": ("int *f = a;", "atomicExch(&f[9], 1);", "atomicAdd(&f[9], 0)", "__threadfence();"),
    "object": ("", "flag.store(1, cuda::memory_order_release);", "flag.load(cuda::memory_order_acquire)", ""),
    "seq_cst": ("", "flag.store(1);", "flag.load()", ""),
    "relaxed": ("", "flag.store(1, cuda::memory_order_relaxed);", "flag.load(cuda::memory_order_relaxed)", ""),
    "relaxed, fences": (
        "", "flag.store(1, cuda::memory_order_relaxed);", "flag.load(cuda::memory_order_relaxed)",
        "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);",
    ),
    "order in an argument": (
        "", "__nv_atomic_store_n(&a[9], 1, __NV_ATOMIC_RELEASE);", "__nv_atomic_load_n(&a[9], __NV_ATOMIC_ACQUIRE)", "",
    ),
    "relaxed by an argument": (
        "", "__nv_atomic_store_n(&a[9], 1, __NV_ATOMIC_RELEASE);", "__nv_atomic_load_n(&a[9], __NV_ATOMIC_RELAXED)", "",
    ),
    "acquired only": ("", "flag.store(1, cuda::memory_order_relaxed);", "flag.load(cuda::memory_order_acquire)", ""),
    "released only": ("", "flag.store(1, cuda::memory_order_release);", "flag.load(cuda::memory_order_relaxed)", ""),
}  # fmt: skip
DATA = "read use, write data; global; grid"
FLAG = "read wait, write set; global; grid"
FOUND = {
    "volatile": [FLAG],
    "relaxed": [DATA],
    "relaxed by an argument": [DATA],
    "acquired only": [DATA],
    "released only": [DATA],
}


@pytest.mark.parametrize("name", FLAGS)
def test_messages_order_the_same(tmp_path: Path, name: str):
    declare, put, get, fence = FLAGS[name]
    text = kernel(
        f"{declare}\n if (blockIdx.x == 0) {{ a[0] = 1;  // data\n {fence} {put}  // set\n }}\n"
        f" else {{ while ({get} != 1) {{}}  // wait\n {fence} a[1] = a[0];  // use\n }}"
    )
    models = [AccessModel(LaunchShape(1, 2)) for _ in range(2)]
    sites = by_both(tmp_path, text, 2, 1, list(models))
    found = [dynamic.in_words(model, names, text) for model, names in zip(models, sites, strict=True)]
    assert found == [FOUND.get(name, [])] * 2
    assert models[0].divergences == models[1].divergences == ()


def test_a_sequentially_consistent_load_releases_nothing(tmp_path: Path):
    """Who has looked, and written before, has not told anyone (ISO C++, [atomics.order])."""
    text = kernel(
        "if (blockIdx.x == 0) { a[0] = 1;  // data\n flag.load(); a[20] = 0; }\n"
        " else { while (flag.fetch_add(1) < 3) {}\n a[1] = a[0];  // use\n }"
    )
    models = [AccessModel(LaunchShape(1, 2)) for _ in range(2)]
    sites = by_both(tmp_path, text, 2, 1, list(models))
    found = [dynamic.in_words(model, names, text) for model, names in zip(models, sites, strict=True)]
    assert found == [[DATA]] * 2
