"""Provenance of members of records, where the run to a launch begins in a function that gets the record.

The run itself does not see a store to the member; all stores of the program to that member count.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Report
from tests.checking import check

SOURCE = """
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>
struct Task { int at; float weight; };
struct Part { std::vector<int> of; };
struct Graph {
  int n, last, fixed[1024];
  int *at, *next, **rows;
  int *d_at;
  Task *tasks;
  std::vector<int> list, more;
  std::vector<std::vector<int>> lists;
  std::vector<Part> parts;
  void fill(std::ifstream &in, FILE *f, const int *given);
};
__global__ void count(int *sum, const int *at, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) sum[at[t]] += t;
}
__global__ void count_tasks(int *sum, const Task *tasks, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) sum[tasks[t].at] += t;
}
void load(Graph *g);
int *numbers();
static void steps(int *to, int n) { for (int i = 0, c = 1; i < n; i++) { to[i] = c; c = c * 7 % n; } }
static void read(FILE *f, int *to, int n) { for (int i = 0; i < n; i++) fscanf(f, "%d", to + i); }
static int twice(int i) { return 2 * i; }
static int wrapped(int i, int n) { return i % n; }
void Graph::fill(std::ifstream &in, FILE *f, const int *given) {
  std::mt19937 gen(1);
  std::uniform_int_distribution<int> dist(0, 9);
  int x;
  FILL
}
void run(Graph &g) {
  int *d, *sum;
  Task *dt;
  cudaMalloc(&d, g.n * sizeof(int));
  cudaMalloc(&dt, g.n * sizeof(Task));
  cudaMalloc(&sum, g.n * sizeof(int));
  RUN
}
"""
LOOP = "for (int i = 0; i < n; i++) "
STEPS = "for (int i = 0, c = 1; i < n; i++) { at[i] = c; c = c * 7 % n; }"
READ = 'for (int i = 0; i < n; i++) fscanf(f, "%d", &at[i]);'
BOTH = [Confidence.DATA_DEPENDENT] * 2  # of the sum and the write of it, the write and itself


def launch(source: str) -> str:
    return (
        f"cudaMemcpy(d, {source}, g.n * sizeof(int), cudaMemcpyHostToDevice); count<<<g.n / 256, 256>>>(sum, d, g.n);"
    )


def report(folder: Path, fill: str, run: str, kernel: str = "count") -> Report:
    found = check(folder, SOURCE.replace("FILL", fill).replace("RUN", run), kernels=(kernel,))
    return next(k for k in found.kernels if k.kernel == kernel)


def races(found: Report) -> list[Confidence]:
    return [f.confidence for launch in found.launches for f in launch.findings if not f.same_value]


def reasons(found: Report) -> set[str]:
    return {p.reason.partition(" (program.cu:")[0] for launch in found.launches for p in launch.open_pairs}


MADE = {"it depends on values that the program computes: d"}


@pytest.mark.parametrize(
    ("fill", "source"),
    [
        (STEPS, "g.at"),
        (STEPS, "&g.at[0]"),
        (STEPS, "(void *)(g.at + 1)"),
        (LOOP + "at[i] = twice(i);", "g.at"),
        (LOOP + "{ int k = n - i; at[i] = k; }", "g.at"),
        (LOOP + "{ at[i] = last; last += x; }", "g.at"),
        (LOOP + "at[i] = i > x ? i : 2 * x - i;", "g.at"),
        (LOOP + "at[given[i]]++;", "g.at"),
        ("for (int i = 1; i < n; i++) at[i] = at[i - 1] + given[i];", "g.at"),
        ("for (int i = 1; i < n; i++) at[i] += at[i - 1];", "g.at"),
        ("read(f, next, n); for (int i = 1; i < n; i++) at[i] = at[i - 1] + next[i];", "g.at"),  # offsets
        (LOOP + "*at++ = twice(i);", "g.at"),
        ("n = atoi(getenv(\"N\"));" + LOOP + "at[i] = n - i;", "g.at"),  # of one number from outside
        (LOOP + "fixed[i] = twice(i);", "g.fixed"),
        (LOOP + "rows[0][i] = twice(i);", "g.rows[0]"),
        ("steps(at, n);", "g.at"),
        ("int *to = at; " + LOOP + "to[i] = twice(i);", "g.at"),
        ("int *own = (int *)malloc(4 * n); at = own; steps(own, n);", "g.at"),
        ("std::vector<int> own(n); steps(own.data(), n); list = own;", "g.list.data()"),
        ("std::vector<int> own; own.push_back(0); " + LOOP + "own.push_back(own.back() + i); list.swap(own);"
         "std::swap(list, more);", "g.more.data()"),
        (LOOP + "list.push_back(twice(i));", "&g.list[0]"),
        (LOOP + "list.push_back(more.size());", "g.list.data()"),
        (LOOP + "list.push_back(list.back() + given[i]);", "g.list.data()"),
        (LOOP + "list.insert(list.end(), twice(i));", "g.list.data()"),
        (LOOP + "list.emplace_back(i * i);", "g.list.data()"),
        ("list.resize(n); " + LOOP + "list[i] = twice(i);", "g.list.data()"),
        ("steps(at, n); list.insert(list.end(), at, at + n);", "g.list.data()"),
        ("steps(at, n); list.assign(at, at + n); std::vector<int> own(list); more = own;", "g.more.data()"),
        ("steps(at, n); std::copy(at, at + n, more.begin());", "g.more.data()"),
        ("steps(at, n); memcpy(next, at, 4 * n);", "g.next"),
        ("steps(at, n); " + LOOP + "next[i] = at[given[i]];", "g.next"),
        ("for (int k : list) at[k] = 2 * k;", "g.at"),
        ("steps(at, n); for (auto it = list.begin(); it != list.end(); ++it) *it = at[*it] + 1;", "g.list.data()"),
        (LOOP + "lists[i % 4].push_back(i);", "g.lists[1].data()"),
        (LOOP + "parts[i % 4].of.push_back(i);", "g.parts[1].of.data()"),
        (READ + "std::sort(at, at + n);", "g.at"),
        (READ + "list.assign(at, at + n); std::sort(list.begin(), list.end());", "g.list.data()"),
        ("auto p = std::lower_bound(at, at + n, 7); " + LOOP + "next[i] = p - at - i;", "g.next"),
        (LOOP + "{ fscanf(f, \"%d\", &x); next[i] = x; } steps(at, n);", "g.at"),  # another member is given
    ],
)  # fmt: skip
def test_what_some_function_makes_may_keep_threads_apart(tmp_path: Path, fill: str, source: str) -> None:
    found = report(tmp_path, fill, launch(source))
    assert races(found) == []
    assert reasons(found) == MADE


@pytest.mark.parametrize(
    ("fill", "source"),
    [
        ("", "g.at"),
        (LOOP + "at[i] = 3;", "g.at"),  # that repeats
        (LOOP + "at[i] = x;", "g.at"),
        (LOOP + "at[i] = x < n;", "g.at"),
        (LOOP + "at[i] = 2 * x + 1;", "g.at"),
        (LOOP + "at[i] = given[i];", "g.at"),
        (READ, "g.at"),
        (STEPS + READ, "g.at"),
        (STEPS + "fread(at, 4, n, f);", "g.at"),
        (STEPS + "load(this);", "g.at"),
        (STEPS + "at[3] = rand() % n;", "g.at"),
        (STEPS + LOOP + "at[i] = dist(gen);", "g.at"),
        (STEPS + LOOP + "at[i] = wrapped(rand(), n);", "g.at"),
        (STEPS + LOOP + "at[i] = numbers()[i];", "g.at"),
        (STEPS + LOOP + "{ in >> x; at[i] = x - 1; }", "g.at"),
        (STEPS + LOOP + "in >> at[i];", "g.at"),
        (STEPS + "char line[80]; while (fgets(line, 80, f)) at[n++] = atoi(line);", "g.at"),
        (STEPS + "read(f, at, n);", "g.at"),
        (STEPS + "int *to = at; read(f, to, n);", "g.at"),
        (STEPS + "read(f, next, n); " + LOOP + "at[i] = next[i] - 1;", "g.at"),
        (STEPS + "read(f, next, n); memcpy(at, next, 4 * n);", "g.at"),
        ("steps(fixed, n); read(f, fixed, n);", "g.fixed"),
        ("steps(rows[1], n); read(f, rows[0], n);", "g.rows[1]"),
        (LOOP + "{ list.push_back(twice(i)); in >> x; list.push_back(x); }", "g.list.data()"),
        ("read(f, next, n); " + LOOP + "list.push_back(twice(i)); list.insert(list.end(), next, next + n);",
         "g.list.data()"),
        ("std::vector<int> own(n); read(f, own.data(), n); list = own;", "g.list.data()"),
        (LOOP + "{ in >> x; lists[i % 4].push_back(x); lists[0].push_back(i); }", "g.lists[1].data()"),
        (LOOP + "{ in >> x; parts[i % 4].of.push_back(x - 1); }", "g.parts[1].of.data()"),
        (STEPS, "g.next"),
        (LOOP + "list.push_back(twice(i));", "g.more.data()"),
    ],
)  # fmt: skip
def test_what_is_given_may_be_anything(tmp_path: Path, fill: str, source: str) -> None:
    found = report(tmp_path, fill, launch(source))
    assert races(found) == BOTH
    assert reasons(found) == set()


MORE = (
    "cudaMemcpy(dt, g.tasks, g.n * sizeof(Task), cudaMemcpyHostToDevice);count_tasks<<<g.n / 256, 256>>>(sum, dt, g.n);"
)


@pytest.mark.parametrize(
    ("fill", "expected"),
    [
        (LOOP + "tasks[i].at = twice(i);", []),
        (LOOP + "{ Task *t = &tasks[i]; t->at = twice(i); }", []),
        (LOOP + "{ Task t; t.at = twice(i); tasks[i] = t; }", []),
        (LOOP + "tasks[i].at = rand() % n;", BOTH),
        (LOOP + "{ Task *t = &tasks[i]; t->at = twice(i); in >> t->weight; }", BOTH),  # as a whole, as elsewhere
    ],
)
def test_records_in_arrays(tmp_path: Path, fill: str, expected: list[Confidence]) -> None:
    found = report(tmp_path, fill, MORE, "count_tasks")
    assert races(found) == expected
    assert bool(found.launches[0].open_pairs) == (not expected)


def test_records_behind_a_pointer_that_was_a_number(tmp_path: Path) -> None:
    run = "g.tasks = (Task *)((long)g.tasks + 8L * g.n);" + MORE
    assert races(report(tmp_path, LOOP + "tasks[i].at = twice(i);", run, "count_tasks")) == []
    assert races(report(tmp_path, LOOP + "tasks[i].at = rand() % n;", run, "count_tasks")) == BOTH
    assert races(report(tmp_path, "", run, "count_tasks")) == BOTH


def test_memory_of_the_device_that_a_member_leads_to(tmp_path: Path) -> None:
    run = "count<<<g.n / 256, 256>>>(sum, g.d_at, g.n);"
    copy = "cudaMemcpy(d_at, at, 4 * n, cudaMemcpyHostToDevice);"
    made = report(tmp_path, STEPS + copy, run)
    assert races(made) == []
    assert reasons(made) == {"it depends on values that the program computes: g.d_at"}
    assert races(report(tmp_path, READ + copy, run)) == BOTH
    assert races(report(tmp_path, copy, run)) == BOTH


def test_a_copy_on_the_way(tmp_path: Path) -> None:
    own = "int *h = new int[g.n]; for (int i = 0; i < g.n; i++) h[i] = g.at[g.n - i];"
    assert races(report(tmp_path, STEPS, own + launch("h"))) == []
    assert races(report(tmp_path, READ, own + launch("h"))) == BOTH


def test_where_it_is_made_is_said(tmp_path: Path) -> None:
    found = report(tmp_path, "\n" + LOOP + "\nat[i] = twice(i);", launch("g.at"))
    line = next(i for i, text in enumerate(SOURCE.splitlines(), 1) if "FILL" in text) + 2
    said = f"it depends on values that the program computes: d (program.cu:{line})"
    assert [p.reason for p in found.launches[0].open_pairs] == [said] * 2


def test_what_is_put_there_before_the_launch_counts_first(tmp_path: Path) -> None:
    drawn = "for (int i = 0; i < g.n; i++) g.at[i] = rand() % g.n;"
    zero = "memset(g.at, 0, 4 * g.n);"
    assert races(report(tmp_path, STEPS, drawn + launch("g.at"))) == BOTH
    assert races(report(tmp_path, STEPS, zero + launch("g.at"))) == BOTH
