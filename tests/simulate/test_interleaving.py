"""The interleaving semantics: what kernels compute, and which races and divergences their runs show."""

from pathlib import Path

import numpy as np
import pytest

from hgrd.simulate.interleaving.execution import Execution, at_random, one_after_another
from tests.checking import parse
from tests.simulate.dynamic import ints, launch, model_of, races_in, ran


def computed(folder: Path, text: str, grid: int, block: int, *arguments: object, shared: int = 0) -> list[object]:
    """What the first argument holds after the run."""
    launched = launch(parse(folder, text), grid, block, *arguments, shared=shared)
    return ran(launched).contents(launched.arguments[0]).tolist()


# ---------------------------------------------------------------- C


EXPRESSIONS = {
    "int": [
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("0x7fffffff + n", -(2**31)),
        ("(int)(unsigned char)(300 + n)", 45),
        ("(signed char)(127 + n)", -128),
        ("-n >> 1", -1),
        ("(int)(4294967295u / 2 > (unsigned)-n)", 0),
        ("n ? 5 : 1 / (n - 1)", 5),
        ("n == 1 || 1 / (n - 1)", 1),
        ("(int)-3.9f", -3),
        ("(int)1e20f", 2**31 - 1),
        ("(n << 31) < 0", 1),
        ("min(n, -4) + max(3, n)", -1),
        ("__popc(0xff00ffu) + __ffs(8) + __clz(n)", 16 + 4 + 31),
        ("(int)sizeof(float4)", 16),
        ("(int)((char *)&out[3] - (char *)&out[1])", 8),
        ("(int)(&out[3] - &out[1])", 2),
        ("n++ + n++ * 10", 21),
    ],
    "float": [
        ("0.1f + 0.2f", float(np.float32(0.1) + np.float32(0.2))),
        ("16777216.0f + n", 16777216.0),
        ("1.0f / 3", float(np.float32(1) / np.float32(3))),
        ("sqrtf(2.0f)", float(np.float32(2) ** np.float32(0.5))),
        ("1.0f / (n - 1)", float("inf")),
        ("3e38f * 10", float("inf")),
    ],
    "unsigned long long": [
        ("-1ll", 2**64 - 1),
        ("(unsigned)(0u - n)", 2**32 - 1),
        ("0x100000000ull * (1ull << 31)", 2**63),
        ("1ull << 63 >> 3", 2**60),
    ],
}


@pytest.mark.parametrize("type_", EXPRESSIONS)
def test_expressions(tmp_path: Path, type_: str):
    cases = EXPRESSIONS[type_]
    lines = "".join(f"  {{ int n = one; out[{i}] = {text}; }}\n" for i, (text, _) in enumerate(cases))
    text = f"__global__ void k({type_} *out, int one) {{\n{lines}}}\n"
    dtype = {"int": np.int32, "float": np.float32, "unsigned long long": np.uint64}[type_]
    found = computed(tmp_path, text, 1, 1, np.zeros(len(cases), dtype), 1)
    assert dict(zip((text for text, _ in cases), found, strict=True)) == dict(cases)


STATEMENTS = """
struct Point { int x; short y[3]; };
struct Counter {
  int n;
  __device__ Counter(int n) : n(n) {}
  __device__ int next() { return n++; }
};
__constant__ int primes[4] = {2, 3, 5, 7};
__device__ int total = 40;
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ void swap(int &a, int &b) { int t = a; a = b; b = t; }
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
template <int N> __device__ int sum(const int (&a)[N]) { int s = 0; for (int x : a) s += x; return s; }

__global__ void k(int *out, Point p, int n) {
  int a[4] = {1, 2}, i = 0;
  out[i++] = sum(a);
  for (int j = 0; j < 10; j++) { if (j == 2) continue; if (j == 5) break; a[3] += j; }
  out[i++] = a[3];
  switch (n) { case 1: out[i] = 10; case 2: out[i] += 5; break; default: out[i] = -1; }
  i++;
  do { n *= 3; } while (n < 50);
  out[i++] = n;
  Point q = p;
  q.y[1] = -5;
  out[i++] = q.x + q.y[1] + p.y[1];
  Counter c(7);
  c.next();
  out[i++] = c.next();
  out[i++] = primes[3] + total;
  swap(a[0], a[1]);
  out[i++] = a[0] * 10 + a[1];
  int (*f)(int) = n > 50 ? thrice : twice;
  out[i++] = f(4);
  out[i++] = factorial(5);
  auto add = [=](int x) { return x + n; };
  out[i++] = add(1);
  Point *r = &q;
  r->x = 9;
  out[i++] = q.x;
  float4 v = make_float4(1, 2, 3, 4);
  out[i++] = (int)(v.x + v.w);
  int *e = out + i;
  *e++ = 3;
  *e = e[-1] + 1;
}
"""


def test_statements(tmp_path: Path):
    point = np.array([3, 0, 0], np.int32)
    point.view(np.int16)[2:5] = (1, 2, 3)
    found = computed(tmp_path, STATEMENTS, 1, 1, ints(15), point.tobytes(), 1)
    assert found == [3, 8, 15, 81, 3 - 5 + 2, 8, 47, 21, 12, 120, 82, 9, 5, 3, 4]


THREADS = """
__global__ void k(int *out, int *in) {
  __shared__ int tile[64];
  extern __shared__ int more[];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  tile[t] = in[g];
  more[t] = 2 * in[g];
  int any = __syncthreads_count(t < 3 + blockIdx.x);
  int sum = 0;
  for (int i = 0; i < blockDim.x; i++) sum += tile[i];
  int down = __shfl_down_sync(0xffffffff, t, 1), up = __shfl_up_sync(0xffffffff, t, 2, 8);
  int all = __shfl_xor_sync(0xffffffff, t, 1) * 100 + __shfl_sync(0xffffffff, t, 3, 16);
  unsigned ballot = __ballot_sync(0xffffffff, t & 1);
  out[g] = sum + more[(t + 1) % 64] + any + down + up + all + (ballot == 0xaaaaaaaa) * 100000;
}
"""


def test_threads_exchange_values(tmp_path: Path):
    data = np.arange(128, dtype=np.int32)
    found = computed(tmp_path, THREADS, 2, 64, ints(128), data, shared=256)
    assert found == [
        sum(range(64 * b, 64 * b + 64))
        + 2 * (64 * b + (t + 1) % 64)
        + 3
        + b
        + (t + 1 if t % 32 < 31 else t)
        + (t - 2 if t % 8 >= 2 else t)
        + (t ^ 1) * 100
        + t // 16 * 16
        + 3
        + 100000
        for b in range(2)
        for t in range(64)
    ]


ATOMICS = """
__global__ void k(int *a, unsigned *u, float *f) {
  int t = threadIdx.x;
  atomicAdd(&a[0], t);
  atomicMax(&a[1], t);
  atomicMin(&a[2], -t);
  atomicOr(&a[3], 1 << t);
  atomicInc(&u[0], 2);
  atomicDec(&u[1], 5);
  atomicAdd(f, 0.5f);
  if (atomicCAS(&a[4], 0, t + 1) == 0) atomicExch(&a[5], t + 1);
}
"""


@pytest.mark.parametrize("schedule", [one_after_another, at_random(1), at_random(2)])
def test_atomics(tmp_path: Path, schedule: object):
    a, u, f = ints(6), np.zeros(2, np.uint32), np.zeros(1, np.float32)
    execution = ran(launch(parse(tmp_path, ATOMICS), 1, 8, a, u, f), schedule=schedule)
    found = execution.contents(a).tolist()
    assert found[:4] == [28, 7, -7, 255] and found[4] == found[5] in range(1, 9)
    assert execution.contents(u).tolist() == [8 % 3, 4]
    assert execution.contents(f).tolist() == [4.0]


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("a[4] = 1;", "bytes 16 to 20 of an object of 16 bytes"),
        ("a[-1] = 1;", "bytes -4 to 0 of an object of 16 bytes"),
        ("a[0] = 1 / (a[1] * 2);", "division by zero"),
        ("int *p = nullptr; *p = 1;", "a pointer to nothing"),
        ("while (true) {}", "a thread that does not come to an end"),
        ("unknown(a);", "a call of unknown, which has no body"),
    ],
)
def test_what_has_no_meaning_ends_the_run(tmp_path: Path, statement: str, fault: str):
    text = f"__device__ void unknown(int *);\n__global__ void k(int *a) {{ {statement} }}"
    execution = Execution(launch(parse(tmp_path, text), 1, 2, ints(4))).run()
    assert execution.fault.endswith(fault)


# ---------------------------------------------------------------- races


SCAN = """
__global__ void k(int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];  // fill
  BARRIER
  for (int d = 1; d < 64; d *= 2) {
    int v = t >= d ? s[t - d] : 0;  // left
    BETWEEN
    s[t] += v;  // add
    BEHIND
  }
  out[t] = s[t];  // result
}
"""
_SYNC = "__syncthreads();"


@pytest.mark.parametrize(
    ("barrier", "between", "behind", "found"),
    [
        (_SYNC, _SYNC, _SYNC, []),
        ("", _SYNC, _SYNC, ["read left, write fill; shared; warp block"]),
        (_SYNC, "", _SYNC, ["read left, write add; shared; warp block"]),
        (_SYNC, _SYNC, "", ["read left, write add; shared; warp block"]),
    ],
)
def test_a_scan_without_one_of_its_barriers(tmp_path: Path, barrier: str, between: str, behind: str, found: list[str]):
    text = SCAN.replace("BARRIER", barrier).replace("BETWEEN", between).replace("BEHIND", behind)
    assert races_in(tmp_path, text, 1, 64, ints(64), ints(64)) == found


LOCK = """
__device__ int held;
__global__ void k(int *count) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&held, 0, 1) != 0) ;
    ACQUIRE
    *count += 1;  // count
    RELEASE
    atomicExch(&held, 0);
  }
}
"""
_FENCE = "__threadfence();"
_BOTH = ["read count, write count; global; {}", "write count, write count; global; {}"]


@pytest.mark.parametrize(
    ("acquire", "release", "levels"),
    [
        (_FENCE, _FENCE, ""),
        ("", _FENCE, "block grid"),
        (_FENCE, "", "block grid"),
        ("__threadfence_block();", "__threadfence_block();", "grid"),
    ],
)
def test_a_lock_without_one_of_its_fences(tmp_path: Path, acquire: str, release: str, levels: str):
    text = LOCK.replace("ACQUIRE", acquire).replace("RELEASE", release)
    expected = [line.format(levels) for line in _BOTH] if levels else []
    assert races_in(tmp_path, text, 2, 64, ints(1)) == expected


def test_a_lock_whose_atomics_are_of_the_block(tmp_path: Path):
    text = LOCK.replace("ACQUIRE", _FENCE).replace("RELEASE", _FENCE).replace("atomicExch", "atomicExch_block")
    text = text.replace("atomicExch_block(&held, 0);", "atomicExch_block(&held, 0);  // free")
    text = text.replace("!= 0) ;", "!= 0) ;  // take")
    assert races_in(tmp_path, text, 2, 64, ints(1)) == [
        "atomic free, atomic free; global; grid",
        "atomic free, atomic take; global; grid",
        *(line.format("grid") for line in _BOTH),
    ]


GRID_BARRIER = """
__device__ unsigned arrived;
__global__ void k(int *data, int *out) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  data[g] = g;  // mine
  FIRST
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < gridDim.x) ;
    __threadfence();
  }
  SECOND
  out[g] = data[(g + blockDim.x) % (blockDim.x * gridDim.x)];  // theirs
}
"""


@pytest.mark.parametrize("schedule", [at_random(1), at_random(2)])
@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (_SYNC, _SYNC, []),
        ("", _SYNC, ["read theirs, write mine; global; grid"]),
        (_SYNC, "", ["read theirs, write mine; global; grid"]),
    ],
)
def test_a_barrier_of_two_levels(tmp_path: Path, first: str, second: str, found: list[str], schedule: object):
    from tests.simulate.dynamic import in_words

    text = GRID_BARRIER.replace("FIRST", first).replace("SECOND", second)
    launched = launch(parse(tmp_path, text), 2, 4, ints(8), ints(8))
    model = model_of(launched)
    execution = ran(launched, model, schedule)
    assert execution.divergences == []
    assert in_words(model, execution.sites, text) == found


WARP = """
__global__ void k(int *a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;  // fill
  SYNC
  a[t] = s[t ^ 1];  // turn
}
"""


@pytest.mark.parametrize(
    ("sync", "found"),
    [
        ("__syncwarp();", []),
        ("__syncwarp(t & 2 ? 0xcccccccc : 0x33333333);", []),
        ("__syncwarp(1u << t % 32);", ["read turn, write fill; shared; warp"]),
        ("__shfl_sync(0xffffffff, t, 0);", ["read turn, write fill; shared; warp"]),
        ("", ["read turn, write fill; shared; warp"]),
    ],
)
def test_what_orders_a_warp(tmp_path: Path, sync: str, found: list[str]):
    assert races_in(tmp_path, WARP.replace("SYNC", sync), 1, 64, ints(64)) == found


def test_cooperative_groups(tmp_path: Path):
    text = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void k(int *a, int *b) {
      cg::grid_group grid = cg::this_grid();
      cg::thread_block block = cg::this_thread_block();
      int g = grid.thread_rank(), n = grid.size();
      a[g] = block.thread_rank();  // put
      SYNC
      b[g] = a[(g + 3) % n];  // get
    }
    """
    run = lambda sync: races_in(tmp_path, text.replace("SYNC", sync), 2, 64, ints(128), ints(128))  # noqa: E731
    assert run("grid.sync();") == []
    assert run("block.sync();") == ["read get, write put; global; grid"]
    assert run("") == ["read get, write put; global; warp block grid"]


# ---------------------------------------------------------------- divergence


DIVERGING = {
    "if (t < 3) __syncthreads();": [],  # the others leave, and are not waited for
    "if (t < 3) __syncthreads(); a[t] = 1; __syncthreads();": [(0, 3), (1, 5)],
    "if (t < 3) { __syncthreads(); } else { __syncthreads(); }": [(0, 3), (1, 5)],
    "for (int i = 0; i < 2 + (t & 1); i++) __syncthreads(); __syncthreads();": [(0, 4), (1, 4)],
    "for (int i = t; i < 4 + t; i++) __syncthreads();": [],
    "if (t == 9) return; __syncthreads(); a[t] = 1;": [],
    "if (t < 4) __syncwarp(0xff); else __syncthreads();": [(0, 4), (1, 4)],
    "if (blockIdx.x) __syncthreads(); a[t] = 1; __syncthreads();": [],
}


@pytest.mark.parametrize("statement", DIVERGING)
@pytest.mark.parametrize("schedule", [one_after_another, at_random(3)])
def test_divergence(tmp_path: Path, statement: str, schedule: object):
    text = f"__global__ void k(int *a) {{ int t = threadIdx.x; {statement} }}"
    execution = Execution(launch(parse(tmp_path, text), 1, 8, ints(8))).run(schedule)
    columns = sorted({d.barrier.column for d in execution.divergences})
    found = [(columns.index(d.barrier.column), len(d.threads)) for d in execution.divergences]
    assert execution.fault == "" and sorted(found) == DIVERGING[statement]


FLAG = """
__device__ volatile int ready;
__global__ void k(int *a) {
  if (blockIdx.x == 0) {
    a[0] = 1;  // data
    __threadfence();
    ready = 1;  // flag
  } else {
    while (ready == 0) ;  // spin
    __threadfence();
    a[1] = a[0];  // use
  }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", []),
        ("a[0] = 1;  // data\n    __threadfence();", "a[0] = 1;  // data", ["read use, write data; global; grid"]),
        ("// spin\n    __threadfence();", "// spin", ["read use, write data; global; grid"]),
        ("volatile ", "", ["read use, write data; global; grid"]),
        ("// spin\n    __threadfence();\n    a[1] = a[0];", "// spin\n    a[1] = *(volatile int *)a;", []),
        (
            "// spin\n    __threadfence();\n    a[1] = a[0];",
            "// spin\n    a[1] = *(volatile int *)a; a[1] = a[0];",
            ["read use, write data; global; grid"],
        ),
        (
            "// spin\n    __threadfence();\n    a[1] = a[0];",
            "// spin\n    *(volatile int *)a = 2;",
            ["write data, write use; global; grid"],
        ),
    ],
)
def test_a_flag_orders_by_fences_and_volatile_accesses(tmp_path: Path, old: str, new: str, found: list[str]):
    """The flag itself races all the same: volatile is not atomic."""
    text = FLAG.replace(old, new) if old else FLAG
    races = races_in(tmp_path, text, 2, 1, ints(2))
    assert races == ["read spin, write flag; global; grid", *found]


MESSAGE = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k(int *a) {
  if (blockIdx.x == 0) {
    a[0] = 1;  // data
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) ;
    a[1] = a[0];  // use
  }
}
"""
_USE = ["read use, write data; global; grid"]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", []),
        ("order_release", "order_relaxed", _USE),
        ("order_acquire", "order_relaxed", _USE),
        ("flag.store", "cuda::atomic_thread_fence(cuda::memory_order_release); flag.store", []),
        ("(1, cuda::memory_order_release)", "(1)", []),
        ("flag.store(1, cuda::memory_order_release)", "flag.fetch_add(1, cuda::memory_order_acquire)", _USE),
        (  # the write of the update is strong, and behind a fence it is a release pattern
            "flag.store(1, cuda::memory_order_release)",
            "__threadfence(); flag.fetch_add(1, cuda::memory_order_acquire)",
            [],
        ),
    ],
)
def test_atomic_objects_order(tmp_path: Path, old: str, new: str, found: list[str]):
    assert races_in(tmp_path, MESSAGE.replace(old, new) if old else MESSAGE, 2, 1, ints(2)) == found


def test_atomic_objects_of_a_block_order_a_block(tmp_path: Path):
    text = MESSAGE.replace("scope_device", "scope_block").replace("release);", "release);  // set")
    text = text.replace("== 0) ;", "== 0) ;  // get")
    assert races_in(tmp_path, text, 2, 1, ints(2)) == ["atomic get, atomic set; global; grid", *_USE]
    assert races_in(tmp_path, text.replace("blockIdx", "threadIdx"), 1, 2, ints(2)) == []


MEMBERS = """
#include <cuda/atomic>
__global__ void k(int *a) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(a[0]);
  int e = 5, i = 1;
  a[i++] = r.fetch_add(3);
  a[i++] = r++;
  a[i++] = ++r;
  a[i++] = r += 10;
  a[i++] = r.exchange(7);
  a[i++] = r.compare_exchange_strong(e, 9);
  a[i++] = e;
  a[i++] = r.compare_exchange_strong(e, 9, cuda::memory_order_relaxed);
  a[i++] = r.load();
  a[i++] = r.fetch_max(6) + (int)r;
}
"""


def test_members_of_atomic_objects(tmp_path: Path):
    assert computed(tmp_path, MEMBERS, 1, 1, ints(11)) == [9, 0, 3, 5, 15, 15, 0, 7, 1, 9, 18]
