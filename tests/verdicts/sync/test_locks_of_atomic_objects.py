"""Locks that are atomic objects in classes: they have the size of their number, and guard what stands behind them."""

from pathlib import Path

import pytest

from hgrd.findings.model import KernelReport, Outcome
from tests.checking import check

TEXT = """
#include <cuda/atomic>
template <cuda::thread_scope S> class Lock {
public:
  __device__ void lock() {
    int free = 0;
    while (!word_.compare_exchange_weak(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) free = 0;
  }
  __device__ void unlock() { word_.store(0, cuda::memory_order_release); }
private:
  cuda::atomic<int, S> word_;
};
struct Record {
  Lock<cuda::thread_scope_SCOPE> guard;
  double sum;
};
__global__ void add(Record *records, const double *values) {
  if (threadIdx.x == 0) {
    Record &mine = records[blockIdx.y];
    LOCK
    mine.sum += values[blockIdx.x];
    mine.guard.unlock();
  }
}
int main() {
  Record *records;
  double *values;
  cudaMalloc(&records, 6 * sizeof(Record)), cudaMalloc(&values, 40 * 8);
  cudaMemset(records, 0, 6 * sizeof(Record)), cudaMemset(values, 0, 40 * 8);
  add<<<dim3(40, 6), 128>>>(records, values);
}
"""


def _check(folder: Path, scope: str, lock: str) -> tuple[KernelReport, int]:
    text = TEXT.replace("SCOPE", scope).replace("LOCK", lock)
    (kernel,) = check(folder, text).kernels
    return kernel, next(n for n, line in enumerate(text.splitlines(), 1) if "mine.sum +=" in line)


def test_a_lock_of_the_device_guards_the_record(tmp_path: Path) -> None:
    kernel, _ = _check(tmp_path, "device", "mine.guard.lock();")
    (launch,) = kernel.launches
    assert (kernel.outcome, launch.pairs, launch.discharged) == (Outcome.SAFE, 6, 6)


@pytest.mark.parametrize(("scope", "lock"), [("block", "mine.guard.lock();"), ("device", "")])
def test_a_lock_of_a_block_or_none_does_not(tmp_path: Path, scope: str, lock: str) -> None:
    kernel, line = _check(tmp_path, scope, lock)
    sums = {(f.first.kind.value, f.second.kind.value) for f in kernel.findings if f.first.span.line == line}
    assert kernel.outcome is Outcome.RACE
    assert {("read", "write"), ("write", "write")} <= sums


@pytest.mark.parametrize(
    ("type_", "size"),
    [("int", 4), ("unsigned long long", 8), ("unsigned char", 1), ("double", 8), ("short", 2)],
)
def test_the_next_member_stands_behind_it(tmp_path: Path, type_: str, size: int) -> None:
    text = f"""
#include <cuda/atomic>
struct Record {{ cuda::atomic<{type_}, cuda::thread_scope_device> first; unsigned char bytes[7]; }};
__global__ void fill(Record *record) {{
  unsigned char *all = (unsigned char *)record;
  if (threadIdx.x == 0) record->bytes[0] = 1;
  if (threadIdx.x == 32) all[{size}] = 2;
  if (threadIdx.x == 64) all[{size} + 7] = 3;
}}
"""
    (kernel,) = check(tmp_path, text).kernels
    between = {(f.first.span.line, f.second.span.line) for f in kernel.findings if f.first.span != f.second.span}
    assert between == {(6, 7)}
