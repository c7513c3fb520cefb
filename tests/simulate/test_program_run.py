"""Runs of the program itself: pairs that the analysis leaves open, or that depend on a condition, race when it runs."""

from pathlib import Path
from time import perf_counter

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Confidence, Level, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.host.run import run_host
from hgrd.program.linked import link
from hgrd.simulate.program_run.program_run import races_in_program
from tests.checking import observed, parse

# Which element a thread gets depends on what it has read in a loop: no witness can have such contents.
OWNERS = """
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void walk(const int *next, int *visits, int steps) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; s++) at = next[at];
  visits[at] = threadIdx.x;  // place
}
int after(int i, int n) { return STEP; }
void start(const int *next, int *visits, int n) { walk<<<n / 64, 64>>>(next, visits, 2); }
int main() {
  const int n = 192;
  int *h = (int *)malloc(n * sizeof(int)), *next, *visits;
  for (int i = 0; i < n; i++) h[i] = after(i, n);
  cudaMalloc(&next, n * sizeof(int));
  cudaMalloc(&visits, n * sizeof(int));
  cudaMemcpy(next, h, n * sizeof(int), cudaMemcpyHostToDevice);
  start(next, visits, n);
  free(h);
  return cudaDeviceSynchronize();
}
"""


def shown(folder: Path, text: str, number: int = 0) -> list[tuple[int, int, Confidence, tuple[Level, ...]]]:
    """What a run shows of all that the analysis has not proved of a launch: lines, confidence, and levels."""
    program = parse(folder, text)
    (kernel,) = analyze((program,), AnalysisOptions()).kernels
    pairs = (*kernel.launches[number].findings, *kernel.launches[number].open_pairs)
    asked = tuple(
        AskedPair(p.first, p.second, p.space, tuple(Level)) for p in pairs if p.first and p.second and p.space
    )
    assert asked
    tables, launch = link((program,)), run_host((program,)).launches[number]
    seen, _ = races_in_program(tables, tables.functions["main"], launch, asked)
    return sorted((f.first.span.line, f.second.span.line, f.confidence, f.levels) for f in seen.values())


LINE = 1 + OWNERS.splitlines().index("  visits[at] = threadIdx.x;  // place")


def test_the_run_shows_a_race_with_the_contents_that_the_program_makes(tmp_path: Path):
    text = OWNERS.replace("STEP", "i / 2 + n / 4")
    assert shown(tmp_path, text) == [(LINE, LINE, Confidence.CONFIRMED, (Level.INTRA_WARP,))]


def test_the_run_shows_between_which_threads(tmp_path: Path):
    text = OWNERS.replace("STEP", "i < 64 ? i : (i + 64) % 128")
    assert shown(tmp_path, text) == [(LINE, LINE, Confidence.CONFIRMED, (Level.INTER_BLOCK,))]


def test_where_no_two_threads_meet_the_run_shows_nothing(tmp_path: Path):
    assert shown(tmp_path, OWNERS.replace("STEP", "(i + 1) % n")) == []


def test_numbers_that_are_drawn_are_contents_that_the_race_needs(tmp_path: Path):
    (found,) = shown(tmp_path, OWNERS.replace("STEP", "rand() % n"))
    assert found[2] is Confidence.DATA_DEPENDENT


def test_so_is_memory_that_nothing_has_given_contents(tmp_path: Path):
    text = OWNERS.replace("STEP", "i").replace("cudaMemcpy(next, h", "cudaMemcpy(h, next")
    (found,) = shown(tmp_path, text.replace("cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"))
    assert found[2] is Confidence.DATA_DEPENDENT


def test_a_run_that_comes_to_a_call_that_is_not_known_shows_nothing(tmp_path: Path):
    text = OWNERS.replace("STEP", "look_up(i / 2)").replace("int after(", "int look_up(int);\nint after(")
    assert shown(tmp_path, text) == []


def test_each_launch_is_watched_by_the_calls_that_lead_to_it(tmp_path: Path):
    text = OWNERS.replace("STEP", "i % 64").replace(
        "start(next, visits, n);", "start(next, visits, 64);\n  start(next, visits, n);"
    )
    assert shown(tmp_path, text, 0) == []
    assert [found[3] for found in shown(tmp_path, text, 1)] == [(Level.INTER_BLOCK,)]


# Only when the last of all blocks reads do others meet it: the first blocks alone do not, and leave memory as it was.
LAST = """
#include <cuda_runtime.h>
__device__ unsigned tickets;
__global__ void totals(const int *in, int *part, int *out, int rows) {
  __shared__ bool last;
  int t = threadIdx.x, sum = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) sum += in[r * 64 + t];
  part[blockIdx.x * 64 + t] = sum;  // store
  if (t == 0) {
    __threadfence();
    last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    int all = 0;
    for (int b = 0; b < gridDim.x; b++) all += part[b * 64 + t];  // load
    out[t] = all;
  }
}
int main() {
  int *in, *part, *out;
  cudaMalloc(&in, 100 * 64 * 4);
  cudaMalloc(&part, 20 * 64 * 4);
  cudaMalloc(&out, 64 * 4);
  cudaMemset(in, 0, 100 * 64 * 4);
  totals<<<20, 64>>>(in, part, out, 100);
  return cudaDeviceSynchronize();
}
"""


def test_all_blocks_run_where_the_first_ones_show_nothing(tmp_path: Path):
    lines = LAST.splitlines()
    store, load = (1 + next(i for i, line in enumerate(lines) if line.endswith(end)) for end in ("// store", "// load"))
    assert shown(tmp_path, LAST) == [(store, load, Confidence.CONFIRMED, (Level.INTER_BLOCK,))]


# More are inserted than there are slots; how many depends on contents that the program makes.
SLOTS = """
#include <cuda_runtime.h>
__global__ void insert(const int *cell, int *slots, unsigned *fill, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned k = atomicInc(&fill[cell[i]], 15);
    slots[cell[i] * 16 + k] = i;  // slot
  }
}
int main() {
  int h[512], *cell, *slots;
  unsigned *fill;
  volatile int first = 0;
  for (int i = 0; i < 512; i++) h[i] = (i + first) % 8;
  cudaMalloc(&cell, sizeof h);
  cudaMalloc(&slots, 8 * 16 * 4);
  cudaMalloc(&fill, 8 * 4);
  cudaMemcpy(cell, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(fill, 0, 8 * 4);
  insert<<<4, 128>>>(cell, slots, fill, 512);
  return cudaDeviceSynchronize();
}
"""


def test_a_pair_that_is_open_is_a_race_where_the_run_shows_it(tmp_path: Path):
    program = parse(tmp_path, SLOTS)
    why = "it depends on values that the program computes: cell (program.cu:14)"
    before, after = (analyze((program,), AnalysisOptions(), r) for r in (None, LateReplayer(perf_counter() + 60)))
    open_ = "open: write slot, write slot; global; {}: " + why
    assert observed(before, SLOTS) == {"insert": [open_.format("warp block grid")]}
    race = "race: write slot, write slot; global; grid (confirmed)"
    assert observed(after, SLOTS) == {"insert": [open_.format("warp block"), race]}
    (finding,) = after.kernels[0].findings
    assert after.kernels[0].outcome is Outcome.RACE
    assert (finding.witness.block_dim, finding.witness.grid_dim) == ((128, 1, 1), (4, 1, 1))
