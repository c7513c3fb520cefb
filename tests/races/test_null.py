"""Pointers that are null in some cases: what a program does through a null pointer has no meaning."""

from tests.checking import verdicts

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
