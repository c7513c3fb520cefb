"""What a thread looks up under a ticket, and hands on to its block."""

from tests.checking import verdicts

SOURCE = """
struct Task {
  int row, kind;
};

// race: read row, write row; global; grid (unless distinct(queue))
// race: write row, write row; global; grid (unless distinct(queue))
__global__ void a_row_for_each_task(int *rows, const int *queue, int *next, int n) {
  __shared__ int place, task;
  if (threadIdx.x == 0) {
    place = atomicAdd(next, 1);
    task = queue[place];
  }
  __syncthreads();
  while (place < n) {
    rows[task * 64 + threadIdx.x] += 1;  // row
    __syncthreads();
    if (threadIdx.x == 0) {
      place = atomicAdd(next, 1);
      task = queue[place];
    }
    __syncthreads();
  }
}

// race: read row, write row; global; grid (unless distinct(queue[2 * i]))
// race: write row, write row; global; grid (unless distinct(queue[2 * i]))
__global__ void a_row_for_each_record(int *rows, const Task *queue, int *next) {
  __shared__ Task task;
  if (threadIdx.x == 0) {
    int place = atomicAdd(next, 1);
    task.row = queue[place].row;
    task.kind = queue[place].kind;
  }
  __syncthreads();
  if (task.kind == 1) rows[task.row * 64 + threadIdx.x] += 1;  // row
}

// race: read row, write row; global; grid (data-dependent)
// race: write row, write row; global; grid (data-dependent)
__global__ void a_row_that_is_looked_up_twice(int *rows, const int *queue, int *next) {
  __shared__ int task;
  if (threadIdx.x == 0) task = queue[atomicAdd(next, 1) / 2];
  __syncthreads();
  rows[task * 64 + threadIdx.x] += 1;  // row
}

// race: read row, write row; global; grid (data-dependent)
// race: write row, write row; global; grid (data-dependent)
__global__ void without_tickets(int *rows, const int *queue) {
  __shared__ int task;
  if (threadIdx.x == 0) task = queue[blockIdx.x];
  __syncthreads();
  rows[task * 64 + threadIdx.x] += 1;  // row
}

// race: read row, write row; global; grid (data-dependent)
// race: write row, write row; global; grid (data-dependent)
__global__ void a_task_of_another_kind(int *rows, const int *queue, const int *first, int *next) {
  __shared__ int task;
  if (threadIdx.x == 0) task = queue[atomicAdd(next, 1)];
  __syncthreads();
  if (threadIdx.x == 0 && task < 0) task = first[0];
  __syncthreads();
  rows[task * 64 + threadIdx.x] += 1;  // row
}

// race: read row, write row; global; grid (data-dependent)
// race: write row, write row; global; grid (data-dependent)
__global__ void tickets_of_each_row(int *rows, const int *queue, int *next) {
  __shared__ int task;
  if (threadIdx.x == 0) task = queue[atomicAdd(&next[blockIdx.x], 1)];
  __syncthreads();
  rows[task * 64 + threadIdx.x] += 1;  // row
}

// safe: 6 of 6 pairs
__global__ void two_slots_in_turn(int *rows, int *next, int n) {
  __shared__ int row[2];
  if (threadIdx.x == 0) row[0] = atomicAdd(next, 1);
  __syncthreads();
  for (int turn = 0; turn < n; turn++) {
    int mine = row[turn & 1];
    if (threadIdx.x == 0) row[(turn + 1) & 1] = atomicAdd(next, 1);
    rows[mine * 64 + threadIdx.x] = blockIdx.x;
    __syncthreads();
  }
}

// open: write row, write row; global; grid: it depends on values that the kernel computes: row[]
__global__ void two_slots_with_one_row_for_all(int *rows, int *next, int n) {
  __shared__ int row[2];
  if (threadIdx.x == 0) row[0] = 0;
  __syncthreads();
  for (int turn = 0; turn < n; turn++) {
    int mine = row[turn & 1];
    if (threadIdx.x == 0) row[(turn + 1) & 1] = atomicAdd(next, 1);
    rows[mine * 64 + threadIdx.x] = blockIdx.x;  // row
    __syncthreads();
  }
}

// open: write row, write row; global; grid: it depends on values that the kernel computes: row[]
__global__ void two_slots_of_halves(int *rows, int *next, int n) {
  __shared__ int row[2];
  if (threadIdx.x == 0) row[0] = atomicAdd(next, 1) / 2;
  __syncthreads();
  for (int turn = 0; turn < n; turn++) {
    int mine = row[turn & 1];
    if (threadIdx.x == 0) row[(turn + 1) & 1] = atomicAdd(next, 1);
    rows[mine * 64 + threadIdx.x] = blockIdx.x;  // row
    __syncthreads();
  }
}
"""

test_kernel = verdicts(SOURCE, block_dim=(64, 1, 1))
