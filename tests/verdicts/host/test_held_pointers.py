"""Pointers that the program puts into memory: kernels that find one buffer by two names, and two buffers."""

from tests.checking import verdicts

DECLARED = """
struct Pair { float *first, *second; };
__device__ float left[1024], right[1024];
__device__ float *row = left, *other = right;
__device__ Pair apart_pair = {left, right}, one_pair = {left, left + 1};
__device__ int count;
__device__ int *counter = &count;
__device__ float *moving = left;

// race: read by_name, write by_name; global; warp block
__global__ void by_name() { row[threadIdx.x] = left[threadIdx.x + 1]; }  // by_name

// safe: 1 of 1 pairs
__global__ void by_other_name() { row[threadIdx.x] = right[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void two_rows() { row[threadIdx.x] = other[threadIdx.x + 1]; }

// race: read in_pair, write in_pair; global; warp block
__global__ void one_in_pair() { one_pair.first[threadIdx.x] = one_pair.second[threadIdx.x + 1]; }  // in_pair

// safe: 1 of 1 pairs
__global__ void two_in_pair() { apart_pair.first[threadIdx.x] = apart_pair.second[threadIdx.x + 1]; }

// race: atomic counted, write counted; global; warp block
__global__ void counted() { atomicAdd(&count, 1); if (threadIdx.x == 0) *counter = 5; }  // counted

// open: left and *moving: they may be the same memory
__global__ void by_a_name_that_moves() { moving[threadIdx.x] = left[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void by_another_name() { moving[threadIdx.x] = right[threadIdx.x + 1]; }

// safe: 0 of 0 pairs
__global__ void move() { moving += 64; }

int main() {
  move<<<1, 1>>>();
  by_a_name_that_moves<<<1, 64>>>();
  by_another_name<<<1, 64>>>();
  by_name<<<1, 64>>>();
  by_other_name<<<1, 64>>>();
  two_rows<<<1, 64>>>();
  one_in_pair<<<1, 64>>>();
  two_in_pair<<<1, 64>>>();
  counted<<<1, 64>>>();
}
"""

BY_SYMBOL = """
__device__ float *a, *b, *c, *e;
__managed__ float *m, *n, *o;
__device__ float table[1024];

// open: *b and *a: they may be the same memory
__global__ void one_buffer() { a[threadIdx.x] = b[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void two_buffers() { a[threadIdx.x] = c[threadIdx.x + 1]; }

// open: table and *e: they may be the same memory
__global__ void of_table() { e[threadIdx.x] = table[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void besides_table() { a[threadIdx.x] = table[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void managed_apart() { m[threadIdx.x] = o[threadIdx.x + 1]; }

int main() {
  float *p, *q, *t;
  cudaMalloc(&p, 4096);
  cudaMalloc(&q, 4096);
  cudaGetSymbolAddress((void **)&t, table);
  cudaMemcpyToSymbol(a, &p, sizeof p);
  cudaMemcpyToSymbol(b, &p, sizeof p);
  cudaMemcpyToSymbol(c, &q, sizeof q);
  cudaMemcpyToSymbol(e, &t, sizeof t);
  cudaMallocManaged(&m, 4096);
  cudaMallocManaged(&o, 4096);
  one_buffer<<<1, 64>>>();
  two_buffers<<<1, 64>>>();
  of_table<<<1, 64>>>();
  besides_table<<<1, 64>>>();
  managed_apart<<<1, 64>>>();
}
"""

BY_KERNEL = """
__device__ float *a, *b;
// safe: 0 of 0 pairs
__global__ void fill(float *p) { FILL }

// open: *b and *a: they may be the same memory
__global__ void use() { a[threadIdx.x] = b[threadIdx.x + 1]; }

int main() {
  float *p;
  cudaMalloc(&p, 4096);
  BEFORE
  use<<<1, 64>>>();
  AFTER
}
"""
_LAUNCH = "fill<<<1, 1>>>(p);"
_OPEN = "open: *b and *a: they may be the same memory"

RECORDS = """
#include <cstdlib>
#include <vector>
struct Pair { float *first, *second; int size; };

// open: *d.second and *d.first: they may be the same memory
__global__ void one_copied(Pair *v) { v->first[threadIdx.x] = v->second[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void two_copied(Pair *v) { v->first[threadIdx.x] = v->second[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void from_heap(Pair *v) { v->first[threadIdx.x] = v->second[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void from_vector(Pair *v) { v[1].first[threadIdx.x] = v[1].second[threadIdx.x + 1]; }

// open: *m.second and *m.first: they may be the same memory
__global__ void one_managed(Pair *v) { v->first[threadIdx.x] = v->second[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void two_managed(Pair *v) { v->first[threadIdx.x] = v->second[threadIdx.x + 1]; }

// open: *w.first and *m.first: they may be the same memory
__global__ void two_records(Pair *v, Pair *w) { v->first[threadIdx.x] = w->first[threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void apart_records(Pair *v, Pair *w) { v->first[threadIdx.x] = w->second[threadIdx.x + 1]; }

void copied() {
  Pair h, *d;
  cudaMalloc(&h.first, 4096);
  h.second = h.first;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
  one_copied<<<1, 64>>>(d);
}

void copied_apart() {
  Pair h, *d;
  cudaMalloc(&h.first, 4096);
  cudaMalloc(&h.second, 4096);
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
  two_copied<<<1, 64>>>(d);
}

void copied_from_heap() {
  Pair *h = (Pair *)malloc(sizeof(Pair)), *d;
  cudaMalloc(&h->first, 4096);
  cudaMalloc(&h->second, 4096);
  cudaMalloc(&d, sizeof(Pair));
  cudaMemcpy(d, h, sizeof(Pair), cudaMemcpyHostToDevice);
  from_heap<<<1, 64>>>(d);
}

void copied_from_vector(int n) {
  std::vector<Pair> h(n);
  for (int i = 0; i < n; i++) {
    cudaMalloc(&h[i].first, 4096);
    cudaMalloc(&h[i].second, 4096);
  }
  Pair *d;
  cudaMalloc(&d, n * sizeof(Pair));
  cudaMemcpy(d, h.data(), n * sizeof(Pair), cudaMemcpyHostToDevice);
  from_vector<<<1, 64>>>(d);
}

void managed() {
  float *p, *q;
  Pair *m, *w, *x;
  cudaMalloc(&p, 4096);
  cudaMalloc(&q, 4096);
  cudaMallocManaged(&m, sizeof(Pair));
  cudaMallocManaged(&w, sizeof(Pair));
  cudaMallocManaged(&x, sizeof(Pair));
  m->first = p;
  m->second = p;
  w->first = p;
  w->second = q;
  x->first = p;
  x->second = q;
  one_managed<<<1, 64>>>(m);
  two_managed<<<1, 64>>>(x);
  two_records<<<1, 64>>>(m, w);
  apart_records<<<1, 64>>>(m, w);
}
"""

test_declared = verdicts(DECLARED)
test_by_symbol = verdicts(BY_SYMBOL)
test_by_kernel = verdicts(BY_KERNEL.replace("FILL", "a = p; b = p;").replace("BEFORE", _LAUNCH).replace("AFTER", ""))
test_by_later_kernel = verdicts(
    BY_KERNEL.replace("FILL", "a = p; b = p;").replace("BEFORE", "").replace("AFTER", _LAUNCH)
)
test_by_no_kernel = verdicts(
    BY_KERNEL.replace("FILL", "").replace("BEFORE", _LAUNCH).replace("AFTER", "").replace(_OPEN, "safe: 1 of 1 pairs")
)
test_records = verdicts(RECORDS)
