"""Arguments that point to one of several unknown objects, and launches that differ in nothing a kernel depends on."""

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

// safe: 3 of 3 pairs
__global__ void linked(int *a, int n) { if (n == 3) a[0] = threadIdx.x; else a[threadIdx.x] = 1; }

// safe: 1 of 1 pairs
__global__ void either(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: read constant, write found; global; warp block
__constant__ int *chosen;
__global__ void through(int *a) {
  int v = chosen[threadIdx.x + 1];  // constant
  a[threadIdx.x] = v;  // found
}

// safe: 1 of 1 pairs
__global__ void making(int *a) { a[threadIdx.x] = threadIdx.x; }

// race: write either, write either; global; warp block (data-dependent)
__global__ void half(int *a, int *index) { a[index[threadIdx.x]] = threadIdx.x; }  // either

void partly(int n) {
  int *x = pool(n), *y = pool(n + 1), *d;
  making<<<1, 64>>>(x);
  cudaMalloc(&d, 1024);
  half<<<1, 64>>>(d, n > 3 ? x : y);
}

void run(int n, int s, int *w) {
  int *p = pool(n), *q = arena(n);
  int *rows = n > 64 ? p : q;
  one<<<1, 64>>>(rows, arena(2 * n));
  moved<<<1, 64>>>(rows, p);
  apart<<<1, 64>>>(rows, arena(2 * n));
  member<<<1, 64>>>(Rows{rows, n}, q);
  begins<<<1, 64>>>(n > 64 ? p : q + 1, 2);
  through<<<1, 64>>>((cudaMemcpyToSymbol(chosen, &rows, sizeof rows), q));
  if (w && n == 3) return;
  if (!w && n == 3) return;
  linked<<<1, 64>>>(p, n);
  if (w) {
    if (s != 1) return;
  }
  ++n;
  if (!w) {
    if (s != 2) return;
  }
  either<<<1, 64>>>(p, s);
}
"""

test_verdict = verdicts(SOURCE)
