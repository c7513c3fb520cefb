"""Pointers of unknown origin in host code: they may be null, equal, into one object, or to an object that escaped."""

from tests.checking import verdicts

SOURCE = """
#include <initializer_list>
int *pick(int *one, int *other);
float *sample(int *seed);
const int *first();
const int *last();
struct List { int *head; };

// race: write null, write null; global; warp block
__global__ void null(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // null

// race: write missing, write missing; global; warp block
__global__ void missing(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // missing

// safe: 1 of 1 pairs
__global__ void allocated(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write equal, write equal; global; warp block
__global__ void equal(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // equal

// safe: 1 of 1 pairs
__global__ void apart(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write behind, write behind; global; warp block
__global__ void behind(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // behind

// race: write through, write through; global; warp block
__global__ void through(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // through

// race: write picked, write picked; global; warp block (unless one != 0)
__global__ void picked(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // picked

// safe: 1 of 1 pairs
__global__ void seeded(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write counted, write counted; global; warp block
__global__ void counted(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // counted

void given(int *p, int *q, List *list) {
  int *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  null<<<1, 64>>>(a, p == nullptr ? 0 : 1);
  missing<<<1, 64>>>(a, !list->head ? 0 : 1);
  allocated<<<1, 64>>>(a, a == nullptr ? 0 : 1);
  equal<<<1, 64>>>(a, p == q ? 0 : 1);
  apart<<<1, 64>>>(a, a == b ? 0 : 1);
}

int sum(const int *from, const int *to) {
  int found = 0;
  while (from != to) found += *from++;
  return found;
}

int main(int argc, char **argv) {
  int *a, one = 1, other = 1, seed = 1, count = 0;
  cudaMalloc(&a, 1 << 20);
  sum(first(), last());
  behind<<<1, 64>>>(a, 0);
  for (const int *p = first(); p < last(); ++p) one = *p;
  through<<<1, 64>>>(a, 0);

  int *chosen = pick(&one, &other);
  one = other = 1;
  *chosen = 0;
  picked<<<1, 64>>>(a, one);
  float *numbers = sample(&seed);
  seed = 1;
  numbers[0] = 0;
  seeded<<<1, 64>>>(a, seed);
  for (int step : {3, 2, 1}) count += step;
  counted<<<1, 64>>>(a, 0);
}
"""

test_kernel = verdicts(SOURCE)


EQUAL = """
// race: read in, write out; global; warp block
__global__ void in_place(int *out, const int *in, int n) { out[threadIdx.x] =  // out
    in[(threadIdx.x + 1) % n]; }  // in

// safe: 1 of 1 pairs
__global__ void apart(int *out, const int *in, int n) { out[threadIdx.x] = in[(threadIdx.x + 1) % n]; }

// race: read from, write to; global; warp block
__global__ void chosen(int *out, const int *in, int n) { out[threadIdx.x] =  // to
    in[(threadIdx.x + 1) % n]; }  // from

// race: read both, write both; global; warp block (unless n >= 0)
__global__ void behind(int *out, int *in, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }  // both

void run(int *p, int *q, int n) {
  int *other;
  cudaMalloc(&other, 1 << 20);
  if (p == q)
    in_place<<<1, 64>>>(p, q, n);
  else
    apart<<<1, 64>>>(p, q, n);
  chosen<<<1, 64>>>(p == q ? p : other, q, n);
  if (p == q + n) behind<<<1, 64>>>(p, q, n);
}
"""

test_equal = verdicts(EQUAL)
