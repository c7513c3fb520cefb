"""Pointers that the host keeps in objects: the same getter on the same object gives the same memory."""

from tests.checking import verdicts

HOLDERS = """
#include <functional>
#include <memory>
#include <utility>
#include <vector>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
struct Free { void operator()(float *p) const { cudaFree(p); } };
using Owner = std::unique_ptr<float, Free>;

// race: read shared_same, write shared_same; global; warp block grid
__global__ void shared_same(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // shared_same
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // shared_same

// safe: 1 of 1 pairs
__global__ void shared_two(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// race: read moved_from, write moved_from; global; warp block grid
__global__ void moved_from(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // moved_from
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // moved_from

// safe: 1 of 1 pairs
__global__ void moved_apart(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// race: read swapped, write swapped; global; warp block grid
__global__ void swapped(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // swapped
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // swapped

// safe: 1 of 1 pairs
__global__ void swapped_apart(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// race: read one_vector, write one_vector; global; warp block grid
__global__ void one_vector(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // one_vector
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // one_vector

// safe: 1 of 1 pairs
__global__ void two_vectors(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// race: read exchanged, write exchanged; global; warp block grid
__global__ void exchanged(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // exchanged
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // exchanged

// safe: 1 of 1 pairs
__global__ void exchanged_apart(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// race: read listed, write listed; global; warp block grid
__global__ void listed(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // listed
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // listed

// safe: 1 of 1 pairs
__global__ void listed_apart(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// race: read member, write member; global; warp block grid
__global__ void member(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // member
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // member

// safe: 1 of 1 pairs
__global__ void members(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

struct Fields { thrust::device_vector<float> u, v; };

int main() {
  const int n = 4097;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  std::shared_ptr<float> p(a, cudaFree), q(b, cudaFree), r = p;
  shared_same<<<64, 64>>>(p.get(), r.get());
  shared_two<<<64, 64>>>(p.get(), q.get());
  Owner s(a), t(b);
  Owner u = std::move(s);
  moved_from<<<64, 64>>>(a, u.get());
  moved_apart<<<64, 64>>>(u.get(), t.get());
  std::swap(t, u);
  swapped<<<64, 64>>>(a, t.get());
  swapped_apart<<<64, 64>>>(a, u.get());
  thrust::device_vector<float> v(n), w(n);
  one_vector<<<64, 64>>>(v.data().get(), thrust::raw_pointer_cast(&v[0]));
  two_vectors<<<64, 64>>>(v.data().get(), thrust::raw_pointer_cast(&w[0]));
  float *before = thrust::raw_pointer_cast(v.data());
  v.swap(w);
  exchanged<<<64, 64>>>(before, thrust::raw_pointer_cast(w.data()));
  exchanged_apart<<<64, 64>>>(before, thrust::raw_pointer_cast(v.data()));
  std::vector<float *> same = {a, a}, apart = {a, b};
  listed<<<64, 64>>>(same[0], same[1]);
  listed_apart<<<64, 64>>>(apart[0], apart[1]);
  Fields fields{thrust::device_vector<float>(n), thrust::device_vector<float>(n)};
  member<<<64, 64>>>(fields.u.data().get(), fields.u.data().get());
  members<<<64, 64>>>(fields.u.data().get(), fields.v.data().get());
}
"""

test_holders = verdicts(HOLDERS)


UNSEEN = """
#include <cstdint>
#include <functional>
#include <map>
struct Library { int handle; Library(); float *input(); float *output(); };
float *buffer(int which);
struct Pool;
float *pool_first(Pool *), *pool_last(Pool *);
struct Pair { float *in, *out; };

// open: input() and output(): they may be the same memory
__global__ void methods(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: buffer() and buffer()'2: they may be the same memory
__global__ void equal_calls(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void other_calls(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: pool_first() and pool_last(): they may be the same memory
__global__ void pooled(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void parameters(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void members(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: x and p: they may be the same memory
__global__ void by_number(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: table[…] and table[…]'2: they may be the same memory
__global__ void elements(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void other_elements(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: operator[]() and p: they may be the same memory
__global__ void put_there(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1]; }

void run(Pool *pool, float *p, float *q, Pair *pair, float **table, int i, int j) {
  Library library;
  methods<<<64, 64>>>(library.input(), library.output());
  equal_calls<<<64, 64>>>(buffer(0), buffer(0));
  other_calls<<<64, 64>>>(buffer(0), buffer(1));
  pooled<<<64, 64>>>(pool_first(pool), pool_last(pool));
  parameters<<<64, 64>>>(p, q);
  members<<<64, 64>>>(pair->in, pair->out);
  uintptr_t number = (uintptr_t)p;
  by_number<<<64, 64>>>((float *)number, p);
  elements<<<64, 64>>>(table[i], table[j]);
  if (i != j) other_elements<<<64, 64>>>(table[i], table[j]);
  std::map<int, float *> kept;
  kept[i] = p;
  put_there<<<64, 64>>>(kept[j], p);
}
"""

test_unseen = verdicts(UNSEEN)


PUT_IN_MEMORY = """
__device__ float *global_in, *global_other, *set_by_kernel;

// safe: 0 of 0 pairs
__global__ void set(float *x) { set_by_kernel = x; }

// open: *set_by_kernel and a: they may be the same memory
__global__ void from_kernel(float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =
      set_by_kernel[blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void from_kernel_other(float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =
      set_by_kernel[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: *global_in and a: they may be the same memory
// open: a and a pointer found in memory: they may be the same memory
__global__ void from_symbol(float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =
      global_in[blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void from_other(float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =
      global_other[blockIdx.x * 64 + threadIdx.x + 1]; }

// open: *table and a: they may be the same memory
// open: a and a pointer found in memory: they may be the same memory
__global__ void from_table(float *const *t, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =
      t[1][blockIdx.x * 64 + threadIdx.x + 1]; }

// safe: 1 of 1 pairs
__global__ void from_other_table(float *const *t, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =
      t[1][blockIdx.x * 64 + threadIdx.x + 1]; }

int main() {
  float *a, *b, **table;
  cudaMalloc(&a, 20000);
  cudaMalloc(&b, 20000);
  cudaMemcpyToSymbol(global_in, &a, sizeof a);
  cudaMemcpyToSymbol(global_other, &b, sizeof b);
  set<<<1, 1>>>(a);
  from_kernel<<<64, 64>>>(a);
  from_kernel_other<<<64, 64>>>(b);
  from_symbol<<<64, 64>>>(a);
  from_other<<<64, 64>>>(a);
  cudaMalloc(&table, 2 * sizeof *table);
  float *listed[2] = {b, a};
  cudaMemcpy(table, listed, sizeof listed, cudaMemcpyHostToDevice);
  float *c;
  cudaMalloc(&c, 20000);
  from_table<<<64, 64>>>(table, a);
  from_other_table<<<64, 64>>>(table, c);
}
"""

test_put_in_memory = verdicts(PUT_IN_MEMORY)
