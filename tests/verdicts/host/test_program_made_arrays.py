"""Provenance of arrays that decide where threads go.

Input may be anything: two threads meet for some data.  Contents that the program computes may be such that they never
do; a race that needs such contents is reported only with a condition, and is otherwise unknown.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Report
from tests.checking import check, decided

SOURCE = """
#include <cuda_runtime.h>
#include <curand.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <vector>
struct Task { int at; float weight; };
__device__ int places[1024];
__global__ void count(int *sum, const int *at, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) sum[at[t]] += t;  // count
}
__global__ void count_tasks(int *sum, const Task *tasks, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) sum[tasks[t].at] += t;  // tasks
}
__global__ void count_places(int *sum) { sum[places[threadIdx.x]] += 1; }  // places
__global__ void find(int *found, const int *sums, int k) {
  int t = threadIdx.x;
  if (sums[t] < k && k <= sums[t + 1]) *found = t;  // find
}
__global__ void part(int *sum, const int *begin) {
  for (int i = 0; i < 8; i++) sum[begin[threadIdx.x] + i] += 1;  // part
}
__global__ void neighbours(int *sum, const int *at, const int *next) {
  sum[at[threadIdx.x]] += sum[next[threadIdx.x]];  // neighbours
}
__global__ void columns(int *x, const int *level, const int *begin, const int *below) {
  int c = level[threadIdx.x];
  for (int i = begin[c]; i < begin[c + 1]; i++) atomicAdd(&x[below[i]], x[c]);  // columns
}
__global__ void all_columns(int *x, const int *begin, const int *below) {
  int c = threadIdx.x;
  for (int i = begin[c]; i < begin[c + 1]; i++) atomicAdd(&x[below[i]], x[c]);  // all columns
}
__global__ void flagged(int *sum, const int *flag, const int *next) {
  if (flag[threadIdx.x] == 1) sum[next[threadIdx.x]] += 1;  // flagged
}
__global__ void shifted(int *sum, const int *at, const int *less) {
  int t = threadIdx.x;
  sum[at[t / 8] - less[t / 8] + t] += 1;  // shifted
}
__global__ void fill(int *at, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) at[t] = n - t;
}
__global__ void fill_places(int n) { places[threadIdx.x] = n - threadIdx.x; }
__global__ void over(int *at, const int *by, int n) { if (threadIdx.x < n) at[threadIdx.x] = by[threadIdx.x]; }
void load(int *h, int n);
int main(int argc, char **argv) {
  int n = atoi(argv[1]), x, *h = (int *)malloc(n * sizeof(int)), *d, *e, *sum;
  Task *tasks = (Task *)malloc(n * sizeof(Task)), *dt;
  std::vector<int> v;
  std::mt19937 gen(1);
  std::uniform_int_distribution<int> dist(0, 9);
  std::ifstream in(argv[2]);
  FILE *f = fopen(argv[2], "r");
  curandGenerator_t random;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&e, n * sizeof(int));
  cudaMalloc(&dt, n * sizeof(Task));
  cudaMalloc(&sum, n * sizeof(int));
  BETWEEN
}
"""
COPY = "cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);"
COPY_TASKS = "cudaMemcpy(dt, tasks, n * sizeof(Task), cudaMemcpyHostToDevice);"
DRAWN = "for (int i = 0; i < n; i++) h[i] = rand() % n;"
COUNT = "count<<<(n + 255) / 256, 256>>>(sum, d, n);"
COUNT_TASKS = "count_tasks<<<(n + 255) / 256, 256>>>(sum, dt, n);"
STEPS = "for (int i = 0, c = 1; i < n; i++) { h[i] = c; c = c * 7 % n; }"  # are different in some programs, not in all


def run(folder: Path, between: str, kernel: str) -> Report:
    text = SOURCE.replace("BETWEEN", between)
    report = check(folder, text, kernels=(kernel,))
    return next(k for k in report.kernels if k.kernel == kernel)


def races(folder: Path, between: str, kernel: str = "count") -> list[Confidence]:
    found = run(folder, between, kernel)
    return [f.confidence for launch in found.launches for f in launch.findings if not f.same_value]


def reasons(folder: Path, between: str, kernel: str = "count") -> set[str]:
    found = run(folder, between, kernel)
    return {p.reason.partition(" (program.cu:")[0] for launch in found.launches for p in launch.open_pairs}


BOTH = [Confidence.DATA_DEPENDENT] * 2  # of the sum and the write of it, the write and itself
MADE_OF = "it depends on values that the program computes: "
MADE = {f"{MADE_OF}d"}


@pytest.mark.parametrize(
    "fill",
    [
        DRAWN + COPY,
        "for (int i = 0; i < n; i++) { int r = rand(); h[i] = r % n; }" + COPY,
        "for (int i = 0; i < n; i++) h[i] = dist(gen);" + COPY,
        "for (int i = 0; i < n; i++) { double r = drand48(); h[i] = (int)(r * n); }" + COPY,
        'for (int i = 0; i < n; i++) fscanf(f, "%d", &h[i]);' + COPY,
        'for (int i = 0; i < n; i++) { fscanf(f, "%d", &x); h[i] = x - 1; }' + COPY,
        "for (int i = 0; i < n; i++) { in >> x; h[i] = x; }" + COPY,
        "for (int i = 0; i < n; i++) in >> h[i];" + COPY,
        "char line[80]; for (int i = 0; fgets(line, 80, f); i++) h[i] = atoi(line);" + COPY,
        "fread(h, sizeof(int), n, f);" + COPY,
        "fread(h, sizeof(int), n, f); int *g = new int[n]; memcpy(g, h, n * sizeof(int));"
        "cudaMemcpy(d, g, n * sizeof(int), cudaMemcpyHostToDevice);",
        "load(h, n);" + COPY,
        "cudaMemcpy(d, argv[1], n * sizeof(int), cudaMemcpyHostToDevice);",
        "for (int i = 0; i < n; i++) v.push_back(rand() % n);"
        "cudaMemcpy(d, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);",
        "curandGenerate(random, (unsigned *)d, n);",
        "for (int i = 0; i < n; i++) h[i] = rand() % n; h[n - 1] = n;" + COPY,
        "h[0] = n; for (int i = 1; i < n; i++) h[i] = h[i] + rand() % n;" + COPY,
        "memset(h, 0, n * sizeof(int)); for (int i = 0; i < n; i++) h[i] += rand() % n;" + COPY,
        STEPS + "for (int i = 0; i < n; i += 2) h[i] = rand() % n;" + COPY,
        "load(h, n); over<<<1, 32>>>(h, d, n);" + COPY,
        "",  # nobody is seen to make it
    ],
)
def test_of_input_anything_may_be_so(tmp_path: Path, fill: str) -> None:
    assert races(tmp_path, fill + COUNT) == BOTH
    assert reasons(tmp_path, fill + COUNT) == set()


@pytest.mark.parametrize(
    "fill",
    [
        STEPS + COPY,
        "for (int i = 0, s = 0; i < n; i++) { h[i] = s % n; s += i * x; }" + COPY,
        STEPS + "std::sort(h, h + n);" + COPY,
        "fread(h, sizeof(int), n, f); std::sort(h, h + n, std::greater<int>());" + COPY,
        "for (int i = 1; i < n; i++) h[i] = h[i - 1] + rand() % 9;" + COPY,
        "h[n] = n; for (int i = n; i > 0; i--) { int t = h[i] - 1 - rand() % 9; if (t < 0) break; h[i - 1] = t; }"
        + COPY,
        "v.resize(n); for (int i = 1; i < n; i++) v[i] = v[i - 1] + rand() % 9;"
        "cudaMemcpy(d, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);",
        STEPS + "int *g = new int[n]; memcpy(g, h, n * sizeof(int));"
        "cudaMemcpy(d, g, n * sizeof(int), cudaMemcpyHostToDevice);",
        "for (int i = 0, c = 1; i < n; i++) { v.push_back(c); c = c * 7 % n; }"
        "cudaMemcpy(d, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);",
        "fill<<<(n + 255) / 256, 256>>>(d, n);",
        "fill<<<(n + 255) / 256, 256>>>(e, n); cudaMemcpy(d, e, n * sizeof(int), cudaMemcpyDeviceToDevice);",
        "for (int r = 0; r < 3; r++) { fill<<<(n + 255) / 256, 256>>>(d, n);" + COUNT + "}",
        "for (int r = 0; r < 3; r++) {" + COUNT + "fill<<<(n + 255) / 256, 256>>>(d, n); }",
    ],
)
def test_what_the_program_makes_may_keep_threads_apart(tmp_path: Path, fill: str) -> None:
    assert races(tmp_path, fill + COUNT) == []
    assert reasons(tmp_path, fill + COUNT) == MADE


def test_where_it_is_made_is_said(tmp_path: Path) -> None:
    (launch,) = run(tmp_path, f"\n{STEPS}{COPY}{COUNT}", "count").launches
    line = next(i for i, text in enumerate(SOURCE.splitlines(), 1) if "BETWEEN" in text) + 1
    said = f"it depends on values that the program computes: d (program.cu:{line})"
    assert [p.reason for p in launch.open_pairs] == [said] * 2


def test_of_what_is_known_element_by_element_a_race_is_one(tmp_path: Path) -> None:
    fill = "for (int i = 0; i < n; i++) h[i] = 0;"
    assert races(tmp_path, fill + COPY + COUNT) == BOTH


def test_members_of_records(tmp_path: Path) -> None:
    steps = "for (int i = 0, c = 1; i < n; i++) { tasks[i].at = c; c = c * 7 % n; }"
    drawn = "for (int i = 0; i < n; i++) tasks[i].at = rand() % n;"
    assert races(tmp_path, steps + COPY_TASKS + COUNT_TASKS, "count_tasks") == []
    assert races(tmp_path, drawn + COPY_TASKS + COUNT_TASKS, "count_tasks") == BOTH


def test_variables_of_the_device(tmp_path: Path) -> None:
    count = "count_places<<<1, 256>>>(sum);"
    assert races(tmp_path, count, "count_places") == BOTH
    assert races(tmp_path, "fill_places<<<1, 256>>>(n);" + count, "count_places") == []
    copied = "fill_places<<<1, 256>>>(n); cudaMemcpyToSymbol(places, h, 4 * n);"
    assert races(tmp_path, copied + count, "count_places") == BOTH


def test_what_is_set_anew_is_no_longer_what_a_kernel_has_made(tmp_path: Path) -> None:
    fill = "fill<<<(n + 255) / 256, 256>>>(d, n);"
    assert races(tmp_path, fill + "cudaMemset(d, 0, n * sizeof(int));" + COUNT) == BOTH


def test_sums_that_the_program_makes_may_ascend(tmp_path: Path) -> None:
    search = "find<<<1, 256>>>(sum, d, argc);"
    assert races(tmp_path, DRAWN + COPY + search, "find") == [Confidence.DATA_DEPENDENT]
    assert races(tmp_path, STEPS + COPY + search, "find") == []
    assert reasons(tmp_path, STEPS + COPY + search, "find") == MADE


def test_parts_may_lie_behind_each_other(tmp_path: Path) -> None:
    parts = "part<<<1, 256>>>(sum, d);"
    assert races(tmp_path, DRAWN + COPY + parts, "part") == BOTH
    assert races(tmp_path, STEPS + COPY + parts, "part") == []
    assert reasons(tmp_path, STEPS + COPY + parts, "part") == MADE


def test_differences_of_what_the_program_makes_differ(tmp_path: Path) -> None:
    launch = "shifted<<<1, 256>>>(sum, d, e);"
    made = "fill<<<n, 256>>>(d, n);"
    assert races(tmp_path, made + launch, "shifted") == BOTH  # nobody is seen to make e
    assert races(tmp_path, made + "fill<<<n, 256>>>(e, n);" + launch, "shifted") == []


ROW = """
#include <cstdlib>
__global__ void clear(float *cells, const int *begin, const int *rows, const int *columns) {
  int n = columns[blockIdx.x];
  for (int i = 0; i < rows[blockIdx.x]; i++)
    if (threadIdx.x < n) cells[begin[blockIdx.x] + i * n + threadIdx.x] = i;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *begin = new int[n], *rows = new int[n], *columns = new int[n], *b, *r, *c, at = 0;
  float *cells;
  cudaMalloc(&b, n * 4), cudaMalloc(&r, n * 4), cudaMalloc(&c, n * 4), cudaMalloc(&cells, n * 4096);
  for (int i = 0; i < n; i++) {
    rows[i] = rand(), columns[i] = rand();
    begin[i] = BEGIN;
    at += rows[i] * columns[i];
  }
  cudaMemcpy(b, begin, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(r, rows, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(c, columns, n * 4, cudaMemcpyHostToDevice);
  clear<<<n, 256>>>(cells, b, r, c);
}
"""


@pytest.mark.parametrize(("begin", "found"), [("at", []), ("rand()", [Confidence.DATA_DEPENDENT])])
def test_what_is_made_lies_as_far_apart_as_what_is_given_asks_for(
    tmp_path: Path, begin: str, found: list[Confidence]
) -> None:
    ((launch,),) = (k.launches for k in check(tmp_path, ROW.replace("BEGIN", begin)).kernels)
    assert [f.confidence for f in launch.findings] == found
    assert {p.reason.partition(" (")[0] for p in launch.open_pairs} == (
        set() if found else {"it depends on values that the program computes: b"}
    )


def test_what_the_input_brings_about_is_a_race_whatever_the_program_makes(tmp_path: Path) -> None:
    launch = "neighbours<<<1, 256>>>(sum, d, e);"
    given = DRAWN + "cudaMemcpy(e, h, n * sizeof(int), cudaMemcpyHostToDevice);"
    made = "fill<<<n, 256>>>(d, n);"
    assert races(tmp_path, made + given + launch, "neighbours") == [Confidence.DATA_DEPENDENT]  # with the neighbour
    assert races(tmp_path, made + "fill<<<n, 256>>>(e, n);" + launch, "neighbours") == []  # e may be what d is
    assert races(tmp_path, DRAWN + COPY + given + launch, "neighbours") == [Confidence.DATA_DEPENDENT] * 3


def test_lists_may_keep_threads_from_what_others_work_on(tmp_path: Path) -> None:
    """As levels of columns do: those of one level do not touch each other's."""
    three = "int *level, *begin; cudaMalloc(&level, 4 * n); cudaMalloc(&begin, 4 * n + 4);"
    made = three + STEPS + "".join(f"cudaMemcpy({to}, h, 4 * n, cudaMemcpyHostToDevice);" for to in ("begin", "d"))
    leveled = "cudaMemcpy(level, h, 4 * n, cudaMemcpyHostToDevice);"
    launch = "columns<<<1, 256>>>(sum, level, begin, d);"
    assert races(tmp_path, made + leveled + launch, "columns") == []
    assert reasons(tmp_path, made + leveled + launch, "columns") == {f"{MADE_OF}level, begin, d"}
    assert races(tmp_path, made + DRAWN + leveled + launch, "columns") == [Confidence.DATA_DEPENDENT]  # any levels
    everything = made + "all_columns<<<1, 256>>>(sum, begin, d);"
    assert races(tmp_path, everything, "all_columns") == [Confidence.DATA_DEPENDENT]


def test_flags_are_the_same_for_many(tmp_path: Path) -> None:
    launch = "flagged<<<1, 256>>>(sum, d, e);"
    given = DRAWN + "cudaMemcpy(e, h, n * sizeof(int), cudaMemcpyHostToDevice);"
    made = "fill<<<n, 256>>>(d, n);"
    assert races(tmp_path, made + given + launch, "flagged") == BOTH
    assert races(tmp_path, made + "fill<<<n, 256>>>(e, n);" + launch, "flagged") == []


def test_bytes_repeat_whoever_makes_them(tmp_path: Path) -> None:
    source = """
#include <cstdlib>
__global__ void count(int *sum, const unsigned char *in, int n) {
  __shared__ int local[256];
  for (int i = threadIdx.x; i < 256; i += 256) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) local[in[i]]++;
  __syncthreads();
  atomicAdd(&sum[threadIdx.x], local[threadIdx.x]);
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  unsigned char *h = (unsigned char *)malloc(n), *d;
  int *sum;
  for (int i = 0; i < n; i++) h[i] = i * 7 % 251;
  cudaMalloc(&d, n);
  cudaMalloc(&sum, 1024);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  count<<<(n + 255) / 256, 256>>>(sum, d, n);
}
"""
    (kernel,) = check(tmp_path, source).kernels
    assert [f.confidence for f in kernel.findings] == [Confidence.DATA_DEPENDENT] * 2


PARTS = """
#include <cstdlib>
__global__ void fill(int *begins, int *ends, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) begins[i] = i * i % n, ends[i] = i * i * i % n;
}
__global__ void k(int *out, const int *begins, const int *ends) {
  KERNEL
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *begins, *ends, *out;
  cudaMalloc(&begins, n * sizeof(int)), cudaMalloc(&ends, n * sizeof(int)), cudaMalloc(&out, n * sizeof(int));
  MADE
  k<<<n / 64, 64>>>(out, begins, ends);
}
"""


WHOLE = "int t = blockIdx.x * blockDim.x + threadIdx.x; for (int i = begins[t]; i < ends[t + 1]; i++) out[i] = t;"
LAST = "int t = blockIdx.x * blockDim.x + threadIdx.x; out[begins[t]] = out[ends[t + 1] - 1];"


@pytest.mark.parametrize("kernel", [WHOLE, LAST])
@pytest.mark.parametrize(
    ("made", "found"), [("fill<<<n, 256>>>(begins, ends, n);", set()), ("", {Confidence.DATA_DEPENDENT})]
)
def test_one_array_may_tell_where_parts_begin_and_another_where_they_end(
    tmp_path: Path, kernel: str, made: str, found: set[Confidence]
) -> None:
    kernels = check(tmp_path, PARTS.replace("KERNEL", kernel).replace("MADE", made)).kernels
    (launch,) = next(k for k in kernels if k.kernel == "k").launches
    assert {f.confidence for f in launch.findings} == found


ROWS = """
#include <cstdlib>
struct Row { int *cells; int length; };
__global__ void k(int **rows) { rows[blockIdx.x][threadIdx.x] = blockIdx.x; }
__global__ void shared_by_two(int **rows) { rows[blockIdx.x][threadIdx.x / 2] = threadIdx.x; }
__global__ void in_records(Row *rows) { rows[blockIdx.x].cells[threadIdx.x] = blockIdx.x; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), **h = new int *[n], **d, *p;
  Row *hr = new Row[n], *dr;
  cudaMalloc(&p, n * 256 * sizeof(int));
  cudaMalloc(&d, n * sizeof(int *));
  cudaMalloc(&dr, n * sizeof(Row));
  FILL
  cudaMemcpy(d, h, n * sizeof(int *), cudaMemcpyHostToDevice);
  cudaMemcpy(dr, hr, n * sizeof(Row), cudaMemcpyHostToDevice);
  k<<<n, 256>>>(d);
  shared_by_two<<<n, 256>>>(d);
  in_records<<<n, 256>>>(dr);
}
"""


@pytest.mark.parametrize(
    ("fill", "kernel", "levels"),
    [
        ("cudaMalloc(&h[i], 256 * sizeof(int));", "k", "safe"),
        ("h[i] = p + i * 256;", "k", "safe"),
        ("h[i] = p;", "k", "inter-block"),
        ("h[i] = 0;", "k", "inter-block"),
        ("cudaMalloc(&h[i], 256 * sizeof(int));", "shared_by_two", "intra-warp"),
        ("hr[i].length = 256; cudaMalloc(&hr[i].cells, 256 * sizeof(int));", "in_records", None),
        ("hr[i].cells = p;", "in_records", "inter-block"),
    ],
)
def test_memory_of_their_own(tmp_path: Path, fill: str, kernel: str, levels: str | None) -> None:
    source = ROWS.replace("FILL", f"for (int i = 0; i < n; i++) {{ {fill} }}")
    (report,) = [k for k in check(tmp_path, source).kernels if k.kernel == kernel]
    (launch,) = report.launches
    found = [(f.confidence, f.levels[0].value) for f in launch.findings]
    assert found == ([] if levels in (None, "safe") else [(Confidence.DATA_DEPENDENT, levels)])
    assert [p.reason.partition(":")[0] for p in launch.open_pairs] == (
        ["it depends on values that the program computes"] if levels is None else []
    )
    assert (launch.discharged, launch.pairs) == (levels == "safe", 1)


FEW = """
__global__ void k(int **rows) { rows[blockIdx.x][threadIdx.x] = blockIdx.x; }
int main(int argc, char **argv) {
  int *h[8], **d, *p, *q;
  cudaMalloc(&p, 8 * 256 * sizeof(int)), cudaMalloc(&q, 256 * sizeof(int));
  FILL
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<8, 256>>>(d);
}
"""


@pytest.mark.parametrize(
    ("fill", "confidences", "reasons"),
    [
        ("for (int i = 0; i < 8; i++) h[i] = p + i * 256;", [], []),
        ("for (int i = 0; i < 8; i++) h[i] = p + i % 4 * 256;", [Confidence.DATA_DEPENDENT], []),
        ("h[0] = p; h[1] = q;", [], ["it depends on values that the program computes"]),
        ("h[0] = p; h[1] = q; h[2] = p;", [Confidence.DATA_DEPENDENT], []),
    ],
)
def test_a_few_pointers(tmp_path: Path, fill: str, confidences: list[Confidence], reasons: list[str]) -> None:
    (report,) = check(tmp_path, FEW.replace("FILL", fill)).kernels
    (launch,) = report.launches
    assert [f.confidence for f in launch.findings] == confidences
    assert [p.reason.partition(":")[0] for p in launch.open_pairs] == reasons
    assert (launch.discharged, launch.pairs) == (not confidences and not reasons, 1)


CONSTANT = """
#include <cstdlib>
__constant__ int *rows[16];
__constant__ int first[16];
__global__ void k() { rows[blockIdx.x][threadIdx.x] = blockIdx.x; }
__global__ void from(int *out) { out[first[blockIdx.x] + threadIdx.x] = blockIdx.x; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *h[16], begin[16], *p, *out;
  cudaMalloc(&out, n * sizeof(int)), cudaMalloc(&p, n * sizeof(int));
  for (int i = 0; i < 16; i++) { FILL }
  cudaMemcpyToSymbol(rows, h, sizeof(h));
  cudaMemcpyToSymbol(first, begin, sizeof(begin));
  k<<<16, 256>>>();
  from<<<16, 256>>>(out);
}
"""


@pytest.mark.parametrize(
    ("kernel", "fill", "made"),
    [
        ("k", "cudaMalloc(&h[i], 256 * sizeof(int));", "rows"),
        ("k", "h[i] = p;", ""),
    ],
)
def test_what_is_copied_to_constant_memory(tmp_path: Path, kernel: str, fill: str, made: str) -> None:
    kernels = check(tmp_path, CONSTANT.replace("FILL", fill)).kernels
    (launch,) = next(k for k in kernels if k.kernel == kernel).launches
    assert [f.confidence for f in launch.findings] == ([] if made else [Confidence.DATA_DEPENDENT])
    assert {p.reason.partition(" (")[0] for p in launch.open_pairs} == (
        {f"it depends on values that the program computes: {made}"} if made else set()
    )


@pytest.mark.parametrize(
    ("fill", "confidences", "reasons"),
    [
        (
            "begin[i] = n * i % 7;",
            [],
            {"it depends on values that the kernel computes: begin[0], begin[10], begin[11]"},
        ),
        ("begin[i] = rand();", [Confidence.DEFINITE], set[str]()),
    ],
)
def test_numbers_that_are_copied_to_constant_memory(
    tmp_path: Path, fill: str, confidences: list[Confidence], reasons: set[str]
) -> None:
    kernels = check(tmp_path, CONSTANT.replace("FILL", fill)).kernels
    (launch,) = next(k for k in kernels if k.kernel == "from").launches
    assert [f.confidence for f in launch.findings] == confidences
    assert {p.reason for p in launch.open_pairs} == reasons


EDGES = """
#include <cstdio>
__global__ void upwards(int *rank, const int *from, const int *to, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges && from[e] >= 0 && to[e] > from[e]) rank[to[e] & 255] = e;
}
int main(int argc, char **argv) {
  int edges, n = 1 << 20, *row = new int[n + 1], *from = new int[n], *to = new int[n], *f, *t, *rank;
  fread(&edges, 4, 1, stdin), fread(row, 4, n + 1, stdin), fread(to, 4, edges, stdin);
  for (int v = 0; v < n; v++)
    for (int e = row[v]; e < row[v + 1]; e++) from[e] = v;
  cudaMalloc(&f, edges * 4), cudaMalloc(&t, edges * 4), cudaMalloc(&rank, edges * 4);
  cudaMemcpy(f, from, edges * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(t, to, edges * 4, cudaMemcpyHostToDevice);
  upwards<<<edges / 256 + 1, 256>>>(rank, f, t, edges);
}
"""


def test_what_is_compared_with_what_is_made_is_as_large(tmp_path: Path) -> None:
    """Where edges go is given, and where they come from made: two may go to one place, however far apart these are."""
    ((launch,),) = (k.launches for k in check(tmp_path, EDGES).kernels)
    assert [(f.first.span.line, f.second.span.line, f.confidence) for f in launch.findings] == [
        (5, 5, Confidence.DATA_DEPENDENT)
    ]


WALK = """
#include <cstdio>
__global__ void place(int *cells, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[at[i]] = i;
}
void walk(int *steps, int n) {
  int here = 1000, *way = new int[n], *d, *cells;
  FROM
  for (int i = 0; i < n; i++) { here += STEP; way[i] = here; }
  cudaMalloc(&d, n * 4), cudaMalloc(&cells, n * 4);
  cudaMemcpy(d, way, n * 4, cudaMemcpyHostToDevice);
  place<<<n / 256 + 1, 256>>>(cells, d, n);
}
"""


@pytest.mark.parametrize("source", ["", "steps = new int[n]; fread(steps, 4, n, stdin);"])
@pytest.mark.parametrize(("step", "safe"), [("2 * (steps[i] & 1) - 1", False), ("2 * (steps[0] & 1) - 1", True)])
def test_elements_behind_a_pointer_differ(tmp_path: Path, source: str, step: str, safe: bool) -> None:
    """What is added up are elements of an array, of which nothing but the first is known to stay the same."""
    report = check(tmp_path, WALK.replace("FROM", source).replace("STEP", step))
    assert decided(report) == (1, int(safe))


STEP = """
#include <cstdlib>
__global__ void visit(const int *next, const char *frontier, const char *visited, int *cost, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n && frontier[t]) {
    int to = next[t];
    if (!visited[to]) cost[to] = cost[t] + 1;
  }
}
__global__ void advance(char *frontier, char *visited, const int *by, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) frontier[t] = by[t] == 7, visited[t] = by[t] >= 7;
}
__global__ void follow(float *row, const int *leader) {
  if (leader[blockIdx.x] != -1) {
    float mean = row[leader[blockIdx.x] * 64 + threadIdx.x];
    row[blockIdx.x * 64 + threadIdx.x] -= mean;
  }
}
__global__ void lead(int *leader, const int *by, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) leader[t] = by[t] == t ? -1 : by[t];
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *next, *by, *cost, *leader;
  char *frontier, *visited;
  float *row;
  cudaMalloc(&next, n * 4), cudaMalloc(&by, n * 4), cudaMalloc(&cost, n * 4), cudaMalloc(&leader, n * 4);
  cudaMalloc(&frontier, n), cudaMalloc(&visited, n), cudaMalloc(&row, n * 256);
  MADE
  visit<<<(n + 255) / 256, 256>>>(next, frontier, visited, cost, n);
  follow<<<n, 64>>>(row, leader);
}
"""
ADVANCED = "advance<<<n / 256, 256>>>(frontier, visited, by, n);"
ALONE = "advance<<<n / 256, 256>>>(frontier, (char *)by, by, n);"
LED = "lead<<<n / 256, 256>>>(leader, by, n);"


def step(folder: Path, made: str, kernel: str) -> tuple[list[tuple[str, str]], set[str]]:
    """The kinds of the accesses that race, and why others are not decided."""
    ((launch,),) = (k.launches for k in check(folder, STEP.replace("MADE", made)).kernels if k.kernel == kernel)
    racing = [(f.first.kind.value, f.second.kind.value) for f in launch.findings]
    return racing, {p.reason.partition(" (")[0] for p in launch.open_pairs}


def test_arrays_may_be_kept_in_step(tmp_path: Path) -> None:
    """Who is in the frontier has been visited; that two come to the same place needs nothing of the kind."""
    written, read = ("write", "write"), ("read", "write")
    why = "it depends on values that the program computes: visited, frontier"
    assert step(tmp_path, ADVANCED, "visit") == ([written], {why})
    assert step(tmp_path, ALONE, "visit") == ([read, written], set())  # nobody is seen to make one of them


def test_who_is_led_to_may_not_be_asked_for(tmp_path: Path) -> None:
    """Who leads others follows nobody, if the program sees to that."""
    why = "it depends on values that the program computes: leader"
    assert step(tmp_path, LED, "follow") == ([], {why})
    assert step(tmp_path, "", "follow") == ([("read", "write")], set())
