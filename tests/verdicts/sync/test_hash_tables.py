"""Hash tables with open addressing: a slot is claimed by a compare-and-swap from what stands for an empty one."""

from tests.checking import verdicts

SOURCE = """
#define EMPTY 0xffffffffu

struct Slot { unsigned key; int value; };

// safe: 1 of 1 pairs
__global__ void by_who_has_claimed_the_slot(const unsigned *keys, const int *values, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  if (key == EMPTY) return;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY) { found[slot] = values[i]; return; }
    if (old == key) return;
    slot = (slot + 1) & 1023;
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void by_a_key_that_may_be_empty(const unsigned *keys, const int *values, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY) { found[slot] = values[i]; return; }  // here
    if (old == key) return;
    slot = (slot + 1) & 1023;
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void by_whoever_finds_the_key(const unsigned *keys, const int *values, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  if (key == EMPTY) return;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY || old == key) { found[slot] = values[i]; return; }  // here
    slot = (slot + 1) & 1023;
  }
}

// safe: 0 of 0 pairs
__global__ void added_by_whoever_finds_the_key(const unsigned *keys, const int *values, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY || old == key) { atomicAdd(&found[slot], values[i]); return; }
    slot = (slot + 1) & 1023;
  }
}

// safe: 2 of 2 pairs
__global__ void beside_its_key(const unsigned *keys, const int *values, Slot *table) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  if (key == EMPTY) return;
  while (true) {
    unsigned old = atomicCAS(&table[slot].key, EMPTY, key);
    if (old == EMPTY) { table[slot].value = values[i]; return; }
    if (old == key) return;
    slot = (slot + 1) & 1023;
  }
}

// safe: 1 of 1 pairs
__global__ void empty_as_the_caller_says(const unsigned *keys, unsigned *table, int *found, unsigned empty, int most) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key & 1023;
  if (key == empty) return;
  for (int tried = 0; tried < most; tried++) {
    unsigned old = atomicCAS(&table[slot], empty, key);
    if (old == empty) found[slot] = i;
    if (old == empty || old == key) break;
    slot = (slot + 7) & 1023;
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void empty_as_each_thread_says(const unsigned *keys, unsigned *table, int *found, const unsigned *none) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], empty = none[i], slot = key & 1023;
  if (key == empty) return;
  while (true) {
    unsigned old = atomicCAS(&table[slot], empty, key);
    if (old == empty) { found[slot] = i; return; }  // here
    if (old == key) return;
    slot = (slot + 7) & 1023;
  }
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void with_a_thread_that_deletes(const unsigned *keys, unsigned *table, int *found, int drop) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  if (key == EMPTY) return;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY) { found[slot] = i; break; }  // here
    if (old == key) break;
    slot = (slot + 1) & 1023;
  }
  if (i == drop) atomicExch(&table[7], EMPTY);
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void that_is_written_beside_its_claim(const unsigned *keys, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  if (key == EMPTY) return;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY) { found[slot / 2] = i; return; }  // here
    if (old == key) return;
    slot = (slot + 1) & 1023;
  }
}

// race: write another, write another; global; warp block grid (data-dependent)
// race: write another, write nobody; global; warp block grid (data-dependent)
// race: write nobody, write nobody; global; warp block grid (data-dependent)
__global__ void by_those_without_a_key_and_those_who_find_one(const unsigned *keys, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  while (true) {
    unsigned old = atomicCAS(&table[slot], EMPTY, key);
    if (old == EMPTY && key == EMPTY) found[slot] = i;  // nobody
    if (old != EMPTY) found[slot] = -i;  // another
    if (old == key) return;
    slot = (slot + 1) & 1023;
  }
}

// safe: 1 of 1 pairs
__global__ void of_two_words(const unsigned *keys, const int *values, unsigned long long *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  unsigned long long both = (unsigned long long)key << 32 | (unsigned)values[i];
  if (key == EMPTY) return;
  while (true) {
    unsigned long long old = atomicCAS(&table[slot], ~0ull, both);
    if (old == ~0ull) { found[slot] = i; return; }
    slot = (slot + 1) & 1023;
  }
}

// race: atomic claim, atomic claim; global; grid (data-dependent)
// race: write here, write here; global; grid (data-dependent)
__global__ void claimed_within_a_block(const unsigned *keys, unsigned *table, int *found) {
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned key = keys[i], slot = key * 2654435761u & 1023;
  if (key == EMPTY) return;
  while (true) {
    unsigned old = atomicCAS_block(&table[slot], EMPTY, key);  // claim
    if (old == EMPTY) { found[slot] = i; return; }  // here
    if (old == key) return;
    slot = (slot + 1) & 1023;
  }
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1), grid_dim=(16, 1, 1))
