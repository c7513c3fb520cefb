"""Witnesses: two threads of one launch that touch common bytes, as the source says they do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hgrd.findings.model import Finding, Level, Report, ThreadWitness, Witness
from tests.checking import check

SOURCE = """
__global__ void shift(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) a[i] = a[i + 1];
}

__global__ void rows(double *a, int width, int stride) {
  int t = threadIdx.x;
  if (t < width) a[blockIdx.x * stride + t] = t;
}

__global__ void loops(short *a, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
  for (int i = 0; i <= n; ++i) a[first + i] = threadIdx.x;
}

__global__ void volume(int *a) {
  a[(threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x] = blockIdx.y;
}

__global__ void scatter(int *a, const int *where) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[where[i]] = i;
}

__global__ void bytes(float4 *a) {
  int i = 1024 * blockIdx.x + threadIdx.x;
  a[i].x = ((float *)a)[2 * i];
}

__global__ void parity(int *a, const int *data, int n) {
  if (data[threadIdx.x] % 2 == n) a[blockIdx.x] = threadIdx.x;
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("witness"), SOURCE)


def findings(report: Report, kernel: str) -> tuple[Finding, ...]:
    return next(k.findings for k in report.kernels if k.kernel == kernel)


def linear(w: Witness, t: ThreadWitness) -> int:
    return t.block[0] * w.block_dim[0] + t.thread[0]


Address = Callable[[Witness, ThreadWitness, dict[str, int], str], int]
ADDRESSES: dict[str, Address] = {
    "shift": lambda w, t, v, kind: 4 * (linear(w, t) + (kind == "read")),
    "rows": lambda w, t, v, kind: 8 * (t.block[0] * v["stride"] + t.thread[0]),
    "loops": lambda w, t, v, kind: 2 * (linear(w, t) * v["n"] + v["i"]),
    "volume": lambda w, t, v, kind: 4 * ((t.thread[2] * 4 + t.thread[1]) * 8 + t.thread[0]),
    "scatter": lambda w, t, v, kind: 4 * v[f"where[{linear(w, t)}]"],
    "bytes": lambda w, t, v, kind: (8 if kind == "read" else 16) * (1024 * t.block[0] + t.thread[0]),
    "parity": lambda w, t, v, kind: 4 * t.block[0],
}
GUARDS: dict[str, Callable[[Witness, ThreadWitness, dict[str, int]], bool]] = {
    "shift": lambda w, t, v: linear(w, t) + 1 < v["n"],
    "rows": lambda w, t, v: t.thread[0] < v["width"],
    "loops": lambda w, t, v: 0 <= v["i"] <= v["n"],
    "volume": lambda w, t, v: True,
    "scatter": lambda w, t, v: True,
    "bytes": lambda w, t, v: True,
    "parity": lambda w, t, v: v[f"data[{t.thread[0]}]"] % 2 == v["n"],
}


@pytest.mark.parametrize("kernel", ADDRESSES)
def test_the_two_threads_do_what_the_source_says(report: Report, kernel: str):
    (finding,) = findings(report, kernel)
    w = finding.witness
    for site, thread in ((finding.first, w.first), (finding.second, w.second)):
        values = dict((*w.inputs, *w.contents, *thread.locals))
        assert GUARDS[kernel](w, thread, values)
        assert thread.first_byte == ADDRESSES[kernel](w, thread, values, site.kind.value)


@pytest.mark.parametrize("kernel", ADDRESSES)
def test_the_two_threads_are_in_the_launch_and_differ(report: Report, kernel: str):
    (finding,) = findings(report, kernel)
    w = finding.witness
    for thread in (w.first, w.second):
        assert all(0 <= i < extent for i, extent in zip(thread.thread, w.block_dim, strict=True))
        assert all(0 <= i < extent for i, extent in zip(thread.block, w.grid_dim, strict=True))
    assert (w.first.thread, w.first.block) != (w.second.thread, w.second.block)
    assert w.block_dim[0] * w.block_dim[1] * w.block_dim[2] <= 1024


@pytest.mark.parametrize("kernel", ADDRESSES)
def test_their_bytes_overlap(report: Report, kernel: str):
    (finding,) = findings(report, kernel)
    one, two = finding.witness.first, finding.witness.second
    assert max(one.first_byte, two.first_byte) < min(one.first_byte + one.bytes, two.first_byte + two.bytes)


def test_contents_are_those_of_the_elements_that_matter(report: Report):
    (finding,) = findings(report, "scatter")
    w = finding.witness
    names = {f"where[{linear(w, w.first)}]", f"where[{linear(w, w.second)}]"}
    assert {name for name, _ in w.contents} == names
    assert len({value for _, value in w.contents}) == 1


def warp(w: Witness, t: ThreadWitness) -> int:
    x, y, z = t.thread
    return (x + w.block_dim[0] * (y + w.block_dim[1] * z)) // 32


@pytest.mark.parametrize("level", list(Level))
def test_the_threads_are_related_as_the_level_says(tmp_path: Path, level: Level):
    source = "__global__ void all(int *a) { a[0] = threadIdx.x + threadIdx.y + blockIdx.x; }"
    report = check(tmp_path, source, levels=(level,))
    (finding,) = findings(report, "all")
    w = finding.witness
    same_block = w.first.block == w.second.block
    same_warp = same_block and warp(w, w.first) == warp(w, w.second)
    assert finding.levels == (level,)
    assert (same_block, same_warp) == {
        Level.INTRA_WARP: (True, True),
        Level.INTRA_BLOCK: (True, False),
        Level.INTER_BLOCK: (False, False),
    }[level]


def test_two_writes_are_shown_with_different_values(tmp_path: Path):
    source = "__global__ void k(int *a) { a[0] = (threadIdx.x + blockIdx.x) / 100; }"
    (finding,) = findings(check(tmp_path, source), "k")
    one, two = finding.witness.first, finding.witness.second
    assert (one.thread[0] + one.block[0]) // 100 != (two.thread[0] + two.block[0]) // 100


PASSED_BY = """
__global__ void skipped(int *a, int n) {
  a[threadIdx.x] = 1;
  if (n % 4 == 3) __syncthreads();
  a[threadIdx.x ^ 1] = 2;
}

__global__ void without(int *a, int n) {
  a[threadIdx.x] = 1;
  if (n % 4 == 3) __threadfence();
  a[threadIdx.x ^ 1] = 2;
}
"""


def test_inputs_are_those_that_leave_the_barrier_out(tmp_path: Path):
    """Seed 3010978: the race is one of launches that do not perform the barrier, and the witness says so."""
    found = {k.kernel: k.findings for k in check(tmp_path, PASSED_BY, levels=(Level.INTRA_WARP,)).kernels}
    (skipped,) = (f for f in found["skipped"] if f.first.span.line != f.second.span.line)
    assert dict(skipped.witness.inputs)["n"] % 4 != 3
    (without,) = (f for f in found["without"] if f.first.span.line != f.second.span.line)
    assert without.witness.inputs == ()


LEFT = """
__global__ void returns(int *a, int m) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      if (i * 4 + j == m) return;
    }
  }
  a[0] = threadIdx.x;
}
"""


def test_inputs_are_those_that_no_iteration_returns_for(tmp_path: Path):
    """Seed 2101820: the threads come to their accesses in the launch of the witness."""
    (found,) = (f for k in check(tmp_path, LEFT).kernels for f in k.findings)
    assert not 0 <= dict(found.witness.inputs)["m"] < 16


COUNTED = """
__device__ int halvings(int value) {
  int count = 0;
  while (value > 1) { value /= 2; count++; }
  return count;
}

__global__ void halves(int *a, int *out, int n) {
  a[threadIdx.x] = 1;
  out[threadIdx.x] = a[halvings((int)threadIdx.x < n ? 32 : 4)];
}
"""


def test_inputs_are_those_that_decide_how_often_a_loop_runs(tmp_path: Path):
    """Seed 4115469: what a loop has counted is a number of the witness, and the input that makes it this number."""
    (found,) = (
        f for k in check(tmp_path, COUNTED).kernels for f in k.findings if f.second.array == "a" and not f.same_value
    )
    w = found.witness
    (reads,) = (t for t in (w.first, w.second) if t.locals)
    assert reads.locals == (("count#end", 5 if reads.thread[0] < dict(w.inputs)["n"] else 2),)


TESTED = """
__global__ void tested(int *a) {
  int mine = a[threadIdx.x + 64];
  a[threadIdx.x + 64] = 0;
  if (mine > 5) a[0] = threadIdx.x;
}
"""


def test_a_witness_says_which_contents_pass_a_test_that_decides_nothing_else(tmp_path: Path):
    """Seed 5000460: the threads come to their accesses with such contents only."""
    (found,) = (f for k in check(tmp_path, TESTED, levels=(Level.INTRA_WARP,)).kernels for f in k.findings)
    assert [thread.locals for thread in (found.witness.first, found.witness.second)] == [(("a[]", 6),)] * 2


AGREED = """
__global__ void agreed(int *a) {
  __shared__ int s[32];
  int at = s[7];
  a[at] = threadIdx.x;
}
"""


def test_a_witness_says_what_both_threads_have_read_where_it_is_one_value(tmp_path: Path):
    """Seed 5100174: shared memory holds anything at first, and the threads agree on what."""
    (found,) = (f for k in check(tmp_path, AGREED, levels=(Level.INTRA_WARP,)).kernels for f in k.findings)
    w = found.witness
    assert w.first.locals == w.second.locals
    assert [4 * value for _, value in w.first.locals] == [w.first.first_byte]
