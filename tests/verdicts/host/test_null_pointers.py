"""Null pointers: an access through one is outside the meaning of the program."""

from pathlib import Path

from tests.checking import check, verdicts

SOURCE = """
#include <cstdlib>

// safe: 1 of 1 pairs
__global__ void null_where_nothing_is_done(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}

// race: read next, write here; global; warp block grid
__global__ void null_hides_no_race(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) {
    int v = a[i + 1];  // next
    a[i] = v;  // here
  }
}

// open: a write through a pointer of unknown target
__global__ void always_null(int *a, int n) {
  a[threadIdx.x] = n;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *some = nullptr, *nothing = nullptr;
  if (n > 0) cudaMalloc(&some, n * sizeof(int));
  null_where_nothing_is_done<<<8, 128>>>(some, n);
  null_hides_no_race<<<8, 128>>>(some, n);
  always_null<<<1, 128>>>(nothing, n);
}
"""

test_verdict = verdicts(SOURCE)

FOUND = """
struct Node { int key; Node *next; };

// race: read head, write head; global; warp block grid (data-dependent)
// race: write head, write head; global; warp block grid (data-dependent)
__global__ void where_a_list_is_empty(Node **heads, Node *nodes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && heads[nodes[i].key] == nullptr) heads[nodes[i].key] = &nodes[i];  // head
}

// race: write count, write count; global; warp block grid
__global__ void behind_a_list(Node *nodes, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (Node *p = &nodes[i]; p; p = p->next) {}
  count[0] = i;  // count
}

// race: write count, write count; global; warp block grid (data-dependent)
__global__ void null_that_is_kept(int *count, int *a) {
  __shared__ int *p;
  if (threadIdx.x == 0) p = a[0] ? a : nullptr;
  __syncthreads();
  if (!p) count[0] = threadIdx.x;  // count
}

// race: write count, write count; global; warp block grid (data-dependent)
__global__ void two_that_are_found(int **p, int **q, int *count) {
  if (p[threadIdx.x] == q[threadIdx.x]) count[0] = threadIdx.x;  // count
}

// open: write count, write count; global; warp block grid: it depends on values that are not known: comparison
__global__ void one_that_is_found(int **p, int *q, int *count) {
  if (p[threadIdx.x] == q) count[0] = threadIdx.x;  // count
}
"""

test_found_in_memory = verdicts(FOUND)


def test_that_given_pointers_are_not_null_is_assumed(tmp_path: Path) -> None:
    text = """
    __global__ void tests(int *a, int *b) { if (!a) b[0] = threadIdx.x; }
    __global__ void compares(int *a, int *b, int *c) { if (a == b) c[0] = threadIdx.x; }
    __global__ void neither(int *a) { a[threadIdx.x + blockIdx.x * blockDim.x] = 0; }
    """
    said = {k.kernel: [a.text for a in k.launches[0].assumptions] for k in check(tmp_path, text).kernels}
    not_null = "pointers that are given are not null, and do not point to one object"
    assert f"a, b: {not_null}" in said["tests"]
    assert f"a, b, c: {not_null}" in said["compares"]
    assert not any(not_null in text for text in said["neither"])
