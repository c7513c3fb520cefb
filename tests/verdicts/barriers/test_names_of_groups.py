"""Cooperative groups by names of namespaces that a function gives them itself."""

from tests.checking import verdicts

test_names_of_groups = verdicts("""
#include <cooperative_groups.h>

// safe: 3 of 3 pairs
__global__ void named_inside(int *out) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  block.sync();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

// safe: 3 of 3 pairs
template <class T> __global__ void named_inside_of_a_template(T *out) {
  namespace g = cooperative_groups;
  g::thread_block block = g::this_thread_block();
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  block.sync();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

// race: read mirrored, write own; shared; block
__global__ void no_barrier(int *out) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  __shared__ int s[64];
  s[block.thread_rank()] = threadIdx.x;  // own
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  // mirrored
}
void run(int *out, int n) {
  named_inside<<<n, 64>>>(out);
  named_inside_of_a_template<<<n, 64>>>(out);
  no_barrier<<<n, 64>>>(out);
}
""")

test_one_name_for_two_namespaces = verdicts("""
#include <cooperative_groups.h>
namespace mine { struct thread_block { int size; }; }

// open: a call of sync, whose body is not known
// open: read mirrored, write own; shared; block: what was not understood in line 12 may order the two accesses
__global__ void by_the_name(int *out) {
  namespace g = cooperative_groups;
  g::thread_block block = g::this_thread_block();
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;  // own
  block.sync();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  // mirrored
}
__device__ int other() {
  namespace g = mine;
  g::thread_block block = {3};
  return block.size;
}
void run(int *out, int n) { by_the_name<<<n, 64>>>(out); }
""")
