"""Blocks that all do the same: what a thread stores, the threads with its index in other blocks store, too."""

from pathlib import Path

import pytest

from hgrd.findings.model import Level
from tests.checking import check, verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_store.cuh>
namespace cg = cooperative_groups;

// note: write turned, write turned; global; grid
// safe: 2 of 3 pairs
__global__ void __launch_bounds__(128) turns(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = 3 * in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];  // turned
}

// race: write of, write of; global; grid
__global__ void __launch_bounds__(128) turns_what_is_of_the_block(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x] + blockIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];  // of
}

__device__ int number() { return blockIdx.x; }

// race: write deep, write deep; global; grid
__global__ void __launch_bounds__(128) asks_a_function_for_the_block(int *out) {
  float f = number();
  out[threadIdx.x] = (int)(f * 0.5f);  // deep
}

// note: write early, write early; global; grid
// race: read late, write put; shared; block
__global__ void __launch_bounds__(128) turns_too_early(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];  // put
  int i = s[127 - threadIdx.x];  // late
  out[threadIdx.x] = i;  // early
}

// race: write another, write another; global; warp grid
__global__ void __launch_bounds__(128) threads_of_two_indexes(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x / 2] = s[127 - threadIdx.x];  // another
}

// race: write turn, write turn; global; grid
__global__ void __launch_bounds__(128) other_iterations(const int *in, int *out, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < n; k++) out[threadIdx.x] = s[(threadIdx.x + k) % 128];  // turn
}

// note: write last, write last; global; grid
// safe: 2 of 3 pairs
__global__ void __launch_bounds__(128) one_sum(const int *in, int *out, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < n; k++) if (s[(threadIdx.x + k) % 128] > sum) sum += k;
  out[threadIdx.x] = sum;  // last
}

// race: write drawn, write drawn; global; grid
__global__ void __launch_bounds__(128) who_comes_first(int *out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  int i = atomicAdd(&n, 1);
  out[threadIdx.x] = i;  // drawn
}

// race: read own, write back; global; grid
// race: write back, write back; global; grid
__global__ void __launch_bounds__(128) what_others_write(int *out) {
  int i = out[threadIdx.x];  // own
  out[threadIdx.x] = i + 1;  // back
}

// note: write vote, write vote; global; grid
// safe: 0 of 1 pairs
__global__ void __launch_bounds__(128) votes(const int *in, int *out) {
  unsigned warp = __ballot_sync(~0u, in[threadIdx.x] > 0);
  out[threadIdx.x] = __popc(warp) + __shfl_down_sync(~0u, in[threadIdx.x], 1);  // vote
}

// race: write here, write here; global; grid
__global__ void __launch_bounds__(128) who_is_here(int *out) {
  unsigned warp = __activemask();
  out[threadIdx.x] = __popc(warp);  // here
}

// race: write now, write now; global; grid
__global__ void __launch_bounds__(128) when(int *out) {
  out[threadIdx.x] = (int)clock64();  // now
}

// race: write seen, write seen; global; grid
__global__ void __launch_bounds__(128) what_may_change(const volatile int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x];  // seen
}

// race: write looks, write looks; global; grid
__global__ void __launch_bounds__(128) how_often_it_looks(int *out) {
  __shared__ volatile int done;
  int n = 0;
  if (threadIdx.x == 0) done = 1;
  else while (done != 1) n++;
  out[threadIdx.x] = n;  // looks
}

// race: write register, write register; global; grid
__global__ void __launch_bounds__(128) which_register(int *out) {
  int i;
  asm("mov.u32 %0, %ctaid.x;" : "=r"(i));
  out[threadIdx.x] = i;  // register
}

__device__ int elsewhere(int i);

// race: write foreign, write foreign; global; grid
__global__ void __launch_bounds__(128) calls_what_is_not_there(int *out) {
  out[threadIdx.x] = elsewhere(threadIdx.x) + threadIdx.x;  // foreign
}

// note: write rank, write rank; global; grid
// safe: 0 of 1 pairs
__global__ void __launch_bounds__(128) ranks_in_the_block(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = cg::this_thread_block().thread_rank();
  out[i] = tile.shfl_down(in[i], tile.thread_rank() / 2);  // rank
}

// race: write rank_of_all, write rank_of_all; global; grid
__global__ void __launch_bounds__(128) ranks_in_the_grid(int *out) {
  out[threadIdx.x] = cg::this_grid().thread_rank() / 3;  // rank_of_all
}

typedef cub::BlockReduce<int, 128> Reduce;
struct Odd { __device__ int operator()(int a, int b) const { return a + b + blockIdx.x; } };

// note: write total, write total; global; grid
// safe: 2 of 3 pairs
__global__ void __launch_bounds__(128) reduces(const int *in, int *out) {
  __shared__ Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = sum;  // total
}

// race: write odd, write odd; global; grid
__global__ void __launch_bounds__(128) reduces_by_its_own_function(const int *in, int *out) {
  __shared__ Reduce::TempStorage storage;
  int sum = Reduce(storage).Reduce(in[threadIdx.x], Odd());
  if (threadIdx.x == 0) *out = sum;  // odd
}

// note: write given, write given; global; grid
// safe: 0 of 1 pairs
__global__ void __launch_bounds__(128) loads_from_memory_of_its_caller(const int *in, int *out) {
  typedef cub::BlockLoad<int, 128, 4> Load;
  __shared__ Load::TempStorage storage;
  int items[4];
  Load(storage).Load(in, items);
  out[threadIdx.x] = items[0];  // given
}
"""

PROGRAM = """
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

// note: write apart, write apart; global; grid
// safe: 0 of 1 pairs
__global__ void loads(const int *in, int *out) {
  typedef cub::BlockLoad<int, 128, 4> Load;
  __shared__ Load::TempStorage storage;
  int items[4];
  Load(storage).Load(in, items);
  out[threadIdx.x] = items[0];  // apart
}

// race: write same, write same; global; grid
// race: read items, write same; global; warp block grid
__global__ void loads_what_it_writes(const int *in, int *out) {
  typedef cub::BlockLoad<int, 128, 4> Load;
  __shared__ Load::TempStorage storage;
  int items[4];
  Load(storage).Load(in, items);  // items
  out[threadIdx.x] = items[0];  // same
}

// note: write row, write row; global; grid
// note: write beside, write beside; global; grid
// safe: 1 of 3 pairs
__global__ void stores(const int *in, int *out) {
  typedef cub::BlockStore<int, 128, 4> Store;
  __shared__ Store::TempStorage storage;
  int items[4] = {in[threadIdx.x], 1, 2, 3};
  Store(storage).Store(out, items);  // row
  if (threadIdx.x == 0) out[512] = items[0];  // beside
}

int main(int argc, char **argv) {
  int *a, *b;
  cudaMalloc(&a, 512 * sizeof(int));
  cudaMalloc(&b, 513 * sizeof(int));
  loads<<<argc, 128>>>(a, b);
  loads_what_it_writes<<<argc, 128>>>(a, a);
  stores<<<argc, 128>>>(a, b);
}
"""

test_blocks_that_do_the_same = verdicts(SOURCE)
test_memory_that_collectives_load = verdicts(PROGRAM)

TURNS = """
__global__ void __launch_bounds__(128) turns(const int *in, int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];
}
"""


@pytest.mark.parametrize(("levels", "same"), [(tuple(Level), True), ((Level.INTER_BLOCK,), False)])
def test_races_within_blocks_are_looked_for(tmp_path: Path, levels: tuple[Level, ...], same: bool):
    """Else nobody says whether what they hand to each other is the same."""
    (kernel,) = check(tmp_path, TURNS, levels=levels).kernels
    assert [f.same_value for f in kernel.findings] == [same]


def test_memory_that_nobody_has_set_is_taken_for_granted(tmp_path: Path):
    (kernel,) = check(tmp_path, TURNS).kernels
    assumed = [f.text for launch in kernel.launches for f in launch.assumptions]
    assert "threads find in shared memory only what their block has stored there" in assumed
