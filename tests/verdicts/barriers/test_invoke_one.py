"""Functions that one thread calls for its group, whichever it is, and updates of atomics by a group."""

from tests.checking import verdicts

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

// race: write slot, write slot; global; warp block grid (data-dependent)
__global__ void norank(const int *in, int *out, int *cnt) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * 128 + threadIdx.x;
    int b = cg::invoke_one_broadcast(warp, [&] { return atomicAdd(cnt, 32); });
    out[b] = in[i];  // slot
}

// safe: 0 of 0 pairs
__global__ void sum(const int *in, int *total) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    cuda::atomic_ref<int, cuda::thread_scope_device> s(*total);
    cg::reduce_update_async(tile, s, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());
}

// race: atomic narrow, atomic narrow; global; grid
__global__ void sumblock(const int *in, int *total) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    cuda::atomic_ref<int, cuda::thread_scope_block> s(*total);
    cg::reduce_update_async(tile, s, in[blockIdx.x * 128 + threadIdx.x], cg::plus<int>());  // narrow
}

// safe: 1 of 1 pairs
__global__ void one(const int *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(warp, [&] { out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = 5; });
}

// race: write slot, write slot; global; block
__global__ void one_slot(const int *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(warp, [&] { out[blockIdx.x] = threadIdx.x; });  // slot
}

// race: read first, write chosen; shared; warp
__global__ void read_by_first(const int *in, int *out) {
    __shared__ int s[4];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(warp, [&] { s[warp.meta_group_rank()] = in[threadIdx.x]; });  // chosen
    if (warp.thread_rank() == 0) out[blockIdx.x * 4 + warp.meta_group_rank()] = s[warp.meta_group_rank()];  // first
}

// safe: 3 of 3 pairs
__global__ void read_by_first_synced(const int *in, int *out) {
    __shared__ int s[4];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(warp, [&] { s[warp.meta_group_rank()] = in[threadIdx.x]; });
    warp.sync();
    if (warp.thread_rank() == 0) out[blockIdx.x * 4 + warp.meta_group_rank()] = s[warp.meta_group_rank()];
}

// safe: 1 of 1 pairs
__global__ void block_one(const int *in, int *out) {
    auto b = cg::this_thread_block();
    cg::invoke_one(b, [&] { out[blockIdx.x] = in[threadIdx.x]; });
}

// safe: 1 of 1 pairs
__global__ void coal(const int *in, int *out, int *cnt) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (in[i] > 0) {
      auto g = cg::coalesced_threads();
      int b = cg::invoke_one_broadcast(g, [&] { return atomicAdd(cnt, (int)g.size()); });
      out[b + g.thread_rank()] = in[i];  // compact
    }
}
// race: write other, write own; global; warp
__global__ void two_chosen(const int *in, int *out) {
    auto g = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), 1);
    cg::invoke_one(g, [&] { out[blockIdx.x] = threadIdx.x; });  // own
    cg::invoke_one(g, [&] { out[blockIdx.x] = -1; });  // other
}

int main() {
    int *a, *b, *c;
    cudaMalloc(&a, 1024 * 4);
    cudaMalloc(&b, 1024 * 4);
    cudaMalloc(&c, 4);
    cudaMemset(c, 0, 4);
    norank<<<8, 128>>>(a, b, c);
    sum<<<8, 128>>>(a, b);
    sumblock<<<8, 128>>>(a, b);
    one<<<8, 128>>>(a, b);
    one_slot<<<8, 128>>>(a, b);
    read_by_first<<<8, 128>>>(a, b);
    read_by_first_synced<<<8, 128>>>(a, b);
    block_one<<<8, 128>>>(a, b);
    coal<<<8,128>>>(a,b,c);
    two_chosen<<<8, 32>>>(a, b);
}
"""

test_kernel = verdicts(SOURCE)
