"""What a race supposes that the kernel computes: a run shows that it does, or the pair is not decided."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import CONFIRMED, Confidence, KernelReport, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.simulate.replay.replayer import Replayer
from tests.checking import check, parse

# No more than `n` elements can be found, whatever `in` holds.
IN_SHARED = """
__global__ void k(int *out, const unsigned *in, unsigned n) {
  __shared__ unsigned found;
  if (threadIdx.x == 0) {
    found = 0;
    for (unsigned i = 0; i < n; i++)
      if (in[i] > 0) found++;
  }
  __syncthreads();
  if (threadIdx.x < 2 && 8 < n && found > n LEAST) out[0] = threadIdx.x;
}
"""
IN_A_LOOP = """
__global__ void k(int *out, const unsigned *in, unsigned n) {
  unsigned found = 0;
  for (unsigned i = 0; i < n; i++)
    if (in[i] > 0) found++;
  if (threadIdx.x < 2 && 8 < n && found > n LEAST) out[0] = threadIdx.x;
}
"""
IN_A_WARP = """
__global__ void k(int *out, const unsigned *in, unsigned n) {
  if (in[0] == 2 && blockDim.x == 32) {
    unsigned found = __shfl_sync(0xffffffffu, in[0], 0);
    if (found > 2 LEAST) out[0] = threadIdx.x;
  }
}
"""
IN_THE_INPUT = """
__global__ void k(int *out, const unsigned *in, unsigned n) {
  if (threadIdx.x < 2 && in[0] > n LEAST) out[0] = threadIdx.x;
}
"""
NEVER, SOMETIMES = "", "/ 2"


def replayed(folder: Path, text: str, least: str) -> KernelReport:
    program = parse(folder, text.replace("LEAST", least))
    (kernel,) = analyze((program,), AnalysisOptions(), Replayer()).kernels
    return kernel


@pytest.mark.parametrize(("text", "line"), [(IN_SHARED, 10), (IN_A_LOOP, 6), (IN_A_WARP, 5)])
def test_what_the_kernel_does_not_compute_shows_no_race(tmp_path: Path, text: str, line: int) -> None:
    kernel = replayed(tmp_path, text, NEVER)
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
    (open_pair,) = kernel.launches[0].open_pairs
    computed = "__shfl_sync()" if text == IN_A_WARP else "found"
    assert open_pair.reason.startswith(f"it depends on values that the kernel computes: {computed}")
    assert open_pair.reason.endswith(f"; not replayed: the write in line {line} was not made")


@pytest.mark.parametrize("text", [IN_SHARED, IN_A_LOOP, IN_A_WARP, IN_THE_INPUT])
def test_what_a_run_shows_is_a_race(tmp_path: Path, text: str) -> None:
    kernel = replayed(tmp_path, text, SOMETIMES)
    assert kernel.outcome is Outcome.RACE
    assert [(f.confidence, f.replay) for f in kernel.findings] == [(Confidence.DATA_DEPENDENT, CONFIRMED)]


def test_contents_of_the_input_are_what_they_are(tmp_path: Path) -> None:
    kernel = replayed(tmp_path, IN_THE_INPUT, NEVER)
    assert [(f.confidence, f.replay) for f in kernel.findings] == [(Confidence.DATA_DEPENDENT, CONFIRMED)]


def test_where_nothing_is_run_it_is_reported(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, IN_SHARED.replace("LEAST", NEVER)).kernels
    assert [(f.confidence, f.replay) for f in kernel.findings] == [(Confidence.DATA_DEPENDENT, "")]


# Of t / 2 only odd threads have a rest: no two of them write in one place.
OF_FLOATS = """
__global__ void k(int *out, const float *in) {
  float whole, rest = modff(NUMBER, &whole);
  if (rest != 0) out[threadIdx.x / 2] = threadIdx.x;
}
int main() {
  int *out;
  float *in;
  cudaMalloc(&out, 4096), cudaMalloc(&in, 4096);
  k<<<1, 64>>>(out, in);
}
"""


def test_what_is_computed_of_the_threads_own_numbers_has_one_value(tmp_path: Path) -> None:
    kernel = replayed(tmp_path, OF_FLOATS.replace("NUMBER", "threadIdx.x * 0.5f"), "")
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
    (open_pair,) = kernel.launches[0].open_pairs
    assert open_pair.reason == (
        "it depends on values that the kernel computes: != in floating point; "
        "not replayed: the write in line 4 was not made"
    )


def test_what_is_computed_of_contents_may_have_any(tmp_path: Path) -> None:
    kernel = replayed(tmp_path, OF_FLOATS.replace("NUMBER", "in[threadIdx.x]"), "")
    assert [f.confidence for f in kernel.findings] == [Confidence.DATA_DEPENDENT]


WAITING = """
__device__ int flag = 0;
__global__ void k(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&data[i], 1);
  SYNC
  if (i == 1) {
    __threadfence();
    atomicExch(&flag, 1);
  } else if (blockIdx.x > 0) {
    while (atomicAdd(&flag, 0) != 1) {}
    __threadfence();
    out[i] = data[i - blockDim.x];
  }
}
int main() {
  int *data, *out;
  cudaMalloc(&data, 4096), cudaMalloc(&out, 4096);
  k<<<2, 4>>>(data, out);
}
"""


def test_who_has_waited_may_be_ordered_by_others(tmp_path: Path) -> None:
    """One thread of a warp sets the flag for all of them, behind a barrier of some: no run shows a race."""
    kernel = replayed(tmp_path, WAITING.replace("SYNC", "__syncwarp(0xf);"), "")
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
    (open_pair,) = kernel.launches[0].open_pairs
    assert open_pair.reason.startswith("what threads wait for may order the two: flag; not replayed: ")


def test_who_has_waited_in_vain_races(tmp_path: Path) -> None:
    (kernel,) = (replayed(tmp_path, WAITING.replace("SYNC", ""), ""),)
    found = [(f.first.span.line, f.second.span.line, f.confidence, f.awaits) for f in kernel.findings]
    assert found == [(5, 13, Confidence.CONFIRMED, ("flag",))]


def test_so_it_is_where_contents_decide(tmp_path: Path) -> None:
    """Contents that lead to the place of the race say nothing of the wait before it.

    In vain two threads of a warp race, too: they have waited for a thread of a block that neither is in.
    """
    looked_up = WAITING.replace("int *out)", "int *out, const int *from)").replace(
        "data[i - blockDim.x]", "data[from[i]]"
    )
    looked_up = looked_up.replace("int *data, *out;", "int *data, *out, *from;").replace(
        "data, out);", "data, out, from);"
    )
    looked_up = looked_up.replace("cudaMalloc(&out, 4096)", "cudaMalloc(&out, 4096), cudaMalloc(&from, 4096)")
    waiting = replayed(tmp_path, looked_up.replace("SYNC", "__syncwarp(0xf);"), "")
    assert (waiting.outcome, waiting.findings) == (Outcome.UNKNOWN, ())
    (open_pair,) = waiting.launches[0].open_pairs
    assert open_pair.reason.startswith("what threads wait for may order the two: flag; not replayed: ")
    in_vain = replayed(tmp_path, looked_up.replace("SYNC", ""), "")
    found = [(f.first.span.line, f.second.span.line, f.confidence, f.replay) for f in in_vain.findings]
    assert found == [(5, 13, Confidence.DATA_DEPENDENT, CONFIRMED)]


TWO_COUNTERS = """
__global__ void k(const int *in, int *out) {
  __shared__ int low, high;
  if (threadIdx.x == 0) low = 0, high = BEGIN;
  __syncthreads();
  int v = in[threadIdx.x];
  int at = v < 0 ? atomicAdd(&low, 1) : atomicSub(&high, 1) - 1;
  if (at >= 0 && at < 9) out[at] = v;
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 1024), cudaMalloc(&out, 1024);
  k<<<1, 2>>>(in, out);
}
"""


def test_who_draws_from_one_counter_does_not_draw_from_another(tmp_path: Path) -> None:
    kernel = replayed(tmp_path, TWO_COUNTERS.replace("BEGIN", "2"), "")
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
    (open_pair,) = kernel.launches[0].open_pairs
    assert open_pair.reason.startswith("it depends on values that the kernel computes: add(), sub(); not replayed: ")


def test_two_counters_that_meet_in_a_run_show_a_race(tmp_path: Path) -> None:
    kernel = replayed(tmp_path, TWO_COUNTERS.replace("BEGIN", "1"), "")
    assert [(f.confidence, f.replay) for f in kernel.findings] == [(Confidence.DATA_DEPENDENT, CONFIRMED)]


COUNTED_BY_BLOCKS = """
__global__ void k(const int *in, int *all, int *done, int n) {
  __shared__ int own[32];
  if (threadIdx.x < 32) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i] & 31], 1);
  __syncthreads();
  LOOK
  if (threadIdx.x < 32) all[threadIdx.x] += own[threadIdx.x];
}
"""


@pytest.mark.parametrize(("look", "awaits"), [("", ()), ("while (atomicAdd(done, 0) == 0) {}", ("done",))])
def test_what_a_block_counts_for_itself_tells_nothing_of_others(
    tmp_path: Path, look: str, awaits: tuple[str, ...]
) -> None:
    (kernel,) = check(tmp_path, COUNTED_BY_BLOCKS.replace("LOOK", look)).kernels
    of_all = [f.awaits for f in kernel.findings if f.first.span.line == 10]
    assert [set(found) & {"own", "done"} for found in of_all] == [set(awaits) | ({"own"} if look else set())] * 2


def test_a_ring_whose_index_begins_again(tmp_path: Path) -> None:
    """Whether a slot is drawn twice depends on how many threads draw, which the two threads of a pair do not show."""
    ring = """
    __global__ void k(int *ring, unsigned *head, unsigned size) { ring[atomicInc(head, size - 1)] = threadIdx.x; }
    int main() {
      int *ring;
      unsigned *head;
      cudaMalloc(&ring, 4096);
      cudaMalloc(&head, 4);
      cudaMemset(head, 0, 4);
      k<<<4, 256>>>(ring, head, 1024);
    }
    """
    (kernel,) = analyze((parse(tmp_path, ring),), AnalysisOptions(), Replayer()).kernels
    assert (kernel.outcome, kernel.findings) == (Outcome.UNKNOWN, ())
    (open_pair,) = kernel.launches[0].open_pairs
    assert open_pair.reason.startswith("it depends on values that the kernel computes: inc()")
