"""Functions of the program that are called as CUDA's are: their bodies say what they do."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int atomicMax(int *p, int v, int) {
  int old = *p;  // look
  *p = max(old, v);  // put
  return old;
}

// race: read look, write put; global; warp block grid
// race: write put, write put; global; warp block grid
__global__ void overload_of_an_atomic(int *a) { atomicMax(a, (int)threadIdx.x, 0); }

__device__ float atomicMin(float *p, float v) {
  unsigned *bits = (unsigned *)p, old = *bits, seen;  // first
  do {
    seen = old;
    if (__uint_as_float(seen) <= v) break;
    old = atomicCAS(bits, seen, __float_as_uint(v));  // swap
  } while (old != seen);
  return __uint_as_float(old);
}

// race: atomic swap, read first; global; warp block grid (data-dependent)
__global__ void plain_read_before_the_loop(float *a) { atomicMin(a, (float)threadIdx.x); }

__device__ float atomicMinWell(float *p, float v) {
  unsigned *bits = (unsigned *)p, old = atomicAdd(bits, 0u), seen;
  do {
    seen = old;
    if (__uint_as_float(seen) <= v) break;
    old = atomicCAS(bits, seen, __float_as_uint(v));
  } while (old != seen);
  return __uint_as_float(old);
}

// safe: 0 of 0 pairs
__global__ void atomic_read_before_the_loop(float *a) { atomicMinWell(a, (float)threadIdx.x); }

struct Slots {
  unsigned *used;
  __device__ void free(int i) { used[i % 4] = i; }  // free
  __device__ void printf(int i) { used[i] = 1; }
  __device__ int clock() { return used[0]; }
};

// race: write free, write free; global; warp block grid
__global__ void method_free(Slots s) { s.free(threadIdx.x); }

// safe: 1 of 1 pairs
__global__ void method_printf(Slots s) { s.printf(blockIdx.x * blockDim.x + threadIdx.x); }

// safe: 2 of 2 pairs
__global__ void method_clock(Slots s, int *out) { if (s.clock() == 0 && blockIdx.x + threadIdx.x == 0) out[1] = 1; }

namespace cub { __device__ void Store(int *p, int v) { p[v / 2] = v; } }  // cub
namespace thrust { __device__ void fill(int *p, int v) { p[v] = v; } }
namespace cooperative_groups_of_mine {
  struct thread_block { __device__ void sync() {} };
  __device__ thread_block this_thread_block() { return thread_block(); }
}

// race: write cub, write cub; global; warp
__global__ void namespace_cub(int *a) { cub::Store(a, blockIdx.x * blockDim.x + threadIdx.x); }

// safe: 1 of 1 pairs
__global__ void namespace_thrust(int *a) { thrust::fill(a, blockIdx.x * blockDim.x + threadIdx.x); }

// race: read next, write own; shared; warp block
__global__ void sync_that_is_none(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;  // own
  cooperative_groups_of_mine::this_thread_block().sync();
  out[blockIdx.x * 64 + t] = s[(t + 1) % 64];  // next
}

__device__ void __syncthreads(int) {}

// race: read beside, write mine; shared; warp block
__global__ void barrier_that_is_none(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;  // mine
  __syncthreads(1);
  out[blockIdx.x * 64 + t] = s[(t + 1) % 64];  // beside
}

__device__ void barrier_for(cg::thread_block &g, bool all) { if (all) g.sync(); }

// safe: 3 of 3 pairs
__global__ void group_handed_on(int *out) {
  __shared__ int s[64];
  cg::thread_block g = cg::this_thread_block();
  int t = threadIdx.x;
  s[t] = t;
  barrier_for(g, true);
  out[blockIdx.x * 64 + t] = s[(t + 1) % 64];
}

// race: read after, write before; shared; warp block
__global__ void group_without_its_barrier(int *out) {
  __shared__ int s[64];
  cg::thread_block g = cg::this_thread_block();
  int t = threadIdx.x;
  s[t] = t;  // before
  barrier_for(g, false);
  out[blockIdx.x * 64 + t] = s[(t + 1) % 64];  // after
}

template <class Group> struct Reducer {
  Group group;
  int *out;
  __device__ void sync(int v) { out[0] = v; }  // reduced
  __device__ int thread_rank() const { return 0; }
  __device__ void size(int v) { out[v] = v; }
};

// race: write reduced, write reduced; global; warp block grid
__global__ void class_of_a_tile(int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  Reducer<decltype(tile)> r{tile, out};
  r.sync(threadIdx.x);
}

// safe: 1 of 1 pairs
__global__ void class_of_a_tile_in_its_place(int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  Reducer<decltype(tile)> r{tile, out};
  r.size(blockIdx.x * blockDim.x + threadIdx.x);
}

struct thread_group_counter { int *n; __device__ int size() { return *n += 1; } };  // count

// race: read count, write count; global; warp block grid
// race: write count, write count; global; warp block grid
__global__ void class_named_as_a_group(thread_group_counter c) { c.size(); }

__device__ unsigned lane_id() { return threadIdx.x % 16; }
__device__ int dot(int *p, int v) { p[lane_id()] = v; return v; }  // dot

// race: write dot, write dot; global; warp block grid
__global__ void named_dot(int *a) { dot(a, threadIdx.x); }

__device__ int make_pair(int *p, int v) { return atomicAdd(p, v); }

// safe: 0 of 0 pairs
__global__ void named_make(int *a) { make_pair(a, threadIdx.x); }

__device__ float tex2DOf(float *p, int i) { return p[i + 1]; }  // fetch
__device__ int curand_next(int *p, int i) { return p[i] = i + blockIdx.x; }  // draw

// race: read fetch, write here; global; warp block grid
__global__ void named_as_a_texture(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = tex2DOf(a, i);
  a[i] = v;  // here
}

// race: write draw, write draw; global; grid
__global__ void named_as_a_generator(int *a) { curand_next(a, threadIdx.x); }

__device__ int clamp(int v, int *low) { *low = v; return v; }  // clamp

// race: write clamp, write clamp; global; warp block grid
__global__ void named_clamp(int *a) { clamp(threadIdx.x, a); }

struct Peak { int *top; __device__ void max(int v) { *top = v; } };  // top

// race: write top, write top; global; warp block grid
__global__ void method_max(Peak p) { p.max(threadIdx.x); }

__device__ void __threadfence();

// safe: 1 of 1 pairs
__global__ void declared_again(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 0;
  __threadfence();
}

// safe: 2 of 2 pairs
__global__ void of_the_compiler(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *own = (int *)__builtin_alloca(8);
  __builtin_memcpy(own, a + 2 * i, 8);
  if (__builtin_popcount(own[0]) < 40) a[2 * i + 1] = own[1];
}

__device__ int min(int, int, int);
__device__ void exchange(int *, int);

// safe: 1 of 1 pairs
__global__ void without_a_body(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (min(i, 7, 9) > 0) a[i] = 0;
}

// open: a call of exchange, whose body is not known
__global__ void without_a_body_and_given_memory(int *a) { exchange(a, 7); }

int main() {
  int *a;
  float *f;
  cudaMalloc(&a, 4096 * 4);
  cudaMalloc(&f, 4096 * 4);
  overload_of_an_atomic<<<8, 64>>>(a);
  plain_read_before_the_loop<<<8, 64>>>(f);
  atomic_read_before_the_loop<<<8, 64>>>(f);
  Slots s{(unsigned *)a};
  method_free<<<8, 64>>>(s);
  method_printf<<<8, 64>>>(s);
  method_clock<<<8, 64>>>(s, a);
  namespace_cub<<<8, 64>>>(a);
  namespace_thrust<<<8, 64>>>(a);
  sync_that_is_none<<<8, 64>>>(a);
  barrier_that_is_none<<<8, 64>>>(a);
  group_handed_on<<<8, 64>>>(a);
  group_without_its_barrier<<<8, 64>>>(a);
  class_of_a_tile<<<8, 64>>>(a);
  class_of_a_tile_in_its_place<<<8, 64>>>(a);
  thread_group_counter c{a};
  class_named_as_a_group<<<8, 64>>>(c);
  named_dot<<<8, 64>>>(a);
  named_make<<<8, 64>>>(a);
  named_as_a_texture<<<8, 64>>>(f);
  named_as_a_generator<<<8, 64>>>(a);
  named_clamp<<<8, 64>>>(a);
  Peak p{a};
  method_max<<<8, 64>>>(p);
  declared_again<<<8, 64>>>(a);
  of_the_compiler<<<8, 64>>>(a);
  without_a_body<<<8, 64>>>(a);
  without_a_body_and_given_memory<<<8, 64>>>(a);
}
"""

test_kernel = verdicts(SOURCE)

WITH_A_VARIABLE = """
__device__ int last;
__device__ int next(int);

// open: a call of next, whose body is not known
__global__ void may_write_the_variable(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = next(i);
}

int main() {
  int *a;
  cudaMalloc(&a, 4096 * 4);
  may_write_the_variable<<<8, 64>>>(a);
}
"""

OF_A_LIBRARY = """
#include <cuda/ptx>

// open: a call of fence_proxy_async, whose body is not known
__global__ void gives_and_takes_nothing(int *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  cuda::ptx::fence_proxy_async();
}

int main() {
  int *a;
  cudaMalloc(&a, 4096 * 4);
  gives_and_takes_nothing<<<8, 64>>>(a);
}
"""

test_kernel_of_a_library = verdicts(OF_A_LIBRARY)

test_kernel_with_a_variable = verdicts(WITH_A_VARIABLE)
