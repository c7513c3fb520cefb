"""cuda::atomic and cuda::atomic_ref: their members are atomic accesses, at the scope of the object."""

from tests.checking import verdicts

SOURCE = """
#include <cuda/atomic>

// safe: 0 of 0 pairs
__global__ void load_and_store(int *flag, int *out) {
  cuda::atomic<int> *f = (cuda::atomic<int> *)flag;
  int v = f->load(cuda::memory_order_relaxed);
  if (v == 0) f->store(1, cuda::memory_order_relaxed);
}

// race: atomic set, read plain; global; warp block grid
__global__ void plain_read_of_the_same(int *flag, int *out) {
  cuda::atomic<int> *f = (cuda::atomic<int> *)flag;
  f->store(1, cuda::memory_order_relaxed);  // set
  int v = *flag;  // plain
}

// safe: 0 of 0 pairs
__global__ void two_ways_of_reading(int *flag) {
  cuda::atomic<int> *f = (cuda::atomic<int> *)flag;
  int v = f->load() + *flag;
}

// race: atomic get, write plain; global; warp block grid
// race: write plain, write plain; global; warp block grid
__global__ void plain_write_of_the_same(int *flag) {
  cuda::atomic<int> *f = (cuda::atomic<int> *)flag;
  int v = f->load();  // get
  *flag = threadIdx.x + blockIdx.x;  // plain
}

// safe: 0 of 0 pairs
__global__ void reference(int *count) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  c.fetch_add(1);
  c++;
  c.exchange(3);
}

// race: atomic add, atomic add; global; warp block grid
__global__ void reference_of_a_thread(int *count) {
  cuda::atomic_ref<int, cuda::thread_scope_thread> c(*count);
  c.fetch_add(1);  // add
}

// race: atomic add, atomic add; global; grid
__global__ void reference_of_a_block(int *count) {
  cuda::atomic_ref<int, cuda::thread_scope_block> c(*count);
  c.fetch_add(1);  // add
}

// race: atomic set, write plain; global; warp block grid
// race: write plain, write plain; global; grid
__global__ void assigned(int *count) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  c = threadIdx.x;  // set
  if (threadIdx.x == 5) *count = blockIdx.x;  // plain
}

// safe: 1 of 1 pairs
__global__ void slots(int *count, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  out[c.fetch_add(1)] = threadIdx.x;
}

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void slots_not_counted(int *count, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  out[c.load()] = threadIdx.x;  // slot
}

// safe: 1 of 1 pairs
__global__ void won_by_one(int *turn, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> t(*turn);
  int expected = threadIdx.x + blockIdx.x * blockDim.x;
  if (t.compare_exchange_strong(expected, -1)) out[threadIdx.x + blockIdx.x * blockDim.x] = expected;
}
"""

test_kernel = verdicts(SOURCE)
