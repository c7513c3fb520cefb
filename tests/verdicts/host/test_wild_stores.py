"""Wild stores, and functions that are called through pointers to members."""

from tests.checking import verdicts

SOURCE = """
#include <cstdarg>
#include <cstdint>
#include <vector>
struct Pair { int first = 1, second = 1; void clear() { second = 0; } };
struct Resets { void run(); };
int step = 1;
void Resets::run() { step = 0; }
void clear(int count, ...) { va_list l; va_start(l, count); *va_arg(l, int *) = 0; va_end(l); }

// race: write member, write member; global; warp block (unless p.second != 0)
__global__ void member(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // member

// race: write method, write method; global; warp block (unless q.second != 0)
__global__ void method(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // method

// race: write variable, write variable; global; warp block (unless step != 0)
__global__ void variable(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // variable

// race: write numbered, write numbered; global; warp block (unless n != 0)
__global__ void numbered(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // numbered

// race: write listed, write listed; global; warp block (unless m != 0)
__global__ void listed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // listed

// safe: 1 of 1 pairs
__global__ void hidden(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // hidden

// safe: 1 of 1 pairs
__global__ void fraction(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // fraction

// race: write fractions, write fractions; global; warp block (unless converted != 0)
__global__ void fractions(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // fractions

// race: write held, write held; global; warp block
__global__ void held(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // held

// safe: 1 of 1 pairs
__global__ void not_held(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

int main(int argc, char **argv) {
  int *a, n = 1, m = 1, kept = 1;
  float real = 1;
  cudaMalloc(&a, 1 << 20);

  Pair p;
  int Pair::*at = &Pair::second;
  p.*at = 0;
  member<<<1, 64>>>(a, p.second);

  Pair q;
  void (Pair::*method_of)() = &Pair::clear;
  (q.*method_of)();
  method<<<1, 64>>>(a, q.second);

  Resets r;
  void (Resets::*run)() = &Resets::run;
  (r.*run)();
  variable<<<1, 64>>>(a, step);

  uintptr_t number = (uintptr_t)&n;
  *(int *)number = 0;
  numbered<<<1, 64>>>(a, n);

  clear(1, &m);
  listed<<<1, 64>>>(a, m);

  hidden<<<1, 64>>>(a, kept);

  int held_by_vector = 1, held_by_none = 1;
  std::vector<int *> pointers;
  pointers.push_back(&held_by_vector);
  held_by_vector = held_by_none = 1;
  *pointers[0] = 0;
  held<<<1, 64>>>(a, held_by_vector);
  not_held<<<1, 64>>>(a, held_by_none);

  n = 1;
  number = (uintptr_t)&real;
  *(float *)number = 0;
  fraction<<<1, 64>>>(a, n);
  fractions<<<1, 64>>>(a, (int)real);
}
"""

test_kernel = verdicts(SOURCE)
