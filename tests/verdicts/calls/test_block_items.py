"""Collectives of CUB that load and store a block's items: which thread accesses which, and what storage they use."""

from tests.checking import verdicts

SOURCE = """
#include <cub/cub.cuh>
#include <algorithm>
#include <initializer_list>

// safe: 3 of 3 pairs
template <cub::BlockStoreAlgorithm A> __global__ void rows(int *out, int n) {
    using Store = cub::BlockStore<int, 128, 4, A>;
    __shared__ typename Store::TempStorage storage;
    int items[4] = {1, 2, 3, 4};
    Store(storage).Store(out + blockIdx.x * 512, items, n);
}

// race: write half, write half; global; grid
template <cub::BlockStoreAlgorithm A> __global__ void half_rows(int *out) {
    using Store = cub::BlockStore<int, 128, 4, A>;
    __shared__ typename Store::TempStorage storage;
    int items[4] = {int(threadIdx.x), int(blockIdx.x), 3, 4};
    Store(storage).Store(out + blockIdx.x * 256, items);  // half
}

template <class T> constexpr T largest(std::initializer_list<T> all) { return std::max(all); }
template <int N, bool Even> struct Traits {
    using item_t = float;
    static constexpr int Threads = N;
    using Load = cub::BlockLoad<item_t, N, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<item_t, N, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    static constexpr int Storage = largest({sizeof(typename Load::TempStorage), sizeof(typename Store::TempStorage)});
};
template <class K, int Gap> __device__ void through(float *p, char *shared) {
    typename K::item_t items[K::Threads / 32];
    auto &load = reinterpret_cast<typename K::Load::TempStorage &>(*shared);
    auto &store = reinterpret_cast<typename K::Store::TempStorage &>(*shared);
    float *sum = reinterpret_cast<float *>(shared + K::Storage - Gap);
    typename K::Load(load).Load(p, items);  // load
    if (threadIdx.x == 0) *sum = items[0];  // sum
    __syncthreads();
    for (int i = 0; i < K::Threads / 32; ++i) items[i] += *sum;  // add
    typename K::Store(store).Store(p, items);  // store
}

// safe: 11 of 11 pairs
template <class K> __global__ void behind_the_storage(float *p) {
    extern __shared__ char shared[];
    through<K, 0>(p + blockIdx.x * 512, shared);
}

// race: write load, write sum; shared; warp block
// race: read add, write store; shared; warp block
template <class K> __global__ void within_the_storage(float *p) {
    extern __shared__ char shared[];
    through<K, 4>(p + blockIdx.x * 512, shared);
}

int main(int argc, char **argv) {
    int *a;
    float *p;
    cudaMalloc(&a, 8 * 512 * sizeof(int));
    cudaMalloc(&p, 8 * 512 * sizeof(float));
    rows<cub::BLOCK_STORE_DIRECT><<<8, 128>>>(a, argc);
    rows<cub::BLOCK_STORE_WARP_TRANSPOSE><<<8, 128>>>(a, argc);
    half_rows<cub::BLOCK_STORE_TRANSPOSE><<<8, 128>>>(a);
    behind_the_storage<Traits<128, true>><<<8, 128, 4096>>>(p);
    within_the_storage<Traits<128, true>><<<8, 128, 4096>>>(p);
}
"""

test_items_of_a_block = verdicts(SOURCE)
