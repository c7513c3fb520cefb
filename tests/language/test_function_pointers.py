"""Calls through pointers: every function that the pointer can point to is followed."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome, Report
from tests.checking import cases, check, expected, observed

SOURCE = """
__device__ int own(int i) { return i; }
__device__ int next(int i) { return i + 1; }
__device__ int first(int) { return 0; }
__device__ void keep(int *a, int i) { }
__device__ void put(int *a, int i) {
  a[i] = threadIdx.x;  // put
}
__device__ void meet(int *a, int i) {
  __syncthreads();
}
typedef int (*Index)(int);
typedef void (*Action)(int *, int);
struct Plan { Index index; int count; };

// safe: 1 of 1 pairs
__global__ void chosen(int *a, int which) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  Index f = which ? own : next;
  a[f(me)] = me;
}

// race: write here, write here; global; warp block grid
__global__ void chosen_with_a_racy_one(int *a, int which) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  Index f = which == 1 ? own : which == 2 ? next : first;
  a[f(me)] = me;  // here
}

// safe: 1 of 1 pairs
__global__ void chosen_with_the_racy_one_excluded(int *a, int which) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(which == 1 || which == 2);
  Index f = which == 1 ? own : which == 2 ? next : first;
  a[f(me)] = me;
}

// race: write here, write here; global; warp
__global__ void chosen_by_each_thread(int *a) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  Index f = threadIdx.x % 2 ? own : next;
  a[f(me)] = me;  // here
}

// race: write put, write put; global; warp grid
__global__ void a_call_for_its_effect(int *a, int which) {
  Action f = keep;
  if (which) f = put;
  f(a, threadIdx.x / 2);
}

// safe: 0 of 0 pairs
__global__ void a_call_without_effect(int *a) {
  Action f = put;
  f = keep;
  f(a, threadIdx.x / 2);
}

// race: write here, write here; global; warp block grid
__global__ void parameter(int *a, Index f) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  a[f(me)] = me;  // here
}

// safe: 1 of 1 pairs
__global__ void parameter_of_which_something_is_known(int *a, Index f) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(f == own | f == next);
  a[f(me)] = me;
}

// race: write here, write here; global; warp block grid
__global__ void member_of_a_parameter(int *a, Plan plan) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  a[plan.index(me)] = me;  // here
}

// safe: 3 of 3 pairs
__global__ void null_is_not_called(int *a, Index f) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(f == own | f == nullptr);
  if (f) a[f(me)] = me;
  else if (me == 0) a[0] = 1;
}

// race: write none, write none; global; warp block grid
__global__ void null_is_possible(int *a, Index f) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(f == own | f == nullptr);
  if (f) a[f(me)] = me;
  else a[0] = me;  // none
}

// safe: 3 of 3 pairs
__global__ void a_call_means_that_it_is_not_null(int *a, Index f) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(f == own | f == nullptr);
  int i = f(me);
  if (f) a[i] = me;
  else a[0] = me;
}

__device__ Index table[4];

// safe: 1 of 1 pairs
__global__ void table_of_functions(int *a, int which) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(table[0] == own && table[1] == next && 0 <= which && which < 2);
  a[table[which](me)] = me;
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void table_of_any_functions(int *a, int which) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  a[table[which](me)] = me;  // here
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void each_thread_its_element(int *a) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  a[table[threadIdx.x % 4](me)] = me;  // here
}

// open: a call through a pointer
__global__ void nothing_of_this_type(int *a, void (*f)(double, double)) {
  f(1, 2);
}

// open: a call through a pointer
// open: write here, write here; global; warp block grid: it depends on values that are not known: result
__global__ void made_of_a_number(int *a, long n) {
  Index f = (Index)n;
  a[f(0)] = threadIdx.x;  // here
}

// safe: 3 of 3 pairs
__global__ void barrier_behind_a_pointer(int *a) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[256];
  tile[threadIdx.x] = me;
  Action f = meet;
  f(a, 0);
  a[me] = tile[255 - threadIdx.x];
}

// race: read other, write own; shared; block
__global__ void no_barrier_behind_a_pointer(int *a) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[256];
  tile[threadIdx.x] = me;  // own
  Action f = keep;
  f(a, 0);
  a[me] = tile[255 - threadIdx.x];  // other
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("function_pointers"), SOURCE, grid_dim=(4, 1, 1))


@pytest.mark.parametrize("kernel", cases(SOURCE))
def test_kernel(report: Report, kernel: str):
    assert observed(report, SOURCE)[kernel] == expected(SOURCE)[kernel]


LAUNCHED = """
__device__ int own(int i) { return i; }
__device__ int half(int i) { return i / 2; }
__device__ int (*known)(int) = own;
__global__ void k(int *a, int (*f)(int)) { a[f(blockIdx.x * blockDim.x + threadIdx.x)] = threadIdx.x; }
int main() {
  int *a;
  int (*f)(int);
  cudaMalloc(&a, 4096);
  cudaMemcpyFromSymbol(&f, known, sizeof f);
  k<<<4, 256>>>(a, f);
}
"""


def assumptions(report: Report) -> list[str]:
    return [use.text for kernel in report.kernels for launch in kernel.launches for use in launch.assumptions]


def test_a_pointer_that_the_host_has_fetched(tmp_path: Path):
    """It is one of the functions whose address the program takes: only one is, and the verdict says so."""
    report = check(tmp_path, LAUNCHED)
    assert [k.outcome for k in report.kernels] == [Outcome.SAFE]
    assert "f points to a function whose address these files take: own" in assumptions(report)


def test_with_another_function_in_the_program(tmp_path: Path):
    report = check(tmp_path, LAUNCHED.replace("= own;", "= own, (*other)(int) = half;"))
    assert [k.outcome for k in report.kernels] == [Outcome.RACE]


def test_a_function_that_is_only_called_is_no_target(tmp_path: Path):
    text = LAUNCHED.replace("a[f(", "a[0 * half(0) + f(")
    assert [k.outcome for k in check(tmp_path, text).kernels] == [Outcome.SAFE]
