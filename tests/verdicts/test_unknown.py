"""What is not understood: a kernel is then never called safe, and the reason is given."""

from pathlib import Path

from hgrd.engine.analysis.program import analyze
from hgrd.findings.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.checking import check, verdicts

SOURCE = """
__device__ void elsewhere(int *a);
__device__ int anything();

// open: a call of elsewhere, whose body is not known
__global__ void unknown_function(int *a) {
  elsewhere(a);
}

// open: a call of elsewhere, whose body is not known
// open: read other, write own; shared; block: what was not understood in line 15 may order the two accesses
__global__ void unknown_function_between(int *a) {
  __shared__ int tile[256];
  tile[threadIdx.x] = 1;  // own
  elsewhere(a);
  a[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
}

// open: a call of elsewhere, whose body is not known
// race: read other, write own; shared; block
__global__ void unknown_function_before(int *a) {
  __shared__ int tile[256];
  elsewhere(a);
  tile[threadIdx.x] = 1;  // own
  a[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];  // other
}

// open: a call of elsewhere, whose body is not known
// race: write all, write all; global; grid
__global__ void no_function_orders_blocks(int *a, int *b) {
  if (threadIdx.x == 0) a[0] = blockIdx.x;  // all
  elsewhere(b);
}

// open: a call through a pointer
__global__ void function_pointer(int *a, void (*f)(int *)) {
  f(a);
}

__device__ int deep(int n) { return n ? deep(n / 2) + 1 : 0; }

// open: a call of deep, which calls itself too often
__global__ void recursion(int *a, int n) {
  int v = a[deep(n)];
}

// open: AddrLabelExpr
// open: computed goto
__global__ void jumps(int *a, int n) {
  void *target = n ? &&one : &&two;
  goto *target;
one:
  a[0] = 1;
two:;
}

// safe: 0 of 0 pairs
__global__ void pure_function(int *a) {
  int v = a[anything()];
}

// open: inline assembly: griddepcontrol.wait
__global__ void assembly(int *a) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// open: write here, write here; global; warp block grid: it depends on values that are not known: count
__global__ void a_count_that_is_not_followed(int *a, int n) {
  int count = 0;
  while (n > 1) {
    n = n / 3 + 1 / n;
    count++;
  }
  if (count == 0) a[0] = threadIdx.x + blockIdx.x;  // here
}

// race: write here, write here; global; warp block grid
__global__ void a_count_that_is(int *a, int n) {
  int count = 0;
  while (count < n) count++;
  if (count == 0) a[0] = threadIdx.x + blockIdx.x;  // here
}

// note: write lane, write lane; global; warp block grid
// safe: 0 of 1 pairs
__global__ void assembly_without_memory(int *a) {
  unsigned lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  a[0] = 1;  // lane
}

__device__ int *chosen(int *a, int *b, const int *c) { return c[blockIdx.x] ? a : b; }

// safe: 2 of 2 pairs
__global__ void pointer_by_data(int *a, int *b, const int *c) {
  chosen(a, b, c)[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// safe: 1 of 1 pairs
__global__ void freed(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  free(a);
}

// open: a call of elsewhere, whose body is not known
__global__ void not_freed(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  elsewhere(a);
}
"""

test_kernel = verdicts(SOURCE)


ASSUMING = """
__device__ int anything();
__global__ void k(int *a) { int v = a[anything()]; }
"""


def test_what_is_taken_for_granted_of_a_function_is_named(tmp_path: Path):
    launch = check(tmp_path, ASSUMING).kernels[0].launches[0]
    assert [use.text for use in launch.assumptions if use.span.line == 3 and "anything" in use.text] == [
        "anything, whose body is not known, touches no memory of other threads"
    ]


def test_what_does_not_compile_may_be_a_barrier(tmp_path: Path):
    """It has no place among the items of the kernel, and may stand anywhere."""
    text = """
    __global__ void k(int *out) {
      __shared__ int tile[256];
      tile[threadIdx.x] = 1;
      WAIT
      out[blockIdx.x * blockDim.x + threadIdx.x] = tile[255 - threadIdx.x];
    }"""
    file = tmp_path / "program.cu"

    def outcome(wait: str) -> tuple[str, list[str]]:
        file.write_text(text.replace("WAIT", wait))
        (kernel,) = analyze((parse_file(str(file), SourceOptions()),), AnalysisOptions()).kernels
        return kernel.outcome.value, [pair.reason for pair in kernel.launches[0].open_pairs]

    assert outcome("wait_for_all;") == (
        "unknown",
        [
            "what was not understood in line 5 may order the two accesses",
            "does not compile: use of undeclared identifier 'wait_for_all'",
        ],
    )
    assert outcome("") == ("race", [])


POINTING = """
#include <thrust/device_ptr.h>
// open: a call of operator=, whose body is not known
// open: a call of operator[], whose body is not known
__global__ void through_a_reference(thrust::device_ptr<int> a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[0] = i;
}

// open: a call of operator int, whose body is not known
// open: a call of operator*, whose body is not known
// open: write place, write place; global; warp block grid: it depends on values that are not known: operator int()
__global__ void by_a_reference(int *out, thrust::device_ptr<int> a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[*a] = i;  // place
}
"""

test_what_points_to_memory_may_write_there = verdicts(POINTING)
