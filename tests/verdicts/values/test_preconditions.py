"""Races that one precondition on parameters excludes, and those that none does."""

from math import inf
from pathlib import Path
from time import perf_counter

import pytest

from hgrd.engine.analysis.launch_protocol import infer_at_launch
from hgrd.engine.analysis.program import follow_host
from hgrd.findings.model import Confidence
from hgrd.findings.options import AnalysisOptions
from hgrd.program.linked import link
from hgrd.races.pairs.checker import check_pairs
from hgrd.solve.decide import Decider
from hgrd.solve.session import Session
from tests.checking import check, observed, parse, verdicts

SOURCE = """
// race: write cell, write cell; global; warp block grid (unless cols <= stride)
__global__ void rows_of_a_stride(int *a, int cols, int stride) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < cols) a[y * stride + x] = x + y;  // cell
}

// race: write all, write all; global; warp block grid
__global__ void one_cell(int *a, int cols, int stride) {
  a[cols * stride] = threadIdx.x + blockIdx.x;  // all
}

// race: write slot, write slot; global; warp block grid (unless n <= k)
__global__ void ring(int *a, int k, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) a[i % k] = i;  // slot
}

// race: write each, write each; global; warp block grid (unless step != 0)
__global__ void steps(int *a, int step) {
  long i = threadIdx.x + blockIdx.x * blockDim.x;
  a[i * step] = i;  // each
}

// race: read far, write near; global; warp block grid (unless n <= d)
__global__ void shift(int *a, int d, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    int v = a[i + d];  // far
    a[i] = v;  // near
  }
}

// race: read next, write near; global; warp block grid
__global__ void shift_by_one(int *a, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n - 1) {
    int v = a[i + 1];  // next
    a[i] = v;  // near
  }
}

// race: write place, write place; global; warp block grid (unless distinct(place))
__global__ void permute(int *a, const int *place, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) a[place[i]] = i;  // place
}

// race: write bin, write bin; global; warp block grid (data-dependent)
// race: read bin, write bin; global; warp block grid (data-dependent)
__global__ void count(int *a, const int *bin, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) a[bin[i]] += 1;  // bin
}

// race: write edge, write edge; global; warp block grid
__global__ void clamped(int *a, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  a[i < n ? i : 0] = i;  // edge
}

// race: write sum, write sum; global; grid (unless blockDim.x % 32 == 0)
__global__ void a_place_for_each_warp(int *a, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (threadIdx.x % 32 == 0) a[i / 32] = blockIdx.x;  // sum
}

// race: write own, write own; shared; warp block (unless n > 0 && (n & (n - 1)) == 0)
__global__ void pairs_of_a_power(int n) {
  __shared__ int s[2048];
  int t = threadIdx.x;
  if (n > 1) s[2 * t - (t & (n - 1))] = t;  // own
}

// race: write cell, write cell; global; warp block grid (unless right - left <= width)
__global__ void a_window(int *a, int left, int right, int top, int bottom, int width) {
  int x = left + blockIdx.x * blockDim.x + threadIdx.x, y = top + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < right && y < bottom) a[y * width + x] = x + y;  // cell
}

// race: write cell, write cell; global; warp block grid (unless right - left < width)
__global__ void a_window_with_its_end(int *a, int left, int right, int top, int bottom, int width) {
  int x = left + blockIdx.x * blockDim.x + threadIdx.x, y = top + blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= right && y <= bottom) a[y * width + x] = x + y;  // cell
}

// race: write cell, write cell; global; warp block grid
__global__ void a_window_of_half_rows(int *a, int left, int right, int top, int bottom, int width) {
  int x = left + blockIdx.x * blockDim.x + threadIdx.x, y = top + blockIdx.y * blockDim.y + threadIdx.y;
  if (x < right && y < bottom) a[y / 2 * width + x] = x + y;  // cell
}

// race: write own, write own; global; warp block grid (unless apart(begin, begin + length) && nonnegative(length))
__global__ void runs_of_a_length(int *a, const int *begin, const int *length, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= n) return;
  for (int i = begin[t]; i < begin[t] + length[t]; i++) a[i] = t;  // own
}

// race: write own, write own; global; warp block grid (unless apart(begin, end))
__global__ void runs_to_an_end(int *a, const int *begin, const int *end, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= n) return;
  for (int i = begin[t]; i < end[t]; i++) a[i] = t;  // own
}

// race: write own, write own; global; grid (unless atmost(degree, width))
__global__ void rows_as_long_as_memory_says(int *a, const int *degree, const int *row, int width) {
  int t = threadIdx.x, d = degree[row[blockIdx.x]];
  if (t < d) a[blockIdx.x * width + t] = d;  // own
}

// race: write begins, write ends; global; warp block grid (unless monotone(key))
// race: write ends, write ends; global; warp block grid (unless monotone(key))
__global__ void where_sorted_keys_end(int *end, const unsigned *key, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= n) return;
  if (t == 0) end[key[0]] = 0;  // begins
  else if (key[t - 1] != key[t]) end[key[t]] = t;  // ends
}

// race: write last, write last; global; warp block grid (unless apart(begin, begin + length) && positive(length))
__global__ void the_ends_of_runs(short *a, const int *begin, const int *length, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t < n) a[begin[t] + length[t] - 1] = t;  // last
}

// race: write own, write own; global; warp block grid (data-dependent)
__global__ void runs_and_one_more(int *a, const int *begin, const int *end, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= n) return;
  for (int i = begin[t]; i <= end[t]; i++) a[i] = t;  // own
}

// race: write own, write own; global; warp block grid (data-dependent)
__global__ void runs_of_another_one(int *a, const int *begin, const int *end, const int *which, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= n) return;
  for (int i = begin[which[t]]; i < end[which[t]]; i++) a[i] = t;  // own
}

// race: write entry, write entry; global; grid (unless monotone(start))
__global__ void row_of_a_block(int *a, const int *start) {
  int first = start[blockIdx.x];
  for (int i = first + threadIdx.x; i < start[blockIdx.x + 1]; i += blockDim.x) a[i] = i + blockIdx.x;  // entry
}

// race: write entry, write entry; global; warp block grid (data-dependent)
__global__ void row_of_a_thread_too_long(int *a, const int *start) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = start[row]; i <= start[row + 1]; i++) a[i] = row;  // entry
}

// race: write entry, write entry; global; grid (unless apart(start, start + length))
__global__ void row_of_given_length(int *a, const int *start, const int *length) {
  int first = start[blockIdx.x];
  for (int i = threadIdx.x; i < length[blockIdx.x]; i += blockDim.x) a[first + i] = i + blockIdx.x;  // entry
}

// race: write mine, write mine; global; grid (unless within(key, bins))
__global__ void table_of_a_block(int *a, const int *key, int bins, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) a[blockIdx.x * bins + key[i]] = blockIdx.x;  // mine
}

// race: write ours, write ours; global; grid (data-dependent)
__global__ void table_of_two_blocks(int *a, const int *key, int bins, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) a[blockIdx.x / 2 * bins + key[i]] = blockIdx.x;  // ours
}

// race: write each, write each; global; grid (unless within(some, columns))
__global__ void places_by_way_of_shared_memory(int *a, const int *place, int columns) {
  __shared__ int some[32];
  if (threadIdx.x < 32) some[threadIdx.x] = place[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) a[blockIdx.x * columns + some[7]] = 1 + blockIdx.x;  // each
}

// race: write bin, write bin; global; warp block grid (unless within(key, 64))
__global__ void table_of_a_thread(int *a, const int *key) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  a[t * 64 + key[t]] = t;  // bin
}

// race: write cell, write cell; global; warp block grid (unless right - left < stride)
__global__ void rectangle(int *a, int stride, int left, int right, int top, int bottom) {
  int x = threadIdx.x + blockIdx.x * blockDim.x + left, y = threadIdx.y + blockIdx.y * blockDim.y + top;
  if (x <= right && y <= bottom) a[y * stride + x] = 3 * x + y;  // cell
}

// race: write sum, write sum; global; warp block grid (unless monotone(start))
__global__ void row_that_several_threads_write_alike(float *a, const int *start, const float *of_row) {
  for (int i = start[blockIdx.x]; i < start[blockIdx.x + 1]; i++) a[i] = of_row[blockIdx.x] + 1;  // sum
}
"""

test_kernel = verdicts(SOURCE)


HOSTED = """
__global__ void rows(int *a, int cols, int stride) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < cols) a[y * stride + x] = x + y;  // cell
}
int main(int count, char **words) {
  int *a;
  int cols = atoi(words[1]), stride = atoi(words[2]);
  cudaMalloc(&a, 1 << 20);
  CONDITION
  rows<<<dim3(8, 8), dim3(8, 8)>>>(a, cols, stride);
}
"""


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("", "race: write cell, write cell; global; warp block grid (unless cols <= stride)"),
        ("if (stride < cols) return 1;", "safe: 1 of 1 pairs"),
        ("if (stride >= cols) return 1;", "race: write cell, write cell; global; warp block grid"),
    ],
)
def test_what_the_host_says(tmp_path_factory: pytest.TempPathFactory, condition: str, verdict: str):
    text = "#include <cstdlib>\n" + HOSTED.replace("CONDITION", condition)
    assert observed(check(tmp_path_factory.mktemp("hosted"), text), text) == {"rows": [verdict]}


@pytest.mark.parametrize(("any_arguments", "alone"), [(False, Confidence.CONDITIONAL), (True, Confidence.DEFINITE)])
def test_callers_that_are_not_seen_respect_a_condition(tmp_path: Path, any_arguments: bool, alone: Confidence):
    """Unless they are taken to call with anything; callers that are seen may establish it in any case."""
    hosted = "#include <cstdlib>\n" + HOSTED.replace("CONDITION", "")
    for text, confidence in ((hosted, Confidence.CONDITIONAL), (HOSTED.partition("int main")[0], alone)):
        (kernel,) = check(tmp_path, text, any_arguments=any_arguments).kernels
        assert [(f.confidence, f.condition) for f in kernel.findings] == [(confidence, "cols <= stride")]


LAUNCH = "/* launch */"


def test_a_kernel_that_the_host_does_not_launch(tmp_path_factory: pytest.TempPathFactory):
    """The host that launches another kernel contradicts no condition of this one's launches."""
    text = "#include <cstdlib>\n__global__ void other(int *a) { a[threadIdx.x] = 0; }\n"
    text += HOSTED.replace("CONDITION", "").replace("rows<<<dim3(8, 8), dim3(8, 8)>>>(a, cols, stride)", LAUNCH)
    for launch, confidence in (("other<<<1, 1>>>(a)", Confidence.CONDITIONAL), ("", Confidence.DEFINITE)):
        report = check(tmp_path_factory.mktemp("unlaunched"), text.replace(LAUNCH, launch), any_arguments=True)
        found = [(f.confidence, f.condition) for k in report.kernels for f in k.findings if k.kernel == "rows"]
        assert found == [(confidence, "cols <= stride")]


VECTORS = """
#include <cstdlib>
__global__ void halve(float2 *a, int width) {
  for (int x = threadIdx.x * 2; x < width; x += blockDim.x * 2)
    a[(blockIdx.x * width + x) / 2] = make_float2(x, x);  // both
}
struct Four { float x, y, z, w; };
__global__ void fours(float *a, int width) {
  int x = threadIdx.x * 4;
  if (x < width) *(Four *)(a + blockIdx.x * width + x) = Four{float(x), 1, 2, 3};  // all
}
int main(int count, char **words) {
  float *a;
  int width = atoi(words[1]), other = atoi(words[2]);
  cudaMalloc(&a, 1 << 20);
  CONDITION
  halve<<<8, 64>>>((float2 *)a, width);
  fours<<<8, 64>>>(a, width);
}
"""


@pytest.mark.parametrize(
    ("condition", "halve", "fours"),
    [
        ("", " (unless width % 2 == 0)", " (unless width % 4 == 0)"),
        ("if (width % 2) return 1;", None, " (unless width % 4 == 0)"),
        ("if (width % 4 != 0) return 1;", None, None),
        ("if (width % 2 == 0) return 1;", "", ""),
    ],
)
def test_whole_vectors(tmp_path_factory: pytest.TempPathFactory, condition: str, halve: str | None, fours: str | None):
    text = VECTORS.replace("CONDITION", condition)
    found = observed(check(tmp_path_factory.mktemp("vectors"), text), text)
    for kernel, label, levels, suffix in (("halve", "both", "grid", halve), ("fours", "all", "grid", fours)):
        race = f"race: write {label}, write {label}; global; {levels}{suffix}"
        assert found[kernel] == ["safe: 1 of 1 pairs" if suffix is None else race]


LEVELS = """
#include <cstdlib>
__global__ void rows(int *a, int width, int pitch) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < width) a[y * pitch + x] = x + y;  // cell
}
int main(int count, char **words) {
  int *a, levels = atoi(words[1]);
  int *w = new int[levels], *p = new int[levels];
  cudaMalloc(&a, 1 << 20);
  for (int l = 0; l < levels; l++) { w[l] = atoi(words[l]); p[l] = CONTENTS; }
  for (int l = 0; l < levels; l++) rows<<<dim3(8, 8), dim3(8, 8)>>>(a, w[l], PITCH);
}
"""


@pytest.mark.parametrize(
    ("contents", "pitch", "condition"),
    [
        ("w[l] + 32 - w[l] % 32", "p[l]", "width <= pitch"),
        ("0", "w[l] / 2", "64 <= pitch"),
    ],
)
def test_a_condition_on_what_the_host_has_in_memory_names_parameters(
    tmp_path_factory: pytest.TempPathFactory, contents: str, pitch: str, condition: str
):
    text = LEVELS.replace("CONTENTS", contents).replace("PITCH", pitch)
    verdict = f"race: write cell, write cell; global; warp block grid (unless {condition})"
    assert observed(check(tmp_path_factory.mktemp("levels"), text), text) == {"rows": [verdict]}


def test_a_condition_names_parameters_where_one_level_was_set_on_its_own(tmp_path_factory: pytest.TempPathFactory):
    text = LEVELS.replace("CONTENTS", "w[l] + 32 - w[l] % 32").replace("PITCH", "p[l]")
    launches = "  for (int l = 0; l < levels; l++) rows"
    text = text.replace(launches, f"  w[4] = atoi(words[9]); p[4] = atoi(words[10]);\n{launches}")
    verdict = "race: write cell, write cell; global; warp block grid (unless width <= pitch)"
    assert observed(check(tmp_path_factory.mktemp("level"), text), text) == {"rows": [verdict]}


CHOSEN = """
#include <cstdlib>
__global__ void tables(int *a, const int *key, int columns, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) a[blockIdx.x * columns + key[i]] = blockIdx.x;  // cell
}
int main(int count, char **words) {
  int *a, *key, wide = atoi(words[1]), n = atoi(words[2]);
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&key, 1 << 20);
  tables<<<64, 64>>>(a, key, wide > 3 ? 128 : 32, n);
}
"""


def test_indexes_within_what_the_host_chooses(tmp_path_factory: pytest.TempPathFactory):
    verdict = "race: write cell, write cell; global; grid (unless within(key, columns))"
    assert observed(check(tmp_path_factory.mktemp("chosen"), CHOSEN), CHOSEN) == {"tables": [verdict]}


@pytest.mark.parametrize(
    ("width", "condition"),
    [("(columns + 1)", "unless within(key, columns + 1)"), ("((columns + 1) / 2)", "data-dependent")],
)
def test_indexes_within_a_little_more(tmp_path_factory: pytest.TempPathFactory, width: str, condition: str):
    text = CHOSEN.replace("blockIdx.x * columns", f"blockIdx.x * {width}")
    verdict = f"race: write cell, write cell; global; grid ({condition})"
    assert observed(check(tmp_path_factory.mktemp("more"), text), text) == {"tables": [verdict]}


PITCHED = """
#include <cstdlib>
// race: write next, write next; global; grid (unless within(C, n))
// race: write next, write start; global; grid (unless within(C, n))
__global__ void rows_of_blocks(int *d, size_t pitch, const int *C, int m, int n) {
  int *row = (int *)((char *)d + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = n + blockIdx.x;  // start
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < m; i++) row[C[i]] = blockIdx.x;  // next
}

// race: write next, write next; global; grid (unless within(C, n))
// race: write next, write start; global; grid (data-dependent)
__global__ void one_behind_the_row(int *d, size_t pitch, const int *C, int m, int n) {
  int *row = (int *)((char *)d + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = n + blockIdx.x;  // start
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < m; i++) row[C[i] + 1] = blockIdx.x;  // next
}

int main(int count, char **words) {
  int *d, *C, wide = atoi(words[1]), n = wide > 3 ? wide : atoi(words[2]), m = atoi(words[3]);
  size_t pitch;
  cudaMallocPitch(&d, &pitch, n * sizeof(int), 64);
  cudaMalloc(&C, m * sizeof(int));
  rows_of_blocks<<<64, 64>>>(d, pitch, C, m, n);
  one_behind_the_row<<<64, 64>>>(d, pitch, C, m, n);
}
"""

test_indexes_within_rows_that_are_long_enough = verdicts(PITCHED)


WRAPPING = """
#include <cassert>
#include <cstdlib>
__global__ void rows(int *a, const int *start, int more) {
  int first = start[blockIdx.x], n = start[blockIdx.x + 1] - first + more;
  for (int s = 0; s < n; s += blockDim.x)
    if (s + threadIdx.x < n) a[first + s + threadIdx.x] = blockIdx.x;
}
int main(int count, char **words) {
  int n = atoi(words[1]), b = atoi(words[2]);
  assert(n > b * b);
  int *a, *start;
  cudaMalloc(&a, n);
  cudaMalloc(&start, b * 4 + 4);
  rows<<<b, 128>>>(a, start, n % b);
}
"""


def test_what_the_host_excludes_but_for_overflow_is_no_condition(tmp_path_factory: pytest.TempPathFactory):
    """`n <= b` contradicts the assertion, where `b * b` does not wrap around."""
    report = check(tmp_path_factory.mktemp("wrapping"), WRAPPING)
    assert [f.condition for kernel in report.kernels for f in kernel.findings] == [""]


ROWS = """
__global__ void rows(int *a, int width, int height, int stride) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) a[y * stride + x] = x;
}
"""


@pytest.mark.parametrize(
    ("elsewhere", "condition"),
    [
        ("", "width <= stride"),
        ("stride == width", "stride == width"),
        ("stride == (gridDim.x * blockDim.x)", "width <= stride"),  # that does not exclude it
    ],
)
def test_what_excludes_races_of_other_launches_comes_first(tmp_path: Path, elsewhere: str, condition: str):
    program = parse(tmp_path, ROWS)
    (kernel,) = program.kernels()
    inferred = infer_at_launch(link((program,)), kernel, None, AnalysisOptions())
    with Session() as session:
        found = check_pairs(
            inferred.protocol,
            inferred.facts,
            AnalysisOptions(),
            Decider(session),
            perf_counter() + 60,
            elsewhere={elsewhere},
        )
    assert [f.condition for f in found.findings] == [condition]


SHIFT = """
__global__ void shift(int *a, int d, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) a[i] = a[i + d];
}
"""


TILED_ROWS = """
__global__ void tile(float *out, int width) {
  out[(blockIdx.y * 8 + threadIdx.y) * width + blockIdx.x * 32 + threadIdx.x] = threadIdx.y;
}
void draw(float *out, int width, int height) {
  if (width > 0 && height > 0) tile<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(out, width);
}
"""


@pytest.mark.parametrize(
    ("source", "elsewhere", "races", "reasons"),
    [
        (ROWS, "", [], ["the time limit was reached: 'height <= stride' may exclude it"]),
        (TILED_ROWS, "", [], ["the time limit was reached: 'width % 32 == 0' may exclude it"]),
        (SHIFT, "n <= d", [], ["the time limit was reached: 'n <= d' may exclude it"]),
        (SHIFT, "", [""], []),
    ],
)
def test_a_race_whose_conditions_were_not_looked_for(
    source: str, elsewhere: str, races: list[str], reasons: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The time is over when the pairs are decided: what rows or other races plainly need leaves a race undecided."""
    for module in ("preconditions.across_findings", "pairs.precondition_search"):
        monkeypatch.setattr(f"hgrd.races.{module}.perf_counter", lambda: inf)
    program = parse(tmp_path, source)
    (kernel,) = follow_host((program,), AnalysisOptions()).kernels
    inferred = infer_at_launch(link((program,)), kernel.kernel, kernel.launches[0], AnalysisOptions())
    with Session() as session:
        decide, end = Decider(session), perf_counter() + 60
        found = check_pairs(inferred.protocol, inferred.facts, AnalysisOptions(), decide, end, elsewhere={elsewhere})
    assert [f.condition for f in found.findings] == races
    assert [pair.reason for pair in found.open_pairs] == reasons
