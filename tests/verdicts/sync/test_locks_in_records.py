"""Locks, and counters, that are members of the records they guard: other members are other words."""

from tests.checking import verdicts

IN_A_RECORD = """
struct Account { int lock; int sum; };

// safe: 6 of 6 pairs
__global__ void member_of_its_record(Account *acc, const int *who, const int *amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int w = who[i];
  while (atomicCAS(&acc[w].lock, 0, 1) != 0) {}
  __threadfence();
  acc[w].sum += amount[i];
  __threadfence();
  atomicExch(&acc[w].lock, 0);
}

// safe: 6 of 6 pairs
__global__ void one_record(Account *acc, const int *amount) {
  while (atomicCAS(&acc->lock, 0, 1) != 0) {}
  __threadfence();
  acc->sum += amount[threadIdx.x];
  __threadfence();
  atomicExch(&acc->lock, 0);
}

// race: read sum, write sum; global; warp block grid (data-dependent)
// race: write sum, write sum; global; warp block grid (data-dependent)
__global__ void the_next_record(Account *acc, const int *who, const int *amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int w = who[i];
  while (atomicCAS(&acc[w].lock, 0, 1) != 0) {}
  __threadfence();
  acc[w / 2].sum += amount[i];  // sum
  __threadfence();
  atomicExch(&acc[w].lock, 0);
}

// race: atomic take, write place; global; warp block grid (data-dependent)
// race: atomic take, read place; global; warp block grid (data-dependent)
// race: atomic give, write place; global; warp block grid (data-dependent)
// race: atomic give, read place; global; warp block grid (data-dependent)
// race: read place, write place; global; warp block grid (data-dependent)
// race: write place, write place; global; warp block grid (data-dependent)
__global__ void a_place_that_may_be_a_lock(int *words, const int *who, const int *amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int w = who[i];
  while (atomicCAS(&words[2 * w], 0, 1) != 0) {}  // take
  __threadfence();
  words[w] += amount[i];  // place
  __threadfence();
  atomicExch(&words[2 * w], 0);  // give
}

// note: write whole, write whole; global; warp block grid (data-dependent)
// race: atomic give, write whole; global; warp block grid (data-dependent)
// race: atomic take, write whole; global; warp block grid (data-dependent)
// race: read sum, write sum; global; warp block grid (data-dependent)
// race: read sum, write whole; global; warp block grid (data-dependent)
// race: write sum, write sum; global; warp block grid (data-dependent)
// race: write sum, write whole; global; warp block grid (data-dependent)
__global__ void written_as_a_whole(Account *acc, const int *who, const int *amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int w = who[i];
  while (atomicCAS(&acc[w].lock, 0, 1) != 0) {}  // take
  __threadfence();
  acc[w].sum += amount[i];  // sum
  if (amount[i] < 0) *(long long *)&acc[w] = 0;  // whole
  __threadfence();
  atomicExch(&acc[w].lock, 0);  // give
}
"""

test_locks_in_records = verdicts(IN_A_RECORD)

IN_ARRAYS_OF_ONE_RECORD = """
struct Table { int locks[64]; int sums[64]; };

// safe: 6 of 6 pairs
__global__ void arrays_in_records(Table *tables, const int *who) {
  Table &t = tables[blockIdx.x / 2];
  int w = who[threadIdx.x];
  while (atomicCAS(&t.locks[w], 0, 1) != 0) {}
  __threadfence();
  t.sums[w] += 1;
  __threadfence();
  atomicExch(t.locks + w, 0);
}

// safe: 6 of 6 pairs
__global__ void tested(int *words, const int *who) {
  int w = who[threadIdx.x];
  if (w < 0 || w >= 64) return;
  while (atomicCAS(&words[w], 0, 1) != 0) {}
  __threadfence();
  words[64 + w] += 1;
  __threadfence();
  atomicExch(&words[w], 0);
}

// race: atomic take, write place; global; warp block grid (data-dependent)
// race: atomic take, read place; global; warp block grid (data-dependent)
// race: atomic give, write place; global; warp block grid (data-dependent)
// race: atomic give, read place; global; warp block grid (data-dependent)
// race: read place, write place; global; warp block grid (data-dependent)
// race: write place, write place; global; warp block grid (data-dependent)
__global__ void not_tested(int *words, const int *who) {
  int w = who[threadIdx.x];
  if (w < 0 || w > 64) return;
  while (atomicCAS(&words[w], 0, 1) != 0) {}  // take
  __threadfence();
  words[64 + w] += 1;  // place
  __threadfence();
  atomicExch(&words[w], 0);  // give
}
"""

test_locks_in_arrays_of_one_record = verdicts(IN_ARRAYS_OF_ONE_RECORD)

IN_BUCKETS = """
struct Bucket { int count; int items[31]; };

// safe: 2 of 2 pairs
__global__ void slots_of_buckets(Bucket *buckets, const int *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Bucket &b = buckets[keys[i]];
  int slot = atomicAdd(&b.count, 1);
  if (slot < 31) b.items[slot] = i;
}

// race: atomic count, write item; global; warp block grid (data-dependent)
// race: write item, write item; global; warp block grid (data-dependent)
__global__ void slots_that_may_be_counters(int *words, const int *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *b = words + 32 * keys[i];
  int slot = atomicAdd(b, 1);  // count
  if (slot >= 0 && slot < 32) b[slot + 1] = i;  // item
}
"""

test_slots_in_buckets = verdicts(IN_BUCKETS)
