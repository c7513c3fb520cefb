"""Arguments that lead to one of several objects from outside, and launches that differ in what matters to no kernel."""

from tests.checking import verdicts

SOURCE = """
int *pool(int n);
int *arena(int n);
struct Rows { int *data; int count; };

// safe: 2 of 2 pairs
__global__ void one(int *a, int *b) { a[threadIdx.x] = b[threadIdx.x] + a[threadIdx.x]; }

// race: read next, write own; global; warp block
__global__ void moved(int *a, int *b) {
  int v = b[threadIdx.x + 1];  // next
  a[threadIdx.x] = v;  // own
}

// safe: 1 of 1 pairs
__global__ void apart(int *a, int *b) { a[threadIdx.x] = b[threadIdx.x + 1]; }

// race: read within, write into; global; warp block
__global__ void member(Rows rows, int *b) {
  int v = b[threadIdx.x + 1];  // within
  rows.data[threadIdx.x] = v;  // into
}

// race: write begin, write begin; global; warp
__global__ void begins(int *a, int n) { a[threadIdx.x / n] = threadIdx.x; }  // begin

void run(int n) {
  int *p = pool(n), *q = arena(n);
  int *rows = n > 64 ? p : q;
  one<<<1, 64>>>(rows, arena(2 * n));
  moved<<<1, 64>>>(rows, p);
  apart<<<1, 64>>>(rows, arena(2 * n));
  member<<<1, 64>>>(Rows{rows, n}, q);
  begins<<<1, 64>>>(n > 64 ? p : q + 1, 2);
}
"""

test_verdict = verdicts(SOURCE)
