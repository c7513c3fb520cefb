"""What several threads may set, and one of them waits for: it takes a third thread for the other two to meet."""

from pathlib import Path

import pytest

from tests.checking import check

SOURCE = """#include <cuda/atomic>
__device__ volatile int ready[1024];
__global__ void rows(int *x, const int *row, const int *needs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  BEFORE
  if (ready[needs[t] + SHIFT] == 1) {
    ACQUIRE
    sum = x[needs[t]];
  }
  ROUNDS {
    x[row[t]] = sum + t;
    RELEASE
    ready[row[t]] = 1;
  }
}
"""
ORDERED = ["a wait for ready, set in line 13, may order them"]


def said(
    folder: Path,
    before: str = "",
    shift: str = "0",
    fences: tuple[str, str] = ("__threadfence();", "__threadfence();"),
    rounds: str = "",
) -> tuple[bool, list[str]]:
    """Whether there is a race between `x[needs[t]]` and `x[row[t]]`, and why it is open."""
    text = SOURCE.replace("BEFORE", before).replace("SHIFT", shift).replace("ROUNDS", rounds)
    text = text.replace("ACQUIRE", fences[0]).replace("RELEASE", fences[1])
    ((launch,),) = (k.launches for k in check(folder, text).kernels)
    racy = any({f.first.span.line, f.second.span.line} == {8, 11} for f in launch.findings)
    lines = [(p.first.span.line, p.second.span.line, p.reason) for p in launch.open_pairs if p.first and p.second]
    return racy, [reason for one, two, reason in lines if {one, two} == {8, 11}]


def test_it_takes_a_third_thread(tmp_path: Path) -> None:
    assert said(tmp_path) == (False, ORDERED)


@pytest.mark.parametrize("fences", [("", ""), ("__threadfence();", ""), ("", "__threadfence();")])
def test_without_fences_two_are_enough(tmp_path: Path, fences: tuple[str, str]) -> None:
    assert said(tmp_path, fences=fences) == (True, [])


FENCES = {
    "__nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);": (False, ORDERED),
    "__nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST);": (False, ORDERED),
    "__nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);": (True, ORDERED),  # between blocks
    "__nv_atomic_thread_fence(__NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);": (True, []),
    "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);": (False, ORDERED),
    "cuda::atomic_thread_fence(cuda::memory_order_relaxed, cuda::thread_scope_device);": (True, []),
}


@pytest.mark.parametrize("fence", FENCES)
def test_fences_have_an_order_and_a_scope(tmp_path: Path, fence: str) -> None:
    assert said(tmp_path, fences=(fence, fence)) == FENCES[fence]


def test_so_they_are_where_one_waits_for_something_else(tmp_path: Path) -> None:
    assert said(tmp_path, shift="1") == (True, [])


def test_so_they_are_where_it_is_set_too_early(tmp_path: Path) -> None:
    assert said(tmp_path, before="ready[row[t]] = 1;") == (True, [])


def test_so_they_are_where_one_sets_it_in_rounds(tmp_path: Path) -> None:
    assert said(tmp_path, rounds="for (int k = 0; k < 4; k++)") == (True, [])


@pytest.mark.parametrize(("place", "racy", "reasons"), [("row[t]", False, ORDERED), ("0", True, [])])
def test_whoever_sets_it_has_written_what_it_stands_for(
    tmp_path: Path, place: str, racy: bool, reasons: list[str]
) -> None:
    another = f"if (t == 5) {{ x[{place}] = 1; __threadfence(); ready[row[t]] = 1; return; }}"
    assert said(tmp_path, before=another) == (racy, reasons)
