// Locks that are given back twice (seeds 60377, 200366, 300041) or in both arms of a branch, and what a variable
// that is waited for begins with (seed 100084).

__device__ int lock = 0;
__device__ int locks[8];
__device__ int full = 1;

// safe: 2 of 2 pairs
__global__ void twice_among_two(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&lock, 0);
  atomicExch(&lock, 0);
}

// race: read sum, write sum; global; warp
// race: write sum, write sum; global; warp
__global__ void twice_among_three(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&lock, 0);
  atomicExch(&lock, 0);
}

// race: read first, write then; global; warp
// race: read then, write first; global; warp
// race: read then, write then; global; warp
// race: write first, write then; global; warp
// race: write then, write then; global; warp
__global__ void twice_and_taken_again(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // first
  __threadfence();
  atomicExch(&lock, 0);
  atomicExch(&lock, 0);
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // then
  __threadfence();
  atomicExch(&lock, 0);
}

// open: read sum, write sum; global; warp: a wait for lock, set in line 56, may order them
// open: write sum, write sum; global; warp: a wait for lock, set in line 56, may order them
__global__ void twice_by_one(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&lock, 0);
  if (threadIdx.x == 0) atomicExch(&lock, 0);  // again
}

// race: read sum, write sum; global; warp
// race: write sum, write sum; global; warp
__global__ void opened_before(int *sum) {
  if (threadIdx.x == 0) atomicExch(&lock, 0);
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&lock, 0);
}

// note: write plain, write plain; global; warp
// race: atomic give, write plain; global; warp
// race: atomic take, write plain; global; warp (data-dependent)
// race: read sum, write sum; global; warp
// race: write sum, write sum; global; warp
__global__ void twice_the_second_time_plainly(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}  // take
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&lock, 0);  // give
  lock = 0;  // plain
}

// safe: 2 of 2 pairs
__global__ void in_both_arms(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += 1;
  __threadfence();
  if (threadIdx.x % 2) {
    atomicExch(&lock, 0);
  } else {
    atomicExch(&lock, 0);
  }
}

// race: read inside, write late; global; warp
// race: read late, write inside; global; warp
// race: read late, write late; global; warp
// race: write inside, write late; global; warp
// race: write late, write late; global; warp
__global__ void in_one_arm_too_early(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  if (threadIdx.x % 2) {
    __threadfence();
    atomicExch(&lock, 0);
    *sum += 1;  // late
  } else {
    *sum += 1;  // inside
    __threadfence();
    atomicExch(&lock, 0);
  }
}

// open: write set, write use; global; warp: a wait for locks, set in line 122, may order them
// race: atomic wait, write free; global; warp (data-dependent)
__global__ void free_from_the_beginning(int *sum) {
  if (threadIdx.x) {
    *sum = 1;  // set
    __threadfence();
    *(volatile int *)&locks[blockIdx.x] = 0;  // free
  } else {
    while (atomicAdd(&locks[blockIdx.x], 0) != 0) {}  // wait
    __threadfence();
    *sum = 2;  // use
  }
}

// race: atomic wait, write free; global; warp (data-dependent)
__global__ void taken_from_the_beginning(int *sum) {
  if (threadIdx.x) {
    *sum = 1;  // set
    __threadfence();
    *(volatile int *)&full = 0;  // free
  } else {
    while (atomicAdd(&full, 0) != 0) {}  // wait
    __threadfence();
    *sum = 2;  // use
  }
}

// Seed 1022367: who gives the lock back by a store, and takes it again, does not hold it all the while.
// note: write give, write give; global; warp grid
// race: atomic again, write give; global; warp grid (data-dependent)
// race: atomic last, write give; global; warp grid
// race: atomic take, write give; global; warp grid (data-dependent)
__global__ void given_back_in_between(int *sum) {
  while (atomicCAS(&lock, 0, 1) != 0) {}  // take
  __threadfence();
  *(volatile int *)&lock = 0;  // give
  while (atomicCAS(&lock, 0, 1) != 0) {}  // again
  __threadfence();
  *sum += 1;  // sum
  __threadfence();
  atomicExch(&lock, 0);  // last
}

// Seed 2101250: the third thread must be there, and give back this very lock.
// safe: 2 of 2 pairs
__global__ void own_lock_of_two(int *sums) {
  while (atomicCAS(&locks[blockIdx.x & 7], 0, 1) != 0) {}
  __threadfence();
  sums[blockIdx.x] += 1;
  __threadfence();
  atomicExch(&locks[blockIdx.x & 7], 0);
  atomicExch(&locks[blockIdx.x & 7], 0);
}

// race: read ours, write ours; global; warp
// race: write ours, write ours; global; warp
__global__ void own_lock_of_three(int *sums) {
  while (atomicCAS(&locks[blockIdx.x & 7], 0, 1) != 0) {}
  __threadfence();
  sums[blockIdx.x] += 1;  // ours
  __threadfence();
  atomicExch(&locks[blockIdx.x & 7], 0);
  atomicExch(&locks[blockIdx.x & 7], 0);
}

// race: read ninth, write ninth; global; warp grid
// race: write ninth, write ninth; global; warp grid
__global__ void eight_locks_of_nine_blocks(int *sums) {
  while (atomicCAS(&locks[blockIdx.x & 7], 0, 1) != 0) {}
  __threadfence();
  sums[blockIdx.x & 7] += 1;  // ninth
  __threadfence();
  atomicExch(&locks[blockIdx.x & 7], 0);
  atomicExch(&locks[blockIdx.x & 7], 0);
}

// safe: 2 of 2 pairs
__global__ void another_one_opened_before(int *sums) {
  if (threadIdx.x == 0) atomicExch(&locks[4 + blockIdx.x], 0);
  while (atomicCAS(&locks[blockIdx.x], 0, 1) != 0) {}
  __threadfence();
  sums[blockIdx.x] += 1;
  __threadfence();
  atomicExch(&locks[blockIdx.x], 0);
}

// race: read nearer, write nearer; global; warp
// race: write nearer, write nearer; global; warp
__global__ void the_next_one_opened_before(int *sums) {
  if (threadIdx.x == 0) atomicExch(&locks[1 + blockIdx.x], 0);
  while (atomicCAS(&locks[blockIdx.x], 0, 1) != 0) {}
  __threadfence();
  sums[blockIdx.x] += 1;  // nearer
  __threadfence();
  atomicExch(&locks[blockIdx.x], 0);
}

// A release at the scope of the block, of a lock that each block of a small grid has to itself (seed 3206068).
// note: write give, write give; global; warp
// race: atomic take, write give; global; warp (data-dependent)
__global__ void of_few_blocks(int *sums) {
  while (atomicCAS(&locks[blockIdx.x & 7], 0, 1) != 0) {}  // take
  __threadfence();
  sums[blockIdx.x] += 1;
  __threadfence_block();
  *(volatile int *)(&locks[blockIdx.x & 7]) = 0;  // give
}

// note: write give, write give; global; warp grid
// race: atomic take, write give; global; warp grid (data-dependent)
// race: read sum, write sum; global; warp
// race: write sum, write sum; global; warp
__global__ void of_many_blocks(int *sums) {
  while (atomicCAS(&locks[blockIdx.x & 7], 0, 1) != 0) {}  // take
  __threadfence();
  sums[blockIdx.x] += 1;  // sum
  __threadfence_block();
  *(volatile int *)(&locks[blockIdx.x & 7]) = 0;  // give
}

void launches(int *sum) {
  own_lock_of_two<<<3, 2>>>(sum);
  own_lock_of_three<<<2, 3>>>(sum);
  eight_locks_of_nine_blocks<<<9, 2>>>(sum);
  another_one_opened_before<<<4, 2>>>(sum);
  the_next_one_opened_before<<<4, 2>>>(sum);
  given_back_in_between<<<2, 4>>>(sum);
  twice_among_two<<<1, 2>>>(sum);
  twice_among_three<<<1, 3>>>(sum);
  twice_and_taken_again<<<1, 2>>>(sum);
  twice_by_one<<<1, 8>>>(sum);
  opened_before<<<1, 2>>>(sum);
  twice_the_second_time_plainly<<<1, 2>>>(sum);
  in_both_arms<<<2, 8>>>(sum);
  in_one_arm_too_early<<<1, 8>>>(sum);
  free_from_the_beginning<<<1, 2>>>(sum);
  taken_from_the_beginning<<<1, 2>>>(sum);
  of_few_blocks<<<2, 2>>>(sum);
  of_many_blocks<<<9, 2>>>(sum);
}
